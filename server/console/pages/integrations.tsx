/** Integrations, how their steps fare, and deliveries that failed. */
import { addresses } from '../addresses.js'
import { Loaded } from '../parts/loaded.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { api, may } from '../state/api.js'
import { useData } from '../state/data.js'
import { plainText } from '../state/events.js'
import { attempt, say } from '../state/toasts.js'
import { count, number, t, type TextKey } from '../texts.js'

const SIZE = 50
const bad = new Set(['retrying', 'open', 'full', 'invalid'])

interface Step {
  readonly job_id: number | null
  readonly job_title: string
  readonly integration_id: number
  readonly integration_title: string
  readonly status: string
  readonly reason: string
}

function Steps<T extends Step>({
  steps,
  figures,
  none = 'integrations.no_steps',
}: {
  readonly steps: readonly T[]
  /** What is said where there are none. */
  readonly none?: TextKey
  readonly figures: (step: T) => string
}) {
  if (steps.length === 0) return <p class="dim">{t(none)}</p>
  return (
    <Table
      columns={[
        { text: t('integrations.head.integration') },
        { text: t('jobs.head.job') },
        { text: t('integrations.head.state') },
        { text: t('integrations.head.count'), isNumber: true },
      ]}
      rows={steps.map((step) => ({
        key: `${step.job_id} ${step.integration_id} ${step.integration_title}`,
        cells: [
          <a key="a" href={addresses.integration(step.integration_id)}>
            {step.integration_title}
          </a>,
          step.job_title,
          <span key="s" class={bad.has(step.status) ? 'bad' : ''}>
            {step.status}
            {step.reason === '' ? '' : `: ${plainText(step.reason)}`}
          </span>,
          figures(step),
        ],
      }))}
    />
  )
}

function Failed() {
  const data = useData('failed deliveries', (signal) => api.listFailedDeliveries({ size: SIZE }, { signal }))
  const act = async (verb: 'retry' | 'discard', id?: string): Promise<void> => {
    const selection = id === undefined ? {} : { id }
    await attempt(async () => {
      const { count: n } =
        verb === 'retry'
          ? await api.retryFailedDeliveries({ body: selection })
          : await api.discardFailedDeliveries(selection)
      say(count(`deliveries.${verb}`, n))
      data.reload()
    })
  }
  const mayAct = may('execute:job_operations')
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{t('deliveries.failed')}</h2>
        {mayAct && (data.value?.failed_deliveries.length ?? 0) > 0 ? (
          <button type="button" onClick={() => void act('retry')}>
            {t('deliveries.retry_all')}
          </button>
        ) : null}
      </header>
      <Loaded data={data}>
        {({ failed_deliveries: failed, total_count: total }) =>
          failed.length === 0 ? (
            <p class="dim">{t('deliveries.none')}</p>
          ) : (
            <>
              <p class="dim">{count('deliveries.found', total)}</p>
              <Table
                columns={[
                  { text: t('integrations.head.integration') },
                  { text: t('deliveries.head.event') },
                  { text: t('deliveries.head.reason') },
                  { text: t('deliveries.head.tried'), isNumber: true },
                  { text: t('deliveries.head.act') },
                ]}
                rows={failed.map((one) => ({
                  key: one.id,
                  cells: [
                    one.integration_title,
                    one.event_id === null || one.job_id === null ? (
                      '—'
                    ) : (
                      <a key="a" class="mono" href={addresses.event(one.job_id, one.event_id)}>
                        {plainText(one.event_id)}
                      </a>
                    ),
                    plainText(one.reason),
                    <span key="t">
                      {number(one.attempts)} · <Time at={one.last_failed_at} />
                    </span>,
                    mayAct ? (
                      <button key="b" type="button" onClick={() => void act('retry', one.id)}>
                        {t('deliveries.retry_one')}
                      </button>
                    ) : null,
                  ],
                }))}
              />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

export default function Integrations() {
  const all = useData('integrations', (signal) => api.listResources({ resource_type: 'integration' }, { signal }))
  const deliveries = useData('deliveries', (signal) => api.listDeliveries({}, { signal }))
  const inputs = useData('inputs', (signal) => api.listInputs({}, { signal }))
  const enrichments = useData('enrichments', (signal) => api.listEnrichments({}, { signal }))
  return (
    <div class="page">
      <h1>{t('place.integrations')}</h1>
      <Failed />
      <section class="panel stack">
        <h2>{t('integrations.all')}</h2>
        <Loaded data={all}>
          {(list) => (
            <Table
              columns={[
                { text: t('keys.head.name') },
                { text: t('keys.head.kind') },
                { text: t('keys.head.since'), isNumber: true },
              ]}
              rows={list.map((one) => ({
                key: String(one.id),
                cells: [
                  <a key="a" href={addresses.integration(String(one.id))}>
                    {String(one.title)}
                  </a>,
                  String(one.integration_type ?? ''),
                  <Time key="t" at={String(one.created_at ?? '')} />,
                ],
              }))}
            />
          )}
        </Loaded>
      </section>
      <section class="panel stack">
        <h2>{t('integrations.inputs')}</h2>
        <Loaded data={inputs}>
          {(list) => (
            <Steps
              steps={list}
              figures={(one) => count('integrations.taken', one.taken_count)}
              none="integrations.no_inputs"
            />
          )}
        </Loaded>
      </section>
      <section class="panel stack">
        <h2>{t('integrations.deliveries')}</h2>
        <Loaded data={deliveries}>
          {(list) => <Steps steps={list} figures={(one) => count('integrations.delivered', one.delivered_count)} />}
        </Loaded>
      </section>
      <section class="panel stack">
        <h2>{t('integrations.enrichments')}</h2>
        <Loaded data={enrichments}>
          {(list) => <Steps steps={list} figures={(one) => count('integrations.found', one.found_count)} />}
        </Loaded>
      </section>
    </div>
  )
}

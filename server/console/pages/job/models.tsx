/** The models of a job: when each decided, how good it is, and the way back to one. */
import { useSignal } from '@preact/signals'
import type { RegisteredModel } from '../../../client/index.js'
import { Loaded } from '../../parts/loaded.js'
import { Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { loadJobs, type ShownJob } from '../../state/jobs.js'
import { attempt, say } from '../../state/toasts.js'
import { number, share, t } from '../../texts.js'

const SIZE = 20

function rightText({ held_out: { accuracy } }: RegisteredModel): string {
  const { value, low, high } = accuracy
  return value === null ? '—' : `${share(value)} (${share(low ?? 0)} – ${share(high ?? 0)})`
}

function RollBack({
  of,
  model,
  done,
}: {
  readonly of: ShownJob
  readonly model: RegisteredModel
  readonly done: () => void
}) {
  const isSure = useSignal(false)
  const roll = async (to: string): Promise<void> => {
    const { from } = await api.rollBackModel({ job_id: of.job_id, body: { model_id: to } })
    await loadJobs()
    say(t('models.rolled_back', { model: to }), from === null ? null : () => roll(from))
    done()
  }
  const press = async (): Promise<void> => {
    if (!isSure.value) {
      isSure.value = true
      return
    }
    isSure.value = false
    await attempt(() => roll(model.model_id))
  }
  if (model.active || !model.kept || !may('execute:job_operations')) return null
  return (
    <button type="button" onClick={() => void press()}>
      {t(isSure.value ? 'models.really' : 'models.use')}
    </button>
  )
}

export function Models({ of }: { readonly of: ShownJob }) {
  const data = useData(`models ${of.job_id} ${of.last_train_finished_timestamp}`, (signal) =>
    api.listModels({ job_id: of.job_id, size: SIZE }, { signal }),
  )
  return (
    <section class="panel stack">
      <h2>{t('models.title')}</h2>
      <Loaded data={data} lines={3}>
        {({ models }) =>
          models.length === 0 ? (
            <p class="dim">{t('job.untrained')}</p>
          ) : (
            <Table
              columns={[
                { text: t('facts.model') },
                { text: t('models.right'), isNumber: true },
                { text: t('models.examples'), isNumber: true },
                { text: t('models.trained'), isNumber: true },
                { text: t('deliveries.head.act') },
              ]}
              rows={models.map((model) => ({
                key: model.model_id,
                cells: [
                  <span key="m" class="row">
                    {t('models.version', { n: model.version })}
                    {model.active ? <span class="tag">{t('models.active')}</span> : null}
                  </span>,
                  rightText(model),
                  number(model.examples),
                  <Time key="t" at={model.trained_at} />,
                  <RollBack key="r" of={of} model={model} done={data.reload} />,
                ],
              }))}
            />
          )
        }
      </Loaded>
    </section>
  )
}

/** What is known of an event besides: its bucket, its model, notes, deliveries, what happened to it. */
import type { ComponentChildren } from 'preact'
import { addresses } from '../../addresses.js'
import { Time } from '../../parts/time.js'
import { valueText } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { capitalized, t, type TextKey } from '../../texts.js'
import type { Whole } from './read.js'

interface PartProps {
  readonly whole: Whole
}

export function Facts({ of, whole }: PartProps & { readonly of: ShownJob }) {
  const { event, section } = whole
  const rows: readonly (readonly [TextKey, ComponentChildren])[] = [
    ['facts.time', <Time key="o" at={event['@timestamp']} />],
    ['facts.received', <Time key="t" at={event.ingest_timestamp} />],
    ['facts.state', t(`state.${event.bucket_state}`)],
    [
      'facts.bucket',
      event.bucket_id === null ? null : (
        <a key="b" class="mono" href={addresses.bucket(of.job_id, event.bucket_id)}>
          {event.bucket_id.slice(0, 12)}
        </a>
      ),
    ],
    [
      'facts.cluster',
      section.cluster?.cluster_id === undefined ? null : (
        <a key="c" class="mono" href={addresses.cluster(of.job_id, section.cluster.cluster_id)}>
          {section.cluster.cluster_id}
        </a>
      ),
    ],
    ['facts.model', section.model?.path ?? null],
    ['facts.autonomy', section.autonomy ?? null],
    ['facts.previous', section.previous_result_label ?? null],
    ['facts.severity', section.severity == null ? null : valueText(section.severity)],
    ['facts.tag', section.storage_tag ?? null],
    ['facts.error', event.error_message === '' ? null : event.error_message],
  ]
  return (
    <section class="panel">
      <h2>{t('event.facts')}</h2>
      <dl class="facts">
        {rows.map(([text, value]) =>
          value === null ? null : (
            <>
              <dt>{t(text)}</dt>
              <dd class="bidi">{value}</dd>
            </>
          ),
        )}
      </dl>
    </section>
  )
}

interface Step {
  readonly at: string
  readonly who: string
  readonly text: string
  readonly isBad: boolean
}

/** Who logs what happens to an event; the others write notes, which have a place of their own. */
const logged: ReadonlySet<string> = new Set(['actor', 'enrichment'])

/** What came, who answered what, what was logged, and what was not delivered: in order. */
function stepsOf({ event, consensus, section, failed }: Whole): Step[] {
  const own = consensus?.votes.filter((vote) => vote.event_id === event.event_id || vote.scope === 'bucket') ?? []
  const steps: Step[] = [
    { at: event.ingest_timestamp, who: '', text: t('history.received'), isBad: false },
    ...(section.log_messages ?? [])
      .filter(({ component }) => logged.has(component))
      .map(({ content, timestamp, level }) => ({
        at: timestamp,
        who: '',
        text: capitalized(content),
        isBad: level === 'error',
      })),
    ...own.map(({ analyst, label, timestamp, scope }) => ({
      at: timestamp,
      who: analyst,
      text: scope === 'bucket' ? t('history.voted_bucket', { label }) : t('history.voted', { label }),
      isBad: false,
    })),
    ...failed.map((delivery) => ({
      at: delivery.last_failed_at,
      who: t('history.delivery', { title: delivery.integration_title }),
      text: capitalized(delivery.reason),
      isBad: true,
    })),
  ]
  return steps.sort((a, b) => (a.at < b.at ? -1 : 1))
}

export function History({ whole }: PartProps) {
  const steps = stepsOf(whole)
  return (
    <section class="panel">
      <h2>{t('event.history')}</h2>
      <div class="table-wrap">
        <table>
          <tbody>
            {steps.map(({ at, who, text, isBad }) => (
              <tr key={`${at} ${text}`}>
                <td class={isBad ? 'bad bidi' : 'bidi'}>
                  {who === '' ? null : <strong>{who}: </strong>}
                  {text}
                </td>
                <td class="number">
                  <Time at={at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

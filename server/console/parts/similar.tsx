/** Similar events, and what was decided and voted there. */
import type { EventExplanation, SimilarAnswer } from '../../client/index.js'
import { addresses } from '../addresses.js'
import { valueText } from '../state/events.js'
import type { ShownJob } from '../state/jobs.js'
import { count, percent, t } from '../texts.js'
import { Label } from './label.js'
import { Table } from './table.js'
import { Time } from './time.js'

const NEAREST = 3

interface NearestProps {
  readonly of: ShownJob
  readonly explanation: EventExplanation
  readonly eventId: string
}

/** The nearest labelled events on a line. */
export function Nearest({ of, explanation, eventId }: NearestProps) {
  const nearest = (explanation.model?.nearest ?? []).filter((one) => one.event_id !== eventId).slice(0, NEAREST)
  if (nearest.length === 0) return null
  return (
    <div>
      <h2 class="small">{t('similar.labelled')}</h2>
      <p class="like">
        {nearest.map((one) => (
          <a key={one.event_id} class="label" href={addresses.event(of.job_id, one.event_id)}>
            <Label of={of} label={one.consensus ?? one.result_label} />
            <span class="dim">{t('similar.likeness', { n: percent(one.likeness * 100) })}</span>
          </a>
        ))}
      </p>
    </div>
  )
}

function differenceText({ differences }: SimilarAnswer['similar'][number]): string {
  return differences
    .map(
      ({ field, value, other }) => `${field}: ${valueText(other)} ${t('similar.instead', { value: valueText(value) })}`,
    )
    .join(' · ')
}

export function Similar({ of, similar }: { readonly of: ShownJob; readonly similar: SimilarAnswer }) {
  return (
    <div>
      <p class="dim">
        {count('similar.equal', similar.equal_events)} {count('similar.compared', similar.compared)}
        {similar.complete ? '' : ` ${t('similar.incomplete')}`}
      </p>
      <Table
        columns={[
          { text: t('similar.head.likeness'), isNumber: true },
          { text: t('similar.head.votes') },
          { text: t('similar.head.decision') },
          { text: t('similar.head.differs') },
          { text: t('similar.head.events'), isNumber: true },
          { text: t('similar.head.latest'), isNumber: true },
        ]}
        rows={similar.similar.map((one) => ({
          key: one.bucket_id ?? one.event_id ?? '',
          cells: [
            one.event_id === null ? (
              percent(one.likeness * 100)
            ) : (
              <a key="a" href={addresses.event(of.job_id, one.event_id)}>
                {percent(one.likeness * 100)}
              </a>
            ),
            one.consensus === null ? (
              <span key="c" class="dim">
                —
              </span>
            ) : (
              <Label key="c" of={of} label={one.consensus} />
            ),
            <Label key="d" of={of} label={one.result_label} />,
            differenceText(one),
            one.events,
            <Time key="t" at={one.ingest_timestamp} />,
          ],
        }))}
      />
    </div>
  )
}

/** Similar events, and what was decided and voted there. */
import { useSignal } from '@preact/signals'
import type { EventExplanation, SimilarAnswer } from '../../client/index.js'
import { addresses } from '../addresses.js'
import { valueText } from '../state/events.js'
import type { ShownJob } from '../state/jobs.js'
import { count, percent, t } from '../texts.js'
import { Icon } from './icon.js'
import { Label } from './label.js'
import { Time } from './time.js'

const NEAREST = 3
const VALUE_SHOWN = 120

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

type SimilarEvent = SimilarAnswer['similar'][number]

/** Differences that are shown before somebody asks for all. */
const DIFFERENCES = 4

function Differences({ of: { differences } }: { readonly of: SimilarEvent }) {
  const isOpen = useSignal(false)
  const shown = isOpen.value ? differences : differences.slice(0, DIFFERENCES)
  return (
    <p class="differences">
      {shown.map(({ field, value, other }) => (
        <span key={field} title={t('similar.instead', { value: valueText(value) })}>
          <span class="dim">{field}</span> <span class="bidi">{valueText(other).slice(0, VALUE_SHOWN)}</span>
        </span>
      ))}
      {differences.length > DIFFERENCES ? (
        <button type="button" class="link" onClick={() => (isOpen.value = !isOpen.value)}>
          {isOpen.value ? t('less') : count('more', differences.length - DIFFERENCES)}
        </button>
      ) : null}
    </p>
  )
}

function One({ of, one }: { readonly of: ShownJob; readonly one: SimilarEvent }) {
  const alike = t('similar.likeness', { n: percent(one.likeness * 100) })
  return (
    <li>
      <p class="row">
        {one.event_id === null ? alike : <a href={addresses.event(of.job_id, one.event_id)}>{alike}</a>}
        {one.consensus === null ? (
          <Label of={of} label={one.result_label} />
        ) : (
          <span class="label" title={t('events.consensus', { label: one.consensus })}>
            <Label of={of} label={one.consensus} />
            <Icon name="check" class="good" />
            <span class="dim">{t('similar.voted')}</span>
          </span>
        )}
        <span class="grow" />
        <span class="dim">
          {count('similar.events', one.events)} · <Time at={one['@timestamp']} /> · {t('similar.arrived')}{' '}
          <Time at={one.ingest_timestamp} />
        </span>
      </p>
      <Differences of={one} />
    </li>
  )
}

export function Similar({ of, similar }: { readonly of: ShownJob; readonly similar: SimilarAnswer }) {
  return (
    <div>
      <p class="dim">
        {count('similar.equal', similar.equal_events)} {count('similar.compared', similar.compared)}
        {similar.complete ? '' : ` ${t('similar.incomplete')}`} {t('similar.differ')}
      </p>
      <ul class="similar">
        {similar.similar.map((one) => (
          <One key={one.bucket_id ?? one.event_id ?? ''} of={of} one={one} />
        ))}
      </ul>
    </div>
  )
}

/** A label of a job: its own colour, and a shape beside it for those who do not see colours. */
import { styleOf, type ShownJob } from '../state/jobs.js'
import { t } from '../texts.js'
import { Confidence } from './evidence.js'

/** The shape of the first, second or third label of a job, in its colour. Lists have one a row, so it is no picture. */
export function Shape({ at, color }: { readonly at: number; readonly color: string }) {
  return <span class={`mark shape-${Math.min(at, 2)}`} style={{ '--label': color }} aria-hidden="true" />
}

export function LabelMark({ of, label }: { readonly of: ShownJob | null; readonly label: string }) {
  const style = styleOf(of, label)
  if (style === null) return <span class="mark mark-none" aria-hidden="true" />
  return <Shape at={style.at} color={style.color} />
}

/** The mark and the name. */
export function Label({ of, label }: { readonly of: ShownJob | null; readonly label: string | null | undefined }) {
  if (label == null || label === '') return <span class="label dim">{t('decision.none')}</span>
  return (
    <span class="label">
      <LabelMark of={of} label={label} />
      {label}
    </span>
  )
}

interface Decided {
  readonly status?: string
  readonly result_label: string
  readonly confidence_score: number
}

/** The decision of an event with its confidence. */
export function Decision({ of, event }: { readonly of: ShownJob | null; readonly event: Decided }) {
  if (event.status === 'pending_inference') return <span class="label dim">{t('decision.pending')}</span>
  if (event.status === 'ERROR') return <span class="label bad">{t('decision.error')}</span>
  if (event.result_label === '') return <span class="label dim">{t('decision.none')}</span>
  return (
    <span class="label">
      <LabelMark of={of} label={event.result_label} />
      {event.result_label}
      <span class="confidence">
        <Confidence of={of} value={event.confidence_score} />
      </span>
    </span>
  )
}

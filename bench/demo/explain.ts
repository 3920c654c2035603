/** Why a decision is what it is, as the service explains it. */
import type { Played, PlayedTo } from './play.js'

/** The model's answer without some fields. */
export interface Reason {
  readonly fields: readonly { readonly field: string; readonly value: unknown }[]
  /** Empty where the event would get no decision. */
  readonly result_label: string
  readonly confidence_score: number
}

/** What the demo shows of an explanation. */
export interface Reasons {
  /** The fields that the decision depends on most, first; then the pair of fields that matters most together. */
  readonly without: readonly Reason[]
  readonly nearest: { readonly event_id: string; readonly result_label: string; readonly likeness: number } | null
  /** What is told of the model gives this very decision. */
  readonly isExact: boolean
}

interface Explanation {
  readonly decision: { readonly exact: boolean | null }
  readonly model: {
    readonly fields: readonly Reason[]
    readonly pair: Reason | null
    readonly nearest: readonly NonNullable<Reasons['nearest']>[]
  } | null
}

/** The reasons of a decision, with so many single fields. */
export async function explain({ client, jobId }: PlayedTo, { eventId }: Played, count: number): Promise<Reasons> {
  const path = `/api/v2/events/${jobId}/${encodeURIComponent(eventId)}/explanation`
  const { decision, model } = (await client.ask('GET', path)) as Explanation
  return {
    without: [...(model?.fields.slice(0, count) ?? []), ...(model?.pair == null ? [] : [model.pair])],
    nearest: model?.nearest[0] ?? null,
    isExact: decision.exact === true,
  }
}

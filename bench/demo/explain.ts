/**
 * Why a decision is what it is, found from outside: the event is posted again without one decision point at a time, and
 * the changes are shown. It needs nothing but the API.
 */
import type { EventAnswer } from '../harness/client.js'
import { play, type Played, type PlayedTo } from './play.js'
import { valueAt, type DemoEvent } from './stream.js'

export interface Reason {
  readonly point: string
  readonly value: string
  /** The decision on the event without this point. */
  readonly without: EventAnswer
}

/** The event without the value at the path; null if there is none. */
function withoutPoint(event: DemoEvent, path: string): DemoEvent | null {
  const body = JSON.parse(event.json) as unknown
  const parts = path.split('.')
  const last = parts.pop() as string
  const parent = parts.length === 0 ? body : valueAt(body, parts.join('.'))
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) return null
  delete (parent as Record<string, unknown>)[last]
  return { json: JSON.stringify(body), truth: event.truth }
}

/** How much the decision depends on the point: the confidence that is lost without it. */
function weight(decision: EventAnswer, reason: Reason): number {
  const { without } = reason
  const same = without.result === decision.result
  return decision.confidence_score - (same ? without.confidence_score : -without.confidence_score)
}

/** The points that the decision depends on most, first. */
export async function explain(
  to: PlayedTo,
  decision: Played,
  points: readonly string[],
  count: number,
): Promise<Reason[]> {
  const variants = points.flatMap((point) => {
    const event = withoutPoint(decision.event, point)
    return event === null ? [] : [{ point, event }]
  })
  const events = variants.map(({ event }) => event)
  const answers = await play(to, `why-${decision.eventId}`, events, () => {})
  const body = JSON.parse(decision.event.json) as unknown
  return variants
    .map(({ point }, i): Reason => {
      return { point, value: JSON.stringify(valueAt(body, point)), without: (answers[i] as Played).answer }
    })
    .sort((a, b) => weight(decision.answer, b) - weight(decision.answer, a))
    .slice(0, count)
}

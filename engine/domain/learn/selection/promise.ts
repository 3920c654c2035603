/**
 * What a vote is expected to settle: events of its bucket that come in the next seven days. And how much of earlier
 * promises came true.
 *
 *   promise = events · 7 days / max(7 days, age) · alive
 *   kept    = Σ min(settled, promised) / Σ promised
 *
 * A bucket is never promised more events than it has had. `alive` falls where the bucket is silent for longer than its
 * usual gaps: active / (active + silence beyond three gaps), with `active` of seven days at least.
 */
import { selectionBounds } from './bounds.js'

const DAY_MICROS = 86_400_000_000
export const promiseMicros = selectionBounds.promiseDays * DAY_MICROS
const gapsUsual = 3

export interface BucketPast {
  readonly events: number
  readonly firstMicros: number
  readonly lastMicros: number
}

/** The number of events that are expected in seven days from now. */
export function promisedEvents({ events, firstMicros, lastMicros }: BucketPast, nowMicros: number): number {
  const age = Math.max(promiseMicros, nowMicros - firstMicros)
  const gap = events > 1 ? (lastMicros - firstMicros) / (events - 1) : promiseMicros
  const silence = Math.max(0, nowMicros - lastMicros - gapsUsual * gap)
  const active = Math.max(promiseMicros, lastMicros - firstMicros)
  return Math.round(((events * promiseMicros) / age) * (active / (active + silence)))
}

/** A promise whose seven days are over. */
export interface RipePromise {
  readonly promised: number
  /** Events of the bucket since, with the label that was voted for. */
  readonly settled: number
  /** How long ago it was made. */
  readonly ageMicros: number
}

/** The share of the promised events that came and were settled; null without a promise. */
export function keptShare(promises: readonly RipePromise[]): number | null {
  let [promised, kept] = [0, 0]
  for (const one of promises) {
    promised += one.promised
    kept += Math.min(one.promised, (one.settled * promiseMicros) / Math.max(promiseMicros, one.ageMicros))
  }
  return promised > 0 ? kept / promised : null
}

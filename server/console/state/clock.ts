/**
 * The service's time, which is what times are compared with: the clock of a browser may be wrong.
 *
 * 1. It is never ahead of the service: an answer says a second that may be nearly two seconds old, and takes some time
 *    to come.
 */
import { computed, signal } from '@preact/signals'

/** Clocks that differ by more are said to. */
const DIFFER_MS = 60_000
/** An estimate that is so far behind an older one means that somebody has set the clock of the browser. */
const SET_MS = 5_000

/** Milliseconds to add to the browser's time; null: nothing has been heard yet. */
const offset = signal<number | null>(null)

/** How far the service is ahead of the browser, after an answer with this `Date` header. */
export function offsetAfter(known: number | null, date: string | null, { sentMs, nowMs }: Heard): number | null {
  const at = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(at)) return known
  const seen = at - nowMs
  // A slow answer says less: its time may be that of its beginning.
  const isSet = known !== null && seen < known - SET_MS - (nowMs - sentMs)
  return known === null || seen > known || isSet ? seen : known
}

/** When a request was sent and answered, by the browser's clock. */
export interface Heard {
  readonly sentMs: number
  readonly nowMs: number
}

export function noteServiceTime(date: string | null, sentMs: number): void {
  offset.value = offsetAfter(offset.peek(), date, { sentMs, nowMs: Date.now() })
}

/** Milliseconds since 1970, by the service's clock. */
export function serviceNow(): number {
  return Date.now() + (offset.peek() ?? 0)
}

/** Minutes by which the browser's clock is ahead of the service's, or behind where below 0; 0: they agree. */
export const minutesAhead = computed(() => {
  const ms = -(offset.value ?? 0)
  return Math.abs(ms) < DIFFER_MS ? 0 : Math.round(ms / 60_000)
})

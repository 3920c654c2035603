/**
 * The clock that counts the ages of events: the system clock, without steps forward that are not trusted yet.
 *
 * A system clock that is set years ahead would have every event purged within a minute. So a step forward of more than
 * a day is not trusted until the clock has run on for a day. Until then ages are counted as if there had been no step.
 * The time between two runs of the service is treated likewise, so purging then begins a day late.
 *
 * Owns: how much of the clock is not trusted. Leaves out: purging, and storing the state (retention.ts).
 *
 * 1. Setting the clock back reduces the untrusted time by as much.
 * 2. A step while the service runs starts the day again. A step across a stop does not: otherwise a service that runs
 *    an hour every week would never purge.
 */
import { DAY_MICROS } from '../../clock.js'

export interface RetentionClockState {
  /** The last reading of the clock. */
  readonly seenMicros: number
  /** How much of it is not trusted; usually 0. */
  readonly doubtedMicros: number
  /** Since when, by the clock; null where all of it is trusted. */
  readonly since: number | null
}

export class RetentionClock {
  #state: RetentionClockState
  #isFirst = true

  constructor(state: RetentionClockState) {
    this.#state = state
  }

  get state(): RetentionClockState {
    return this.#state
  }

  /** When all of the clock will be trusted if it runs on without another step; null where it is trusted now. */
  get trustedAt(): number | null {
    return this.#state.since === null ? null : this.#state.since + DAY_MICROS
  }

  /** The time from which ages are counted when the clock says `now`. */
  at(now: number): number {
    let { doubtedMicros, since } = this.#state
    const step = now - this.#state.seenMicros
    if (step > DAY_MICROS) {
      doubtedMicros += step
      since = this.#isFirst ? (since ?? now) : now
    } else if (step < 0) {
      doubtedMicros = Math.max(0, doubtedMicros + step)
      since = since === null ? null : Math.min(since, now)
    }
    if (since !== null && (doubtedMicros === 0 || now - since >= DAY_MICROS)) [doubtedMicros, since] = [0, null]
    this.#isFirst = false
    this.#state = { seenMicros: now, doubtedMicros, since }
    return now - doubtedMicros
  }
}

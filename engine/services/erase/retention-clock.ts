/**
 * From which time the age of events is counted, where events are deleted for it: the clock's, as far as it can be believed.
 *
 * A clock that is set years ahead would have everything deleted within a minute. So a step forward of more than a day is believed when
 * the clock has gone on from there for a day; until then events are as old as if the step had not been. The same where nobody looked for
 * more than a day, since the service did not run: what is to be deleted is deleted a day later.
 *
 * Owns: how much of the clock is not believed. Leaves out: deleting (retention.ts), where the state is kept (there, too).
 *
 * 1. A clock that is set back ends the doubt as far as it goes back.
 * 2. A step that is seen while the service runs begins the day anew; one across a stop does not, so that a service which runs an hour every
 *    week deletes, too.
 */
import { DAY_MICROS } from '../../clock.js'

export interface RetentionClockState {
  /** What the clock said last. */
  readonly seenMicros: number
  /** How much of that is not believed; 0 in the usual case. */
  readonly doubtedMicros: number
  /** Since when by the clock, or null: there is no doubt. */
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

  /** When all of the clock is believed if it goes on so, or null: it is already. */
  get believedAt(): number | null {
    return this.#state.since === null ? null : this.#state.since + DAY_MICROS
  }

  /** What ages are counted from, when the clock says `now`. */
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

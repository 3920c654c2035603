/**
 * When to try again: growing pauses with a random part, and the circuit breaker of one counterpart.
 *
 * Owns: the arithmetic. Leaves out: timers (delivery.ts).
 *
 * Pauses follow "equal jitter" (M. Brooker, Exponential Backoff And Jitter, 2015): half of the ceiling is fixed, the
 * other half is random, so that steps that failed together do not retry together.
 */

/** The pause in milliseconds; `random` is at least 0 and below 1. */
export function waitMs(failures: number, baseMs: number, capMs: number, random: number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(30, Math.max(0, failures - 1)))
  return Math.round(ceiling * (0.5 + random / 2))
}

export interface Pace {
  /** The first pause after a failure, and the longest, milliseconds. */
  readonly baseMs: number
  readonly capMs: number
  /** The same for one event that fails while others succeed. */
  readonly eventBaseMs: number
  readonly eventCapMs: number
  /** Interval between two checks which shards have committed, milliseconds. */
  readonly lookMs: number
  /** The longest sleep of an idle step, milliseconds. */
  readonly idleMs: number
  /** How long a counterpart must answer that nothing will get through before a step stops, if it is not sure. */
  readonly haltAfterMs: number
  /** Pauses of a stopped step before each of its last tries, milliseconds. */
  readonly haltPausesMs: readonly number[]
}

export const standardPace: Pace = {
  baseMs: 500,
  capMs: 30_000,
  eventBaseMs: 5_000,
  eventCapMs: 3_600_000,
  lookMs: 100,
  idleMs: 10_000,
  haltAfterMs: 60_000,
  haltPausesMs: [15, 60, 4 * 60, 12 * 60, 24 * 60].map((minutes) => minutes * 60_000),
}

/** Failures in a row that open the circuit breaker. */
const OPEN_AFTER = 5
/** The longest pause that a counterpart may ask for. */
const RETRY_AFTER_MS_MAX = 600_000

export type CircuitState = 'closed' | 'open' | 'half_open'

/**
 * The circuit breaker of one counterpart, shared by all its steps. A closed breaker lets every request pass. After some
 * failures in a row it is open: no request passes until its pause is over. Then it is half open: one request at a time
 * tests the counterpart.
 */
export class Circuit {
  readonly #pace: Pace
  readonly #random: () => number
  #failures = 0
  /** Start and end of the pause. */
  #since = 0
  #until = 0
  #probing = false
  #reason = ''

  constructor(pace: Pace, random: () => number) {
    this.#pace = pace
    this.#random = random
  }

  get failures(): number {
    return this.#failures
  }

  /** Why the last request failed; '' after a success. */
  get reason(): string {
    return this.#reason
  }

  state(nowMs: number): CircuitState {
    if (!this.isTripped()) return 'closed'
    return this.#isWaiting(nowMs) ? 'open' : 'half_open'
  }

  /** The status that people see: no failure, some failures, or enough to open the breaker. */
  get status(): 'running' | 'retrying' | 'open' {
    return this.#failures === 0 ? 'running' : this.isTripped() ? 'open' : 'retrying'
  }

  /** Milliseconds to wait before a request; 0 to send it now, and then to report `succeeded`, `failed` or `release`. */
  enter(nowMs: number): number {
    if (this.#isWaiting(nowMs)) return this.#until - nowMs
    if (this.state(nowMs) === 'closed') return 0
    if (this.#probing) return this.#pace.baseMs
    this.#probing = true
    return 0
  }

  /** A pause also ends when the clock is set back. */
  #isWaiting(nowMs: number): boolean {
    return nowMs >= this.#since && nowMs < this.#until
  }

  /** True while the breaker is open or half open: requests carry one event only. */
  isTripped(): boolean {
    return this.#failures >= OPEN_AFTER
  }

  /** The request ended without a result about the counterpart: another step may test it. */
  release(): void {
    this.#probing = false
  }

  succeeded(): void {
    this.#probing = false
    this.#failures = 0
    this.#until = 0
    this.#reason = ''
  }

  /** A person wants to know at once whether it works again. */
  endPause(): void {
    this.#until = 0
  }

  /** The counterpart works, but asked for a pause. */
  pause(nowMs: number, ms: number): void {
    this.#since = nowMs
    this.#until = nowMs + Math.max(this.#pace.baseMs, Math.min(ms, RETRY_AFTER_MS_MAX))
  }

  failed(nowMs: number, reason: string, retryAfterMs = 0): void {
    this.#probing = false
    this.#failures++
    this.#reason = reason
    const wait = waitMs(this.#failures, this.#pace.baseMs, this.#pace.capMs, this.#random())
    this.#since = nowMs
    this.#until = nowMs + Math.max(wait, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX))
  }
}

/**
 * When to try again: waits that grow, with chance in them, and the circuit breaker of one counterpart.
 *
 * Owns: the arithmetic. Leaves out: timers (delivery.ts).
 *
 * Waits follow "full jitter" with a floor of half (M. Brooker, Exponential Backoff And Jitter, 2015): half of the ceiling
 * is sure, the other half is chance, so that many that failed together do not come back together.
 */

/** Milliseconds; `random` is at least 0 and below 1. */
export function waitMs(failures: number, baseMs: number, capMs: number, random: number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(30, Math.max(0, failures - 1)))
  return Math.round(ceiling * (0.5 + random / 2))
}

export interface Pace {
  /** The first wait after a failure, and the longest. */
  readonly baseMs: number
  readonly capMs: number
  /** The same for one event that fails while others get through. */
  readonly eventBaseMs: number
  readonly eventCapMs: number
  /** Between two looks at which shards have committed something. */
  readonly lookMs: number
  /** The longest that a step rests without a look, whatever it is told. */
  readonly idleMs: number
}

export const standardPace: Pace = {
  baseMs: 500,
  capMs: 30_000,
  eventBaseMs: 5_000,
  eventCapMs: 3_600_000,
  lookMs: 100,
  idleMs: 10_000,
}

/** Failures in a row after which a counterpart is asked with one event at a time. */
const OPEN_AFTER = 5
/** The longest that a counterpart may ask to be left alone. */
const RETRY_AFTER_MS_MAX = 600_000

export type CircuitState = 'closed' | 'open' | 'half_open'

/**
 * The breaker of one counterpart, shared by all that ask it: closed it lets everything pass; after some failures in a
 * row it is open and lets nothing pass until its wait is over; then, half open, one request at a time finds out.
 */
export class Circuit {
  readonly #pace: Pace
  readonly #random: () => number
  #failures = 0
  /** When the wait began, and when it ends. */
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

  /** Why it last failed; '' after a success. */
  get reason(): string {
    return this.#reason
  }

  state(nowMs: number): CircuitState {
    if (this.#failures < OPEN_AFTER) return 'closed'
    return this.#isWaiting(nowMs) ? 'open' : 'half_open'
  }

  /** How long to wait before the next try: 0 to go now. Whoever goes tells how it went. */
  enter(nowMs: number): number {
    if (this.#isWaiting(nowMs)) return this.#until - nowMs
    if (this.state(nowMs) === 'closed') return 0
    if (this.#probing) return this.#pace.baseMs
    this.#probing = true
    return 0
  }

  /** A clock that was set back ends a wait. */
  #isWaiting(nowMs: number): boolean {
    return nowMs >= this.#since && nowMs < this.#until
  }

  /** Requests that may be made at once. */
  isTrying(): boolean {
    return this.#failures >= OPEN_AFTER
  }

  /** Whoever entered has learned nothing about the counterpart: somebody else may find out. The breaker outlives steps. */
  left(): void {
    this.#probing = false
  }

  succeeded(): void {
    this.#probing = false
    this.#failures = 0
    this.#until = 0
    this.#reason = ''
  }

  /** It works, and wants to be left alone for a moment. */
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

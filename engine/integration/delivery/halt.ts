/**
 * Whether a step has stopped, because its counterpart says that nothing will get through until somebody changes
 * something: a revoked key, an archived channel, a deleted index.
 *
 * Owns: when a step stops, and when it tries again. Leaves out: pauses after failures that pass (pace.ts), who is told
 * (services/integrations/).
 *
 * 1. A counterpart that is sure stops the step with its first answer. One that may just be starting stops it when it
 *    has answered so for `haltAfterMs`. People are told of both at once.
 * 2. A stopped step tries again a few times, later and later, with one event each. So it goes on by itself if the
 *    mistake was theirs and is mended, and nobody is asked for ever.
 * 3. It goes on when its settings change, with the next start, or if a person asks for it.
 */
import type { Lasting } from '../contract.js'
import type { Pace } from './pace.js'

/** Why and since when nothing gets through. */
export interface Halted {
  readonly reason: string
  readonly sinceMs: number
  /** False while it may still be about to pass. */
  readonly isStopped: boolean
  /** When a stopped step tries again; null if it does not, or has not stopped. */
  readonly nextMs: number | null
}

export class Halt {
  readonly #pace: Pick<Pace, 'haltAfterMs' | 'haltPausesMs'>
  readonly #changed: () => void
  #tries = 0
  #pauseMs = 0
  #halted: Halted | null = null

  /** `changed` is called with the first such failure, when the step stops, and when something gets through. */
  constructor(pace: Pick<Pace, 'haltAfterMs' | 'haltPausesMs'>, changed: () => void = () => {}) {
    this.#pace = pace
    this.#changed = changed
  }

  /** What people are told; null while nothing says that it will not work. */
  get halted(): Halted | null {
    return this.#halted
  }

  get isStopped(): boolean {
    return this.#halted?.isStopped === true
  }

  /** Milliseconds until the next try; 0 for now, Infinity for none. A clock that was set back makes none longer. */
  waitMs(nowMs: number): number {
    if (this.#halted?.isStopped !== true) return 0
    const { nextMs } = this.#halted
    return nextMs === null ? Infinity : Math.min(this.#pauseMs, Math.max(0, nextMs - nowMs))
  }

  /** A request failed as any other would. Returns whether the step is stopped now. */
  failed(lasting: Lasting, reason: string, nowMs: number): boolean {
    // One of several requests that were under way.
    if (this.isStopped && this.waitMs(nowMs) > 0) return true
    const { haltAfterMs, haltPausesMs } = this.#pace
    const sinceMs = Math.min(this.#halted?.sinceMs ?? nowMs, nowMs)
    const isStopped = this.isStopped || lasting === 'for_good' || nowMs - sinceMs >= haltAfterMs
    const pauseMs = isStopped ? haltPausesMs[this.#tries++] : undefined
    this.#pauseMs = pauseMs ?? 0
    this.#halted = { reason, sinceMs, isStopped, nextMs: pauseMs === undefined ? null : nowMs + pauseMs }
    this.#changed()
    return isStopped
  }

  /** Something got through, or failed in another way, or a person says that it may. */
  goOn(): void {
    if (this.#halted === null) return
    this.#tries = 0
    this.#halted = null
    this.#changed()
  }
}

/**
 * Whether the leader of a stream answers now: it is asked again and again.
 *
 * Owns: when it counts as silent, and giving up what waits for it then. Leaves out: the question (jetstream-log.ts),
 * how often it is asked (catalog-writer-thread.ts).
 *
 * 1. Questions without an answer are counted, and not the time: a thread that was stopped finds the answers first.
 */
import { LogUnavailable } from '../turn-log.js'

/** Questions, one behind the other, that have no answer when the leader counts as silent. */
const SILENT = 4

export class LeaderPulse {
  readonly #ask: () => Promise<unknown>
  /** Since the last answer. */
  #unanswered = 0
  readonly #waiting = new Set<() => void>()

  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask
  }

  get isSilent(): boolean {
    return this.#unanswered > SILENT
  }

  /** Asks once more. */
  beat(): void {
    this.#unanswered++
    if (this.isSilent) for (const giveUp of this.#waiting) giveUp()
    this.#ask().then(
      () => (this.#unanswered = 0),
      // Nobody leads it, or a leader that may be cut off.
      () => {},
    )
  }

  /** As `work`. Rejects with LogUnavailable when the leader is silent: what becomes of the work is not known then. */
  async whileHeard<T>(work: Promise<T>): Promise<T> {
    let giveUp = (): void => {}
    const silent = new Promise<never>((_, reject) => {
      giveUp = () => reject(new LogUnavailable('the NATS servers do not answer'))
    })
    this.#waiting.add(giveUp)
    if (this.isSilent) giveUp()
    try {
      return await Promise.race([work, silent])
    } finally {
      this.#waiting.delete(giveUp)
    }
  }
}

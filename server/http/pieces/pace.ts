/** The pace of an answer that is sent in pieces. */
import { monitorBounds } from '../../../engine/index.js'

/** Milliseconds to wait for a slow client before the next piece. Each wait doubles, up to the maximum. */
const WAIT_FIRST_MS = 2
const WAIT_MOST_MS = 1_000

/**
 * Paces the pieces. uWebSockets.js does not report when its buffer is empty, so the next piece is tried after ever
 * longer waits.
 */
export class Pace {
  #wait = WAIT_FIRST_MS
  #since: number | null = null

  flows(): void {
    this.#wait = WAIT_FIRST_MS
    this.#since = null
  }

  /** @throws Error if the client has read nothing for too long. */
  async blocked(): Promise<void> {
    this.#since ??= performance.now()
    if (performance.now() - this.#since > monitorBounds.exportStallMs) throw new Error('the client stopped reading')
    await new Promise((resolve) => setTimeout(resolve, this.#wait))
    this.#wait = Math.min(2 * this.#wait, WAIT_MOST_MS)
  }
}

/**
 * A streamed answer in step with its reader: what its client has not read is not made.
 *
 * Owns: the size of pieces, the waits for a slow client. Leaves out: what is sent, the room that it takes meanwhile
 * (held-bytes.ts).
 *
 * 1. Nothing but a piece and a few hundred bytes more is in the connection's buffer. uWebSockets.js does not report
 *    when it is empty, so the next bytes are tried after ever longer waits; few bytes, because they are kept in any
 *    case.
 */
import { limits, monitorBounds } from '../../../engine/index.js'
import type { Exchange } from '../exchange.js'

/** Milliseconds to wait for a slow client before the next try. Each wait doubles, up to the maximum. */
const WAIT_FIRST_MS = 2
const WAIT_MOST_MS = 1_000
/** A piece, and what is sent to find out whether a slow client has read it. */
const PIECE_BYTES = limits.largeAnswerBytesMin / 4
const PROBE_BYTES = 256

export class PacedAnswer {
  readonly #exchange: Pick<Exchange, 'write'>
  readonly #isGone: () => boolean
  #isBlocked = false

  constructor(exchange: Pick<Exchange, 'write'>, isGone: () => boolean) {
    this.#exchange = exchange
    this.#isGone = isGone
  }

  /**
   * Resolves when the client has read nearly all of it, or is gone. @throws Error if it has read nothing for too long.
   */
  async write(content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
    let [wait, since] = [WAIT_FIRST_MS, performance.now()]
    for (let at = 0; at < bytes.length && !this.#isGone(); ) {
      const end = at + (this.#isBlocked ? PROBE_BYTES : PIECE_BYTES)
      this.#isBlocked = !this.#exchange.write(bytes.subarray(at, end))
      at = end
      if (this.#isBlocked) {
        if (performance.now() - since > monitorBounds.exportStallMs) throw new Error('the client stopped reading')
        await new Promise((resolve) => setTimeout(resolve, wait))
        wait = Math.min(2 * wait, WAIT_MOST_MS)
      } else [wait, since] = [WAIT_FIRST_MS, performance.now()]
    }
  }
}

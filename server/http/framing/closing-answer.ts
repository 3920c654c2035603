/**
 * The end of an answer that closes its connection: when it may be sent.
 *
 * It waits for the end of the body, so that the client has sent everything and reads the answer. Then it waits for the
 * end of the read: within the parser, uWebSockets.js would go on to the next request and forget to close. While it
 * waits, a further request on the connection makes uWebSockets.js cut the connection.
 */
import { afterRead, type AfterRead } from './after-read.js'

/** How long the body may take. */
const BODY_MS_MAX = 1_000

export class ClosingAnswer implements AfterRead {
  #send: (() => void) | null = null
  #bodyEnded = false
  #timer: NodeJS.Timeout | null = null

  /** True from `whenEnded` to the call of its argument. */
  get waits(): boolean {
    return this.#send !== null
  }

  bodyEnded(): void {
    this.#bodyEnded = true
    if (this.#send !== null) afterRead(this)
  }

  /** Calls `send` when the body and the read have ended. */
  whenEnded(send: () => void): void {
    this.#send = send
    if (this.#bodyEnded) afterRead(this)
    else this.#timer = setTimeout(() => this.bodyEnded(), BODY_MS_MAX)
  }

  afterRead(): void {
    const send = this.#send
    this.clear()
    send?.()
  }

  /** Sends nothing any more. */
  clear(): void {
    this.#send = null
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}

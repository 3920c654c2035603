/**
 * The end of an answer that closes its connection: when it may be sent.
 *
 * It waits for the end of the body, so that the client has sent everything and reads the answer. Then it waits for the
 * end of the read: within the parser, uWebSockets.js would go on to the next request and forget to close. While it
 * waits, a further request on the connection makes uWebSockets.js cut the connection.
 *
 * It also notices that a body does not end: uWebSockets.js takes a chunk extension for a part of the length, and then
 * waits for bytes that never come.
 */
import { afterRead, type AfterRead } from './after-read.js'

/** How long the body may take. */
const BODY_MS_MAX = 1_000
/** Nothing more comes of a body. uWebSockets.js cuts a silent connection after eight seconds at the earliest. */
const SILENCE_MS = 6_000

export class ClosingAnswer implements AfterRead {
  #send: (() => void) | null = null
  #bodyEnded = false
  #timer: NodeJS.Timeout | null = null
  #silence: NodeJS.Timeout | null = null

  /** True from `whenEnded` to the call of its argument. */
  get waits(): boolean {
    return this.#send !== null
  }

  /** A part of the body came, or is awaited. Calls `silent` if no more comes for some seconds. */
  heard(silent: () => void): void {
    this.#listenNoMore()
    if (!this.#bodyEnded) this.#silence = setTimeout(silent, SILENCE_MS)
  }

  #listenNoMore(): void {
    if (this.#silence !== null) clearTimeout(this.#silence)
    this.#silence = null
  }

  bodyEnded(): void {
    this.#bodyEnded = true
    this.#listenNoMore()
    if (this.#send !== null) afterRead(this)
  }

  /** Calls `send` when the body and the read have ended. */
  whenEnded(send: () => void): void {
    this.#send = send
    this.#listenNoMore()
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
    this.#listenNoMore()
  }
}

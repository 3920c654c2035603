/** A WebSocket of an HTTP thread, as the main thread sees it. The thread keeps what its client does not read. */
import type { HttpSocket, SocketData } from '../http/library.js'
import { copyOf, type ToThread } from './messages.js'

type WithoutId<T> = T extends { readonly id: number } ? Omit<T, 'id'> : never

/** Sends a message about one request to its thread. */
export type Tell = (message: WithoutId<ToThread>, moved?: ArrayBuffer[]) => void

/** Bytes on their way to the client, above which the writer waits. */
const UNSENT_MAX = 256 * 1024
const [SENT_SLOWLY, SENT] = [0, 1]

export class ServedSocket implements HttpSocket {
  readonly #data: SocketData
  readonly #tell: Tell
  #unsent = 0
  /** The writer waits for `drained`. */
  #waits = false
  #isOver = false

  constructor(data: SocketData, tell: Tell) {
    this.#data = data
    this.#tell = tell
  }

  opened(): void {
    this.#data.user.opened(this)
  }

  closed(): void {
    this.#isOver = true
    this.#data.user.closed()
  }

  /** The thread has sent so many bytes; `flows`: the client reads them. */
  sent(bytes: number, flows: boolean): void {
    this.#unsent -= bytes
    if (!this.#waits || !flows || this.#unsent > 0) return
    this.#waits = false
    this.#data.user.drained()
  }

  getUserData(): SocketData {
    return this.#data
  }

  send(message: string | Uint8Array): number {
    if (this.#isOver) return SENT
    this.#unsent += message.length
    this.#tell({ t: 'send', message: typeof message === 'string' ? message : copyOf(message) })
    this.#waits ||= this.#unsent > UNSENT_MAX
    return this.#waits ? SENT_SLOWLY : SENT
  }

  end(code = 1000, reason = ''): void {
    if (!this.#isOver) this.#tell({ t: 'endSocket', code, reason })
  }

  close(): void {
    if (!this.#isOver) this.#tell({ t: 'closeSocket' })
  }
}

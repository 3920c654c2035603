/**
 * A large answer, sent as the client reads it. Its unread bytes are counted here, and a slow client is disconnected.
 *
 * Owns: the progress, the bound over all large answers, the check that a client keeps reading. Leaves out: when an
 * answer may be sent (exchange.ts).
 *
 * The native response would keep all bytes for as long as the client reads one now and then. A few hundred small
 * requests could fill the memory with their answers.
 */
import { limits } from '../../engine/index.js'
import { heldForReaders, type HeldBytes } from './held-bytes.js'
import type { HttpResponse } from './native.js'
import { writeHead, type Headers } from './send.js'

/** Bytes that stay in memory anyway, however many clients read them. */
const keptAnyway = new WeakSet<Uint8Array>()

/** Marks bytes that stay in memory for the life of the process, so that sending them is not counted. */
export function keptAnswer<T extends Uint8Array>(bytes: T): T {
  keptAnyway.add(bytes)
  return bytes
}

export class LargeAnswer {
  readonly #res: HttpResponse
  readonly #bytes: Uint8Array
  /** Where the bytes are counted; null if they are not. */
  readonly #room: HeldBytes | null
  /** How much the client had read at the latest check. */
  #readBefore = 0
  #checks: NodeJS.Timeout | null = null

  private constructor(res: HttpResponse, bytes: Uint8Array, room: HeldBytes | null) {
    this.#res = res
    this.#bytes = bytes
    this.#room = room
  }

  /** Null if there is no room for it. The bytes must not change. */
  static of(res: HttpResponse, bytes: Uint8Array, room: HeldBytes = heldForReaders): LargeAnswer | null {
    if (keptAnyway.has(bytes)) return new LargeAnswer(res, bytes, null)
    return room.take(bytes.length) ? new LargeAnswer(res, bytes, room) : null
  }

  /**
   * Sends what the socket takes at once, and the rest as the client reads. `whole` is called when everything is sent.
   */
  begin(status: string, type: string, headers: Headers, whole: () => void): void {
    const res = this.#res
    let isWhole = false
    res.cork(() => {
      writeHead(res, status, type, headers)
      isWhole = res.tryEnd(this.#bytes, this.#bytes.length)[1]
    })
    if (isWhole) return whole()
    this.#checks = setInterval(() => this.#check(), limits.bulkStalledMsMax)
    res.onWritable((offset) => {
      let [ok, done] = [true, true]
      res.cork(() => void ([ok, done] = res.tryEnd(this.#bytes.subarray(offset), this.#bytes.length)))
      if (done) whole()
      return ok
    })
  }

  /** Called at the end, complete or not. */
  release(): void {
    if (this.#checks !== null) clearInterval(this.#checks)
    this.#room?.giveBack(this.#bytes.length)
  }

  /** Disconnects a client that hardly reads. */
  #check(): void {
    const read = this.#res.getWriteOffset()
    if (read - this.#readBefore < limits.bulkPieceBytesMax) this.#res.close()
    else this.#readBefore = read
  }
}

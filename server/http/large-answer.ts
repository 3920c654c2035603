/**
 * An answer that does not go out at once: what its client has not read stays here, where it can be counted and given up.
 *
 * Owns: how far it is, the bound over all of them, that a client reads on. Leaves out: when it may be sent (exchange.ts). The
 * native response would keep whatever it is given, for as long as the client reads a byte now and then: a few hundred
 * questions of two hundred bytes would fill the memory with their answers.
 */
import { limits } from '../../engine/index.js'
import { HeldBytes } from './held-bytes.js'
import type { HttpResponse } from './native.js'
import { writeHead, type Headers } from './send.js'

/** Of this process. */
const heldAnswers = new HeldBytes(limits.heldAnswersBytesMax)

/** Bytes that are kept anyway, however many clients read them. */
const keptAnyway = new WeakSet<Uint8Array>()

/** Says that the bytes are kept for as long as the process runs: to send them holds nothing. */
export function keptAnswer<T extends Uint8Array>(bytes: T): T {
  keptAnyway.add(bytes)
  return bytes
}

export class LargeAnswer {
  readonly #res: HttpResponse
  readonly #bytes: Uint8Array
  /** What it is counted in; null where it holds nothing. */
  readonly #room: HeldBytes | null
  /** How far the client was when it was looked at last. */
  #readBefore = 0
  #looks: NodeJS.Timeout | null = null

  private constructor(res: HttpResponse, bytes: Uint8Array, room: HeldBytes | null) {
    this.#res = res
    this.#bytes = bytes
    this.#room = room
  }

  /** Null where there is no room for it. The bytes must stay as they are. */
  static of(res: HttpResponse, bytes: Uint8Array, room: HeldBytes = heldAnswers): LargeAnswer | null {
    if (keptAnyway.has(bytes)) return new LargeAnswer(res, bytes, null)
    return room.take(bytes.length) ? new LargeAnswer(res, bytes, room) : null
  }

  /** Sends what goes out at once, and the rest as the client reads it; `whole` is told when all has gone out. */
  begin(status: string, type: string, headers: Headers, whole: () => void): void {
    const res = this.#res
    let isWhole = false
    res.cork(() => {
      writeHead(res, status, type, headers)
      isWhole = res.tryEnd(this.#bytes, this.#bytes.length)[1]
    })
    if (isWhole) return whole()
    this.#looks = setInterval(() => this.#look(), limits.bulkStalledMsMax)
    res.onWritable((offset) => {
      let [ok, done] = [true, true]
      res.cork(() => void ([ok, done] = res.tryEnd(this.#bytes.subarray(offset), this.#bytes.length)))
      if (done) whole()
      return ok
    })
  }

  /** It is over, whole or not. */
  release(): void {
    if (this.#looks !== null) clearInterval(this.#looks)
    this.#room?.giveBack(this.#bytes.length)
  }

  /** A client that hardly reads is given up. */
  #look(): void {
    const read = this.#res.getWriteOffset()
    if (read - this.#readBefore < limits.bulkPieceBytesMax) this.#res.close()
    else this.#readBefore = read
  }
}

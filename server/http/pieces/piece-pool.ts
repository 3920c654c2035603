/**
 * Reusable memory for pieces of request bodies that wait.
 *
 * A waiting piece is copied out of the socket's memory. A new buffer for each would live until the next full garbage
 * collection, so a fast sender would make the process grow far beyond what really waits.
 *
 * 1. A buffer must not be read after it is given back.
 * 2. At most `keptBytesMax` bytes are idle; the garbage collector gets the rest. When no buffer has been taken for a
 *    while, at most `restBytesMax` stay.
 */

/** The largest buffer, and the largest piece that uWebSockets.js delivers. */
export const PIECE_BYTES_MAX = 512 * 1024
const SMALLEST = 16 * 1024
/** The pool shrinks when no buffer was taken for this long. */
const REST_MS = 5_000

function sizeFor(bytes: number): number {
  let size = SMALLEST
  while (size < bytes) size *= 2
  return size
}

export class PiecePool {
  readonly #keptBytesMax: number
  readonly #restBytesMax: number
  readonly #bySize = new Map<number, Buffer[]>()
  #keptBytes = 0
  #taken = false
  #rest: NodeJS.Timeout | null = null

  constructor(keptBytesMax: number, restBytesMax = keptBytesMax) {
    this.#keptBytesMax = keptBytesMax
    this.#restBytesMax = restBytesMax
  }

  /** A buffer with room for at least so many bytes; what is in it is arbitrary. */
  take(bytes: number): Buffer {
    const size = sizeFor(bytes)
    this.#taken = true
    const idle = this.#bySize.get(size)?.pop()
    if (idle === undefined) return Buffer.allocUnsafeSlow(size)
    this.#keptBytes -= size
    return idle
  }

  /** Takes back a buffer from `take`. */
  giveBack(buffer: Buffer): void {
    const size = buffer.length
    if (size > PIECE_BYTES_MAX || this.#keptBytes + size > this.#keptBytesMax) return
    const idle = this.#bySize.get(size)
    if (idle === undefined) this.#bySize.set(size, [buffer])
    else idle.push(buffer)
    this.#keptBytes += size
    if (this.#keptBytes > this.#restBytesMax) this.#shrinkLater()
  }

  #shrinkLater(): void {
    if (this.#rest !== null) return
    this.#taken = false
    this.#rest = setTimeout(() => {
      this.#rest = null
      if (this.#taken) this.#shrinkLater()
      else this.#shrink()
    }, REST_MS)
    this.#rest.unref()
  }

  /** The largest go first. */
  #shrink(): void {
    for (const size of [...this.#bySize.keys()].sort((a, b) => b - a)) {
      const idle = this.#bySize.get(size)!
      while (this.#keptBytes > this.#restBytesMax && idle.pop() !== undefined) this.#keptBytes -= size
    }
  }
}

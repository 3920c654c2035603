/**
 * Memory for pieces of request bodies that wait, used again and again.
 *
 * A piece that waits is copied out of the socket's memory. A new buffer for each would be gone only with the next
 * collection of all memory, so that a fast sender makes the process grow by many times what really waits.
 *
 * 1. What is given back must not be read any more by whoever had it.
 * 2. At most `keptBytesMax` lie idle; what is over that is left to the garbage collector.
 */

/** The largest piece that uWebSockets.js hands over, and so the largest that comes back. */
const LARGEST = 512 * 1024
const SMALLEST = 16 * 1024

function sizeFor(bytes: number): number {
  let size = SMALLEST
  while (size < bytes) size *= 2
  return size
}

export class PiecePool {
  readonly #keptBytesMax: number
  readonly #bySize = new Map<number, Buffer[]>()
  #keptBytes = 0

  constructor(keptBytesMax: number) {
    this.#keptBytesMax = keptBytesMax
  }

  /** A copy of these bytes, at the beginning of a buffer that may be longer. */
  copy(bytes: Uint8Array): Buffer {
    const size = sizeFor(bytes.length)
    const idle = this.#bySize.get(size)?.pop()
    if (idle !== undefined) this.#keptBytes -= size
    const buffer = idle ?? Buffer.allocUnsafeSlow(size)
    buffer.set(bytes)
    return buffer
  }

  /** Takes back a buffer that `copy` gave. */
  giveBack(buffer: Buffer): void {
    const size = buffer.length
    if (size > LARGEST || this.#keptBytes + size > this.#keptBytesMax) return
    const idle = this.#bySize.get(size)
    if (idle === undefined) this.#bySize.set(size, [buffer])
    else idle.push(buffer)
    this.#keptBytes += size
  }
}

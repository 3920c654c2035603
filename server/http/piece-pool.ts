/**
 * Reusable memory for pieces of request bodies that wait.
 *
 * A waiting piece is copied out of the socket's memory. A new buffer for each would live until the next full garbage
 * collection, so a fast sender would make the process grow far beyond what really waits.
 *
 * 1. A buffer must not be read after it is given back.
 * 2. At most `keptBytesMax` bytes are idle; the garbage collector gets the rest.
 */

/** The largest piece that uWebSockets.js delivers, and so the largest that is given back. */
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

  /** A copy of the bytes, at the beginning of a buffer that may be longer. */
  copy(bytes: Uint8Array): Buffer {
    const size = sizeFor(bytes.length)
    const idle = this.#bySize.get(size)?.pop()
    if (idle !== undefined) this.#keptBytes -= size
    const buffer = idle ?? Buffer.allocUnsafeSlow(size)
    buffer.set(bytes)
    return buffer
  }

  /** Takes back a buffer from `copy`. */
  giveBack(buffer: Buffer): void {
    const size = buffer.length
    if (size > LARGEST || this.#keptBytes + size > this.#keptBytesMax) return
    const idle = this.#bySize.get(size)
    if (idle === undefined) this.#bySize.set(size, [buffer])
    else idle.push(buffer)
    this.#keptBytes += size
  }
}

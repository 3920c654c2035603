/**
 * An allocator for small buffers that live long: it cuts them from blocks of its own.
 *
 * Node.js cuts small buffers from blocks that all of its code shares, and a block lives as long as any piece of it. A
 * few bytes for each bucket would so keep several kilobytes of short-lived buffers.
 *
 * Each block is twice as large as the one before, so that a job with few buckets takes little.
 */
const FIRST_BLOCK_BYTES = 256
const BLOCK_BYTES_MAX = 64 * 1024

export class Slab {
  #block = Buffer.alloc(0)
  #used = 0

  /** A piece of so many bytes, all zero; at most 64 KiB. Its block lives as long as any piece of it. */
  take(bytes: number): Buffer {
    if (this.#used + bytes > this.#block.length) {
      const twice = Math.max(FIRST_BLOCK_BYTES, 2 * this.#block.length, bytes)
      this.#block = Buffer.from(new ArrayBuffer(Math.min(BLOCK_BYTES_MAX, twice)))
      this.#used = 0
    }
    const piece = this.#block.subarray(this.#used, this.#used + bytes)
    this.#used += bytes
    return piece
  }

  /** A copy of these bytes in a piece. */
  copy(bytes: Uint8Array): Buffer {
    const piece = this.take(bytes.length)
    piece.set(bytes)
    return piece
  }
}

/**
 * Small pieces of memory that live long, cut side by side from larger blocks.
 *
 * Node.js cuts small buffers from blocks that all of its code shares. A piece that lives long keeps its whole block,
 * and so the short-lived pieces around it: a few bytes a bucket would hold several kilobytes.
 */
const BLOCK_BYTES = 64 * 1024

export class Slab {
  #block = Buffer.alloc(0)
  #used = 0

  /** A piece of that many bytes, all zero; at most 64 KiB. It lives as long as anything in its block. */
  take(bytes: number): Buffer {
    if (this.#used + bytes > this.#block.length) {
      this.#block = Buffer.from(new ArrayBuffer(BLOCK_BYTES))
      this.#used = 0
    }
    const piece = this.#block.subarray(this.#used, this.#used + bytes)
    this.#used += bytes
    return piece
  }

  /** A copy that lives long. */
  copy(bytes: Uint8Array): Buffer {
    const piece = this.take(bytes.length)
    piece.set(bytes)
    return piece
  }
}

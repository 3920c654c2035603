/**
 * A queue of records in shared memory, from one thread to another: one writes, one reads, and neither waits.
 *
 * | 0 read u32 | 4 written u32 | 8 rung u32 | 12 0 | 16 records |
 * A record: | 0 bytes u32 | 4 content |, rounded up to 8 bytes. All ones in place of the length: the next one is at the
 * beginning.
 *
 * Owns: the places. Leaves out: what the records say (records.ts), how the reader is woken (thread-lane.ts).
 *
 * 1. The reader sees a record when it is whole, and after `ring`: the writer moves `written` last. The memory of a record
 *    is used again after `release`.
 * 2. Read and written are equal where nothing waits, so the ring is never quite full.
 * 3. `ring` says that the reader has to be woken. It says so once, until the reader has called `woken`, which it does
 *    before it looks: what is written after that look rings again.
 */
const [READ, WRITTEN, RUNG, HEAD_BYTES] = [0, 1, 2, 16]
const LENGTH_BYTES = 4
const TO_BEGINNING = 0xffffffff

export function ringMemory(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD_BYTES + bytes)
}

function spaceOf(bytes: number): number {
  return (LENGTH_BYTES + bytes + 7) & ~7
}

export class ByteRing {
  readonly bytes: Buffer
  readonly #words: Int32Array
  readonly #size: number
  /** Of the writer: where the next record begins, where the one after it will, and how far the reader was. */
  #written = 0
  #next = 0
  #readBefore = 0
  /** Of the reader: where the present record begins, its length, and how far the writer was. */
  #read = 0
  length = 0
  #writtenBefore = 0

  /** The size is a multiple of 8. */
  constructor(memory: SharedArrayBuffer) {
    this.#size = memory.byteLength - HEAD_BYTES
    this.#words = new Int32Array(memory, 0, HEAD_BYTES / 4)
    this.bytes = Buffer.from(memory, HEAD_BYTES)
    this.#written = this.#writtenBefore = Atomics.load(this.#words, WRITTEN)
    this.#read = this.#readBefore = Atomics.load(this.#words, READ)
  }

  /** The longest record that always fits into an empty ring. */
  get recordBytesMax(): number {
    return this.#size / 2 - 2 * LENGTH_BYTES
  }

  /** Where in `bytes` a record of so many bytes is to be written; -1 if there is no room now. */
  reserve(bytes: number): number {
    const space = spaceOf(bytes)
    let at = this.#placeFor(space)
    if (at < 0) {
      this.#readBefore = Atomics.load(this.#words, READ)
      at = this.#placeFor(space)
    }
    if (at < 0) return -1
    if (at !== this.#written) this.bytes.writeUInt32LE(TO_BEGINNING, this.#written)
    this.bytes.writeUInt32LE(bytes, at)
    this.#next = (at + space) % this.#size
    return at + LENGTH_BYTES
  }

  /** Where so much space is free; -1 if it is not. */
  #placeFor(space: number): number {
    const read = this.#readBefore
    const written = this.#written
    if (written < read) return read - written > space ? written : -1
    const left = this.#size - written
    if (left > space || (left === space && read > 0)) return written
    return space < read ? 0 : -1
  }

  /** The reserved record is whole. */
  commit(): void {
    this.#written = this.#next
  }

  /** Shows what is whole to the reader. True where the reader has to be woken (3). */
  ring(): boolean {
    Atomics.store(this.#words, WRITTEN, this.#written)
    return Atomics.exchange(this.#words, RUNG, 1) === 0
  }

  woken(): void {
    Atomics.store(this.#words, RUNG, 0)
  }

  /** Where in `bytes` the next record is, of `length` bytes; -1 if there is none. */
  peek(): number {
    if (this.#read === this.#writtenBefore) {
      this.#writtenBefore = Atomics.load(this.#words, WRITTEN)
      if (this.#read === this.#writtenBefore) return -1
    }
    let length = this.bytes.readUInt32LE(this.#read)
    if (length === TO_BEGINNING) {
      this.#read = 0
      length = this.bytes.readUInt32LE(0)
    }
    this.length = length
    return this.#read + LENGTH_BYTES
  }

  /** The record of `peek` is done with. */
  release(): void {
    this.#read = (this.#read + spaceOf(this.length)) % this.#size
    Atomics.store(this.#words, READ, this.#read)
  }
}

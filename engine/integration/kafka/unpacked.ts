/**
 * The output buffer of LZ4 and Snappy: literal bytes, and copies of earlier output.
 *
 * 1. The output has at most `bytesMax` bytes, whatever the batch claims. Memory grows with the output.
 * 2. Every call adds at least one byte or fails, so no batch keeps its reader busy for ever.
 */
import { KafkaFailure } from './kafka-line.js'

const FIRST_BYTES = 64 * 1024
/** Up to this length, copying byte by byte is faster. */
const FEW = 32

export class Unpacked {
  readonly #bytesMax: number
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** The output so far; it shares the memory of this object. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }

  /** Adds `count` bytes of `from`. @throws KafkaFailure if `from` is too short. */
  literal(from: Buffer, at: number, count: number): void {
    if (count < 1 || at + count > from.length)
      throw new KafkaFailure('a batch of records ends too early, or its compression is damaged')
    this.#reserve(count)
    const to = this.length
    this.length += count
    if (count > FEW) from.copy(this.#bytes, to, at, at + count)
    else for (let i = 0; i < count; i++) this.#bytes[to + i] = from[at + i] as number
  }

  /**
   * Repeats `count` bytes from `back` bytes before the end; they may overlap with the new ones. @throws KafkaFailure.
   */
  match(back: number, count: number): void {
    if (count < 1 || back < 1 || back > this.length)
      throw new KafkaFailure('the compression of a batch of records is damaged')
    this.#reserve(count)
    const end = this.length + count
    if (count <= FEW) {
      const bytes = this.#bytes
      for (let to = this.length; to < end; to++) bytes[to] = bytes[to - back] as number
      this.length = end
      return
    }
    while (this.length < end) {
      // Copy everything up to the end, which is a whole number of repetitions.
      const from = this.length - back
      const size = Math.min(end - this.length, back)
      this.#bytes.copyWithin(this.length, from, from + size)
      this.length += size
      back += size
    }
  }

  #reserve(count: number): void {
    const wanted = this.length + count
    if (wanted > this.#bytesMax) throw tooLarge(this.#bytesMax)
    if (wanted <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(wanted, 2 * this.#bytes.length), this.#bytesMax))
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}

export function tooLarge(bytesMax: number): KafkaFailure {
  return new KafkaFailure(`a batch of records has more than ${bytesMax} bytes when decompressed`)
}

/** `format` is the name of the compression. */
export function endsEarly(format: string): KafkaFailure {
  return new KafkaFailure(`a batch of records in ${format} ends too early`)
}

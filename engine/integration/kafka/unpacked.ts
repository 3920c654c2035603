/**
 * The bytes that come out of a packed batch, as LZ4 and Snappy make them: new ones, and ones that are there already.
 *
 * 1. They are at most `bytesMax`, whatever the batch says; memory grows with what came out, not with what was promised.
 * 2. Every call adds at least one byte or fails, so that no batch keeps its reader for ever.
 */
import { KafkaFailure } from './kafka-line.js'

const FIRST_BYTES = 64 * 1024
/** So few bytes are copied faster one by one. */
const FEW = 32

export class Unpacked {
  readonly #bytesMax: number
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** What has come out so far; the memory is this object's. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }

  /** `count` bytes of `from`, which has to have them. @throws KafkaFailure. */
  literal(from: Buffer, at: number, count: number): void {
    if (count < 1 || at + count > from.length)
      throw new KafkaFailure('a batch of records ends too early, or its packing is damaged')
    this.#reserve(count)
    const to = this.length
    this.length += count
    if (count > FEW) from.copy(this.#bytes, to, at, at + count)
    else for (let i = 0; i < count; i++) this.#bytes[to + i] = from[at + i] as number
  }

  /** `count` bytes that stand `back` bytes before the end, and may reach over it: those come out meanwhile. @throws KafkaFailure. */
  match(back: number, count: number): void {
    if (count < 1 || back < 1 || back > this.length)
      throw new KafkaFailure('the packing of a batch of records is damaged')
    this.#reserve(count)
    const end = this.length + count
    if (count <= FEW) {
      const bytes = this.#bytes
      for (let to = this.length; to < end; to++) bytes[to] = bytes[to - back] as number
      this.length = end
      return
    }
    while (this.length < end) {
      // All from there on up to the end, which is a whole number of repetitions.
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
  return new KafkaFailure(`a batch of records of more than ${bytesMax} bytes when it is not compressed`)
}

/** `format` is the name of the packing. */
export function endsEarly(format: string): KafkaFailure {
  return new KafkaFailure(`a batch of records in ${format} ends too early`)
}

/**
 * Frames of LZ4, unpacked (github.com/lz4/lz4: LZ4 Frame Format 1.6, LZ4 Block Format).
 *
 * Our own, since the library for it goes on behind the end of a damaged frame, for half a minute and with memory to match. Checksums
 * are passed over: Kafka has one of its own over the whole batch. Dictionaries are refused, as Kafka has none.
 */
import { KafkaFailure } from './kafka-line.js'
import { endsEarly, Unpacked } from './unpacked.js'

const MAGIC = 0x184d2204
const VERSION = 0b01
const BLOCK_CHECKSUM = 0b10000
const CONTENT_SIZE = 0b1000
const CONTENT_CHECKSUM = 0b100
const DICTIONARY = 0b1
const CHECKSUM_BYTES = 4
const SIZE_BYTES = 8
/** In the size of a block: it is not packed. */
const PLAIN = 0x80000000
/** A length of so much goes on in the bytes behind it, as long as these are 255. */
const LONG = 15
const MATCH_BYTES_MIN = 4
/** Magic, flags, block size, checksum of the head. */
const HEAD_BYTES = 7

/** One frame, or several behind each other. @throws KafkaFailure, over `bytesMax` too. */
export function unpackLz4(bytes: Buffer, bytesMax: number): Buffer {
  const into = new Unpacked(bytesMax)
  let at = 0
  do at = unpackFrame(bytes, at, into)
  while (at < bytes.length)
  return into.bytes()
}

/** Where the frame ends. */
function unpackFrame(bytes: Buffer, start: number, into: Unpacked): number {
  if (start + HEAD_BYTES > bytes.length || bytes.readUInt32LE(start) !== MAGIC)
    throw new KafkaFailure('a batch of records is not LZ4')
  const flags = bytes[start + 4] as number
  if (flags >>> 6 !== VERSION || (flags & DICTIONARY) !== 0)
    throw new KafkaFailure('a batch of records is in an LZ4 that is not known')
  let at = start + HEAD_BYTES + ((flags & CONTENT_SIZE) !== 0 ? SIZE_BYTES : 0)
  for (;;) {
    if (at + 4 > bytes.length) throw endsEarly('LZ4')
    const word = bytes.readUInt32LE(at)
    at += 4
    if (word === 0) break
    const size = word % PLAIN
    if (at + size > bytes.length) throw endsEarly('LZ4')
    if (word >= PLAIN) into.literal(bytes, at, size)
    else unpackBlock(bytes.subarray(at, at + size), into)
    at += size + ((flags & BLOCK_CHECKSUM) !== 0 ? CHECKSUM_BYTES : 0)
  }
  return at + ((flags & CONTENT_CHECKSUM) !== 0 ? CHECKSUM_BYTES : 0)
}

/** Sequences of literals and a match; the last one has no match. */
function unpackBlock(bytes: Buffer, into: Unpacked): void {
  let at = 0
  const longer = (length: number): number => {
    if (length < LONG) return length
    for (;;) {
      const byte = bytes[at++]
      if (byte === undefined) throw endsEarly('LZ4')
      length += byte
      if (byte < 255) return length
    }
  }
  while (at < bytes.length) {
    const token = bytes[at++] as number
    const literals = longer(token >>> 4)
    if (literals > 0) into.literal(bytes, at, literals)
    at += literals
    if (at === bytes.length) return
    if (at + 2 > bytes.length) throw endsEarly('LZ4')
    const back = bytes.readUInt16LE(at)
    at += 2
    into.match(back, longer(token & LONG) + MATCH_BYTES_MIN)
  }
}

/**
 * Decompression of LZ4 frames (github.com/lz4/lz4: LZ4 Frame Format 1.6, LZ4 Block Format).
 *
 * It is our own code, because the library for it reads past the end of a damaged frame, and takes half a minute and a
 * lot of memory. Checksums are not verified: Kafka has its own over the whole batch. Dictionaries are refused, because
 * Kafka has none.
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
/** Flag in the size of a block: it is not compressed. */
const PLAIN = 0x80000000
/** A length of this value continues in the next bytes, as long as they are 255. */
const LONG = 15
const MATCH_BYTES_MIN = 4
/** Magic, flags, block size, checksum of the header. */
const HEAD_BYTES = 7

/** Decompresses one or more frames. @throws KafkaFailure for damaged bytes, or more than `bytesMax` bytes. */
export function unpackLz4(bytes: Buffer, bytesMax: number): Buffer {
  const into = new Unpacked(bytesMax)
  let at = 0
  do at = unpackFrame(bytes, at, into)
  while (at < bytes.length)
  return into.bytes()
}

/** Decompresses one frame. Returns its end. */
function unpackFrame(bytes: Buffer, start: number, into: Unpacked): number {
  if (start + HEAD_BYTES > bytes.length || bytes.readUInt32LE(start) !== MAGIC)
    throw new KafkaFailure('a batch of records is not LZ4')
  const flags = bytes[start + 4] as number
  if (flags >>> 6 !== VERSION || (flags & DICTIONARY) !== 0)
    throw new KafkaFailure('a batch of records uses an unknown version of LZ4')
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

/** A block has sequences of literals and a match; the last one has no match. */
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

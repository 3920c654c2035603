/**
 * Decompression of Snappy (github.com/google/snappy, format_description.txt), plain or in the framing of Java (xerial:
 * pieces with their sizes).
 *
 * It is our own code, because the library for it reads a literal of 2 GiB or more backward, and never ends.
 */
import { KafkaFailure } from './kafka-line.js'
import { endsEarly, Unpacked } from './unpacked.js'

/** The framing of Java: this magic, two versions, and pieces with their sizes in front. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00])
const XERIAL_HEAD_BYTES = 16
const VARINT_BYTES_MAX = 5
/** Literals up to this length have it in the tag; longer ones in one to four bytes after it. */
const SHORT_LITERAL_MAX = 60

/** Decompresses a batch. @throws KafkaFailure for damaged bytes, or more than `bytesMax` bytes. */
export function unpackSnappy(bytes: Buffer, bytesMax: number): Buffer {
  const into = new Unpacked(bytesMax)
  if (!bytes.subarray(0, XERIAL.length).equals(XERIAL)) unpackPiece(bytes, into)
  else {
    for (let at = XERIAL_HEAD_BYTES; at < bytes.length; ) {
      const end = at + 4 + (at + 4 > bytes.length ? 0 : bytes.readUInt32BE(at))
      if (end > bytes.length) throw endsEarly('Snappy')
      unpackPiece(bytes.subarray(at + 4, end), into)
      at = end
    }
  }
  return into.bytes()
}

function unpackPiece(bytes: Buffer, into: Unpacked): void {
  const { value: size, next } = varint(bytes)
  const from = into.length
  for (let at = next; at < bytes.length; ) {
    const tag = bytes[at] as number
    const kind = tag & 3
    const more = tag >>> 2
    if (kind === 0) {
      const lengthBytes = more < SHORT_LITERAL_MAX ? 0 : more + 1 - SHORT_LITERAL_MAX
      const count = (lengthBytes === 0 ? more : uintAt(bytes, at + 1, lengthBytes)) + 1
      at += 1 + lengthBytes
      into.literal(bytes, at, count)
      at += count
      continue
    }
    // The offset of a match has one byte and three bits of the tag, two bytes, or four.
    const offsetBytes = kind === 3 ? 4 : kind
    const offset = uintAt(bytes, at + 1, offsetBytes)
    const back = kind === 1 ? ((tag >>> 5) << 8) | offset : offset
    // A match must stay in its piece, because each piece is compressed alone.
    if (back > into.length - from) throw new KafkaFailure('the Snappy compression of a batch of records is damaged')
    into.match(back, kind === 1 ? (more & 7) + 4 : more + 1)
    at += 1 + offsetBytes
  }
  if (into.length - from !== size)
    throw new KafkaFailure('a batch of records in Snappy does not have the length that it claims')
}

function varint(bytes: Buffer): { value: number; next: number } {
  let value = 0
  for (let at = 0; at < Math.min(bytes.length, VARINT_BYTES_MAX); at++) {
    const byte = bytes[at] as number
    value += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return { value, next: at + 1 }
  }
  throw new KafkaFailure('a batch of records in Snappy does not begin with its length')
}

/** An integer of one to four bytes, little-endian. */
function uintAt(bytes: Buffer, at: number, count: number): number {
  if (at + count > bytes.length) throw endsEarly('Snappy')
  if (count === 1) return bytes[at] as number
  return count === 2 ? bytes.readUInt16LE(at) : bytes.readUIntLE(at, count)
}

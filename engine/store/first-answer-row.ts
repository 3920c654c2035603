/**
 * A row of `answers`: the decision that an event had when it was first voted on, and what its analysts say.
 *
 * | 0 version | 1 label u8, 255 for none | 2 truth u8, 255 for none | 3 flags: 1 the bucket was known |
 * | 4 confidence u16 | 6 0 | 8 model version u32 |
 *
 * Numbers are little-endian.
 */
import { assert } from '../assert.js'

const VERSION = 1
const ROW_BYTES = 12
const NONE = 255

export interface FirstAnswerRow {
  /** Index of the label, -1 for no decision. */
  readonly label: number
  /** Hundredths of a percent. */
  readonly confidence: number
  /** 0 for none. */
  readonly modelVersion: number
  /** The model or the knowledge base had seen votes on the bucket. */
  readonly knownBucket: boolean
  /** What most analysts say of the event; -1 where they are tied, or all their votes are withdrawn. */
  readonly truth: number
}

export function encodeFirstAnswer(row: FirstAnswerRow): Buffer {
  const bytes = Buffer.alloc(ROW_BYTES)
  bytes[0] = VERSION
  bytes[1] = row.label < 0 ? NONE : row.label
  bytes[2] = row.truth < 0 ? NONE : row.truth
  bytes[3] = Number(row.knownBucket)
  bytes.writeUInt16LE(row.confidence, 4)
  bytes.writeUInt32LE(row.modelVersion, 8)
  return bytes
}

export function decodeFirstAnswer(value: Uint8Array): FirstAnswerRow {
  assert(value[0] === VERSION, 'the first answer has a version that this code knows')
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const [label, truth] = [bytes[1] as number, bytes[2] as number]
  return {
    label: label === NONE ? -1 : label,
    truth: truth === NONE ? -1 : truth,
    knownBucket: bytes[3] === 1,
    confidence: bytes.readUInt16LE(4),
    modelVersion: bytes.readUInt32LE(8),
  }
}

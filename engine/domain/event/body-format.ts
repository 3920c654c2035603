/**
 * The bytes of a body. Each value is a tag and its content.
 *
 * | tag    | value                 | after the tag                                              |
 * |--------|-----------------------|------------------------------------------------------------|
 * | 0 to 2 | null, true, false     |                                                            |
 * | 3      | text                  | length in bytes, varint; UTF-8                             |
 * | 4, 5   | whole number, minus it| varint, up to 2^53 - 1                                     |
 * | 6      | any other number      | 64-bit float, little-endian                                |
 * | 7      | object of a shape     | shape number u16, then the values in the shape's order     |
 * | 8      | array                 | count u16, then the items                                  |
 * | 9      | object with its names | count u16, then a text and a value for each field          |
 * | 10     | long array            | count u32, then the items                                  |
 * | 11     | long object           | count u32, then a text and a value for each field          |
 * | 12     | number as written     | length in bytes, varint; the numeral, if no double gives it |
 * | 32 ... | a word                | word = (tag - 32) * 256 + next byte                        |
 *
 * 1. Equal bytes are equal values. Each value tells where it ends.
 * 2. A u16 or u32 is big-endian. Long ones have more than 65,535 items or fields.
 * 3. A varint has seven bits in each byte, lowest first.
 */
import { numberOfText, type WrittenNumber } from './json.js'

export const TAG_NULL = 0
export const TAG_TRUE = 1
export const TAG_FALSE = 2
export const TAG_TEXT = 3
export const TAG_WHOLE = 4
export const TAG_MINUS = 5
export const TAG_FLOAT = 6
export const TAG_OBJECT = 7
export const TAG_ARRAY = 8
export const TAG_NAMED = 9
export const TAG_LONG_ARRAY = 10
export const TAG_LONG_NAMED = 11
export const TAG_NUMERAL = 12
/** No value has this tag. Where values lie side by side, the next is where a path broke off: after so many names. */
export const TAG_BROKEN_OFF = 30
/** No value has this tag. It marks a missing value where values lie side by side. */
export const TAG_ABSENT = 31
export const TAG_WORD = 32

/** The most items or fields that a count of two bytes can tell. */
export const COUNT_MAX = 0xffff

/** Number of words that two bytes can name. */
export const WORDS_MAX = (256 - TAG_WORD) * 256
/** Longest text that becomes a word, bytes. */
export const WORD_BYTES_MAX = 64

/** Bytes of a numeral before its characters, at most. */
export const NUMERAL_HEAD_MAX = 6

const floatView = new DataView(new ArrayBuffer(8))
const floatBytes = new Uint8Array(floatView.buffer)

/** Writes a varint; returns where it ends. */
export function putVarint(out: Uint8Array, at: number, value: number): number {
  let rest = value
  while (rest >= 0x80) {
    out[at++] = (rest % 0x80) | 0x80
    rest = rest < 0x80000000 ? rest >>> 7 : Math.floor(rest / 0x80)
  }
  out[at++] = rest
  return at
}

/** Writes a number with its tag; returns where it ends. */
export function putNumber(out: Uint8Array, at: number, value: number): number {
  // Minus zero is stored as zero.
  if (Number.isSafeInteger(value)) {
    out[at] = value < 0 ? TAG_MINUS : TAG_WHOLE
    return putVarint(out, at + 1, value < 0 ? -value : value)
  }
  out[at] = TAG_FLOAT
  floatView.setFloat64(0, value, true)
  for (let i = 0; i < 8; i++) out[at + 1 + i] = floatBytes[i] as number
  return at + 9
}

/** Writes a number as it is spelled; returns where it ends, -1 for one that is too large for a double. */
export function putNumeral(out: Uint8Array, at: number, text: string): number {
  const number = numberOfText(text)
  if (typeof number === 'number') return Number.isFinite(number) ? putNumber(out, at, number) : -1
  return putWritten(out, at, number)
}

/** The same for a number that no double writes back. */
export function putWritten(out: Uint8Array, at: number, { text }: WrittenNumber): number {
  out[at] = TAG_NUMERAL
  let end = putVarint(out, at + 1, text.length)
  for (let i = 0; i < text.length; i++) out[end++] = text.charCodeAt(i)
  return end
}

/** The float whose eight bytes begin at `at`. */
export function floatAt(bytes: Uint8Array, at: number): number {
  for (let i = 0; i < 8; i++) floatBytes[i] = bytes[at + i] as number
  return floatView.getFloat64(0, true)
}

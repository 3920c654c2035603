/**
 * Ids of events, made of what a sender has, so that different things have different ids (S43).
 *
 * Owns: an id out of a value, out of bytes, out of several parts, out of content. Leaves out: which field has the id,
 * ids that the service makes (event-id.ts).
 *
 * 1. A text is its own id, if the service can keep it: at most limits.eventIdBytesMax bytes, and without half a
 *    surrogate pair, which UTF-8 has not. Any other text, and bytes that are not UTF-8, have their SHA-256.
 * 2. A number is the id of its digits, as they were written.
 * 3. Blanks alone are no id.
 */
import { createHash } from 'node:crypto'
import { limits } from '../../limits.js'
import { isUtf8, textOf } from './input/text-bytes.js'
import { isJsonObject, WrittenNumber, writeJson } from './json.js'

const JOINED_HASH_CHARS = 10
/** Stands before the hash of parts. */
const MARK = '~'

/** The text of a value that may be an id, or null. */
export function idText(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  if (value instanceof WrittenNumber) return value.text
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** The first of the values that may be an id, or null. */
export function firstId(...values: readonly unknown[]): string | null {
  for (const value of values) {
    const found = idText(value)
    if (found !== null) return found
  }
  return null
}

/** The id that a text is (1). */
export function fittingId(text: string): string {
  if (!text.isWellFormed()) return hashOf(Buffer.from(text, 'utf16le'))
  return Buffer.byteLength(text) <= limits.eventIdBytesMax ? text : hashOf(text)
}

/** The id of a text that stands for something that is no text. */
export function hashedId(text: string): string {
  return hashOf(text)
}

/** The id that bytes are, such as a header of a message (1); null for none. */
export function idOfBytes(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return hashOf(bytes)
  const text = idText(textOf(bytes))
  return text === null ? null : fittingId(text)
}

/**
 * Texts between values, as in a template. Different values have different ids: where others could give the same text,
 * a hash of the values follows it. A text can only be read in one way if no value behind the first has a character of
 * what stands between them.
 *
 * `between` has one text more than there are values: before the first, and after each.
 */
export function joinedId(values: readonly string[], between: readonly string[]): string {
  const text = between.map((each, at) => each + (values[at] ?? '')).join('')
  if (values.length < 2) return text
  const inner = between.slice(1, -1)
  const characters = new Set([...inner.join(''), MARK])
  const isClear =
    inner.every((each) => each !== '') &&
    !(values[0] as string).includes(MARK) &&
    values.slice(1).every((value) => ![...value].some((character) => characters.has(character)))
  return isClear ? text : `${text}${MARK}${hashOf(JSON.stringify(values)).slice(0, JOINED_HASH_CHARS)}`
}

/** Values with a text between each two. */
export function idOfParts(values: readonly string[], between: string): string {
  return joinedId(values, ['', ...values.slice(1).map(() => between), ''])
}

/** So many hexadecimal digits of a hash of plain data. The order of fields does not count. */
export function contentHash(content: unknown, chars: number): string {
  return hashOf(canonical(content)).slice(0, chars)
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isJsonObject(value)) return writeJson(value) ?? 'null'
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}

function hashOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

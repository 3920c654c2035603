/**
 * The id of a bucket: events with the same values at the decision points share it.
 *
 * 1. Different values have different texts: each value carries its type, and each string its length. The number 1 and
 *    the string "1" are different values.
 * 2. The id is the first 128 bits of the SHA-256 of the text (FIPS 180-4). That is short enough for a key, and nobody
 *    can construct two events that collide.
 */
import crypto from 'node:crypto'
import type { PointValue, PointValues, ScalarValue } from './point-value.js'

export const BUCKET_ID_BYTES = 16

/** A bucket's id as a key of maps: one character for each byte. */
export function bucketIdText(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1')
}

/** The values as one text, different for different values. Nobody keeps it: it is made of many parts. */
export function bucketText(values: PointValues): string {
  let text = ''
  for (const value of values) text += valueText(value)
  return text
}

function valueText(value: PointValue): string {
  if (value === null) return 'n'
  if (typeof value !== 'object') return scalarText(value)
  let text = `a${value.length}:`
  for (const item of value) text += scalarText(item)
  return text
}

function scalarText(value: ScalarValue): string {
  if (typeof value === 'string') return `s${value.length}:${value}`
  if (typeof value === 'number') return `d${value};`
  return value ? 't' : 'f'
}

/** The bucket's id, 16 bytes. `fingerprint` is that of the decision points, `text` the bucketText of the values. */
export function bucketIdOf(fingerprint: number, text: string): Buffer {
  return Buffer.from(sha256(`${fingerprint}:${text}`).slice(0, BUCKET_ID_BYTES), 'latin1')
}

/**
 * Of a text as UTF-8, one character for each byte: a buffer of its own costs more than the hash. In one call where
 * Node.js has it (from 20.12 on), as an object for each hash does, too.
 */
export const sha256: (text: string | Uint8Array) => string =
  typeof crypto.hash === 'function'
    ? (text) => crypto.hash('sha256', text, 'binary')
    : (text) => crypto.createHash('sha256').update(text).digest('binary')

/**
 * The id of a bucket from its values, without a text in between: bucketIdOf of bucket-key.ts for the thread that makes
 * a bucket of each new event.
 */
import { BUCKET_ID_BYTES, sha256 } from './bucket-key.js'
import type { PointValue, PointValues, ScalarValue } from './point-value.js'

/** Up to this length a loop is faster than a call. */
const LOOP_CHARS_MAX = 48
const ASCII_MAX = 0x7f
/** In UTF-8, of a character of a string. */
const CHAR_BYTES_MAX = 3

/** Texts as UTF-8, one after the other, in memory that is used again. */
class TextBytes {
  #bytes = Buffer.allocUnsafeSlow(1024)
  #used = 0

  clear(): void {
    this.#used = 0
  }

  /** Valid until more is added. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#used)
  }

  add(text: string): void {
    const { length } = text
    this.#reserve(CHAR_BYTES_MAX * length)
    const bytes = this.#bytes
    const start = this.#used
    let at = start
    if (length <= LOOP_CHARS_MAX)
      for (let i = 0; i < length; i++) {
        const code = text.charCodeAt(i)
        if (code > ASCII_MAX) break
        bytes[at++] = code
      }
    this.#used = at - start === length ? at : start + bytes.write(text, start, 'utf8')
  }

  #reserve(more: number): void {
    if (this.#used + more <= this.#bytes.length) return
    const before = this.#bytes
    this.#bytes = Buffer.allocUnsafeSlow(2 * (before.length + more))
    this.#bytes.set(before)
  }
}

const text = new TextBytes()

/** Writes the id of the bucket of these values. `fingerprint` is that of the decision points. */
export function writeBucketId(fingerprint: number, values: PointValues, id: Uint8Array): void {
  text.clear()
  text.add(`${fingerprint}:`)
  for (const value of values) addValue(value)
  const hash = sha256(text.bytes)
  for (let i = 0; i < BUCKET_ID_BYTES; i++) id[i] = hash.charCodeAt(i)
}

function addValue(value: PointValue): void {
  if (value === null) return text.add('n')
  if (typeof value !== 'object') return addScalar(value)
  text.add(`a${value.length}:`)
  for (const item of value) addScalar(item)
}

function addScalar(value: ScalarValue): void {
  if (typeof value === 'string') {
    text.add(`s${value.length}:`)
    text.add(value)
  } else if (typeof value === 'number') text.add(`d${value};`)
  else text.add(value ? 't' : 'f')
}

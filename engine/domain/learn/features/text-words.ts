/**
 * The words of texts, as hashes that are the same wherever a word stands.
 *
 * Words are parted as features.ts parts them, and identifiers are all one word; only that a word at one point is the same at another.
 */
import { limits } from '../../../limits.js'
import type { PointValue } from '../classifier.js'
import { hashEnd, hashStart, hashStep } from '../hash.js'
import { identifierCharsMin } from './features.js'

/** Words of one event that are read. */
export const textWordsMax = 256
const SALT = 0x3ad8025f

export class TextWords {
  /** The words that were read, `count` of them, in their order. */
  readonly hashes = new Int32Array(textWordsMax)
  /** 1 where the word has a digit. */
  readonly numbered = new Uint8Array(textWordsMax)
  count = 0

  clear(): void {
    this.count = 0
  }

  /** Adds the words of a text; anything else has none. */
  add(value: PointValue): void {
    if (typeof value !== 'string') return
    const length = Math.min(value.length, limits.pointValueCharsMax)
    const start = hashStart(SALT)
    let word = start
    let chars = 0
    let digits = 0
    let { count } = this
    for (let i = 0; i <= length && count < textWordsMax; i++) {
      const code = i < length ? value.charCodeAt(i) : 32
      const digit = code >= 48 && code <= 57
      if (digit || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code > 127) {
        word = hashStep(word, code >= 65 && code <= 90 ? code + 32 : code)
        chars++
        if (digit) digits++
        continue
      }
      if (chars === 0) continue
      this.numbered[count] = digits > 0 ? 1 : 0
      this.hashes[count++] = hashEnd(digits > 0 && chars >= identifierCharsMin ? hashStep(start, 35) : word)
      word = start
      chars = 0
      digits = 0
    }
    this.count = count
  }
}

/** How many parts of a text have spaces between them. */
export function spacedParts(text: string): number {
  let parts = 0
  let within = false
  for (let i = 0; i < text.length; i++) {
    const space = text.charCodeAt(i) <= 32
    if (!space && !within) parts++
    within = !space
  }
  return parts
}

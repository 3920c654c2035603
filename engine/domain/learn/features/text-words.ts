/**
 * The words of texts, as hashes that are the same at every decision point.
 *
 * Owns: where a word begins and ends, and what makes it an identifier. features.ts splits words in the same way, and
 * hashes them for one point.
 */
import { limits } from '../../../limits.js'
import type { PointValue } from '../classifier.js'
import { hashEnd, hashStart, hashStep } from '../hash.js'

/** Words of at least this many characters with a digit among them are identifiers: all of them are one word. */
const identifierCharsMin = 5
/** The one code unit of that word: #. */
const IDENTIFIER = 35

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** True for a code unit within words: a digit, a letter, or anything that is not ASCII. */
export function isWordCode(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code > 127
}

/** The code unit in lower case; of ASCII letters only. */
export function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

/** Separates the numbers of an address. */
export const DOT = 46
const addressCharsMax = 15

/** True for digits with three dots among them, as an IPv4 address has. */
export function isAddress(text: string): boolean {
  if (text.length > addressCharsMax) return false
  let dots = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === DOT) dots++
    else if (!isDigit(code)) return false
  }
  return dots === 3
}

/** The hash of a word. `start` and `running` are the running hashes before and after its characters. */
export function hashWord(start: number, running: number, chars: number, digits: number): number {
  return hashEnd(digits > 0 && chars >= identifierCharsMin ? hashStep(start, IDENTIFIER) : running)
}

/** Words of one event that are read; the rest is ignored. */
export const textWordsMax = 256
const SALT = 0x3ad8025f

export class TextWords {
  /** The words that were read, `count` of them, in order. */
  readonly hashes = new Int32Array(textWordsMax)
  /** 1 where the word has a digit. */
  readonly numbered = new Uint8Array(textWordsMax)
  count = 0

  clear(): void {
    this.count = 0
  }

  /** Adds the words of a text; other values have none. */
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
      if (isWordCode(code)) {
        word = hashStep(word, lowerCase(code))
        chars++
        if (isDigit(code)) digits++
        continue
      }
      if (chars === 0) continue
      this.numbered[count] = digits > 0 ? 1 : 0
      this.hashes[count++] = hashWord(start, word, chars, digits)
      word = start
      chars = 0
      digits = 0
    }
    this.count = count
  }
}

/** The number of parts between spaces. */
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

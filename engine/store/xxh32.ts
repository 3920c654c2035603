/**
 * XXH32, the 32-bit hash of Yann Collet's xxHash (github.com/Cyan4973/xxHash and its specification), over bytes that
 * begin at a word. No protection against forgery.
 *
 * Not from a library: a call of zlib's CRC costs more than hashing a usual row in JavaScript.
 *
 * 1. Every step is invertible, so two inputs of one length that differ in a single word have different hashes.
 */
const PRIME_1 = 0x9e3779b1
const PRIME_2 = 0x85ebca77
const PRIME_3 = 0xc2b2ae3d
const PRIME_4 = 0x27d4eb2f
const PRIME_5 = 0x165667b1

function round(lane: number, word: number): number {
  const sum = (lane + Math.imul(word, PRIME_2)) | 0
  return Math.imul((sum << 13) | (sum >>> 19), PRIME_1)
}

/** One piece of memory, as bytes and as little-endian words. */
export interface WordMemory {
  readonly bytes: Uint8Array
  readonly words: Int32Array
}

/** The hash of the bytes from `start`, a multiple of 4, to `end`, as a signed 32-bit number. */
export function xxh32({ bytes, words }: WordMemory, start: number, end: number, seed: number): number {
  const length = end - start
  let at = start >> 2
  const wordsEnd = (start + (length & ~3)) >> 2
  let hash = (seed + PRIME_5) | 0
  if (length >= 16) {
    let [first, second, third, fourth] = [
      (seed + PRIME_1 + PRIME_2) | 0,
      (seed + PRIME_2) | 0,
      seed | 0,
      (seed - PRIME_1) | 0,
    ]
    for (; at + 4 <= wordsEnd; at += 4) {
      first = round(first, words[at] as number)
      second = round(second, words[at + 1] as number)
      third = round(third, words[at + 2] as number)
      fourth = round(fourth, words[at + 3] as number)
    }
    hash =
      (((first << 1) | (first >>> 31)) +
        ((second << 7) | (second >>> 25)) +
        ((third << 12) | (third >>> 20)) +
        ((fourth << 18) | (fourth >>> 14))) |
      0
  }
  hash = (hash + length) | 0
  for (; at < wordsEnd; at++) {
    hash = (hash + Math.imul(words[at] as number, PRIME_3)) | 0
    hash = Math.imul((hash << 17) | (hash >>> 15), PRIME_4)
  }
  for (let i = wordsEnd << 2; i < end; i++) {
    hash = (hash + Math.imul(bytes[i] as number, PRIME_5)) | 0
    hash = Math.imul((hash << 11) | (hash >>> 21), PRIME_1)
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2)
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3)
  return hash ^ (hash >>> 16)
}

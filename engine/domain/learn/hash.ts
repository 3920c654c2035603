/**
 * Hashes values into 32 bits, which name a feature.
 *
 * FNV-1a over UTF-16 code units, finished with the mixer of MurmurHash3. The hashes never change, since stored models
 * name their features by them.
 */
import { limits } from '../../limits.js'

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

const doubleView = new Float64Array(1)
const wordView = new Uint32Array(doubleView.buffer)

/** Starts a running hash; the salt separates hashes of different things. */
export function hashStart(salt: number): number {
  return (FNV_OFFSET ^ Math.imul(salt, 0x9e3779b1)) | 0
}

/** Adds one code unit, or any other small number, to a running hash. */
export function hashStep(running: number, code: number): number {
  return Math.imul(running ^ code, FNV_PRIME)
}

/** Ends a running hash, so that every bit depends on every step. Never 0, which marks an empty slot in tables. */
export function hashEnd(running: number): number {
  let h = running
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  h ^= h >>> 16
  return h === 0 ? 1 : h
}

/** The hash of a whole string. */
export function hashText(salt: number, text: string): number {
  let h = hashStart(salt)
  for (let i = 0; i < text.length; i++) h = hashStep(h, text.charCodeAt(i))
  return hashEnd(h)
}

/** The hash of a number; -0 equals 0, and all NaN are equal. */
export function hashNumber(salt: number, value: number): number {
  doubleView[0] = value === 0 ? 0 : value
  const low = Number.isNaN(value) ? 1 : (wordView[0] as number)
  const high = Number.isNaN(value) ? 1 : (wordView[1] as number)
  return hashEnd(hashStep(hashStep(hashStart(salt), low), high))
}

/** The hash of a value of any type; a string is cut at limits.pointValueCharsMax, an unknown type is false. */
export function hashScalar(salt: number, value: unknown): number {
  if (typeof value === 'string') {
    return hashText(salt, value.length > limits.pointValueCharsMax ? value.slice(0, limits.pointValueCharsMax) : value)
  }
  if (typeof value === 'number') return hashNumber(salt, value)
  return hashNumber(~salt, value === true ? 1 : 0)
}

/** The hash of two hashes, in order. */
export function hashPair(first: number, second: number): number {
  return hashEnd(Math.imul(first ^ (first >>> 15), 0x2c1b3c6d) + Math.imul(second, 0x297a2d39))
}

/** A key for a list of numbers: 53 bits of hash, by which lists are distinguished. */
export class ListKey {
  #low = 0
  #high = 0

  clear(): void {
    this.#low = 0
    this.#high = 0
  }

  add(item: number): void {
    this.#low = hashPair(this.#low, item)
    this.#high = (Math.imul(this.#high, 31) + this.#low) | 0
  }

  /** A whole number from 0 to 2^53 - 1. */
  get value(): number {
    return (this.#high & 0x1f_ffff) * 0x1_0000_0000 + (this.#low >>> 0)
  }
}

/**
 * Random numbers. Their source is passed as an argument, and the domain has none (D7).
 *
 * `systemRandom` is for secrets and ids. `SeededRandom` is for tests, simulations and everything that must be
 * reproducible (S17). It is fast, but must never generate a secret.
 */
import { randomBytes } from 'node:crypto'

/** A source of random bytes, secure or reproducible. */
export interface Random {
  /** Returns that many new bytes. */
  bytes(count: number): Uint8Array
}

/** The generator of the operating system. */
export const systemRandom: Random = {
  bytes(count: number): Uint8Array {
    return randomBytes(count)
  },
}

/** The generator sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, the same numbers for the same seed. */
export class SeededRandom implements Random {
  #a = 0
  #b: number
  #c = 0x9e3779b9
  #counter = 1

  /** Any 32-bit unsigned integer. */
  constructor(seed: number) {
    this.#b = seed >>> 0
    for (let i = 0; i < 15; i++) this.nextUint32()
  }

  /** 0 to 2^32 - 1. */
  nextUint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** At least 0, below 1; 53 bits. */
  nextFloat(): number {
    return ((this.nextUint32() >>> 5) * 0x4000000 + (this.nextUint32() >>> 6)) / 0x20000000000000
  }

  /** A whole number from 0 to `end` - 1; `end` is 1 to 2^32. */
  below(end: number): number {
    return Math.floor(this.nextFloat() * end)
  }

  /** One of the items; the list must not be empty. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count)
    for (let i = 0; i < count; i++) bytes[i] = this.nextUint32()
    return bytes
  }
}

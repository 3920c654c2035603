/**
 * The random generator of the learner: the same numbers for the same seed, on every machine (S17).
 *
 * It is sfc32 (Chris Doty-Humphrey, PractRand). The domain may not import engine/rng.ts, which also has the operating
 * system's generator.
 */
export class Sfc32 {
  #a: number
  #b: number
  #c: number
  #counter = 1

  /** A sequence is named by two numbers: the training's seed and a purpose. */
  constructor(seed: number, purpose: number) {
    this.#a = seed | 0
    this.#b = purpose | 0
    this.#c = 0x9e3779b9 | 0
    for (let i = 0; i < 15; i++) this.next()
  }

  /** 0 to 2^32 - 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** A whole number from 0 to `end` - 1; `end` is 1 to 2^32. */
  below(end: number): number {
    return Math.floor((this.next() / 0x1_0000_0000) * end)
  }
}

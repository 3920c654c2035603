/**
 * Random numbers for the benchmarks: seeded, fast, the same on every machine.
 *
 * xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), seeded by splitmix32.
 */

export class Random {
  #a: number
  #b: number
  #c: number
  #d: number

  /** `seed` is any 32-bit unsigned integer. */
  constructor(seed: number) {
    let state = seed >>> 0
    const split = (): number => {
      state = (state + 0x9e3779b9) >>> 0
      let z = state
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
      return (z ^ (z >>> 15)) >>> 0
    }
    this.#a = split()
    this.#b = split()
    this.#c = split()
    this.#d = split() | 1
  }

  /** 0 to 2^32 - 1. */
  uint32(): number {
    const b = this.#b
    const times5 = Math.imul(b, 5)
    const result = Math.imul((times5 << 7) | (times5 >>> 25), 9) >>> 0
    const shifted = b << 9
    this.#c ^= this.#a
    this.#d ^= b
    this.#b ^= this.#c
    this.#a ^= this.#d
    this.#c ^= shifted
    this.#d = (this.#d << 11) | (this.#d >>> 21)
    return result
  }

  /** 0 (included) to 1 (excluded). */
  unit(): number {
    return this.uint32() / 4294967296
  }

  /** An integer from 0 to n - 1. */
  below(n: number): number {
    return Math.floor(this.unit() * n)
  }

  /** True with probability p. */
  chance(p: number): boolean {
    return this.unit() < p
  }

  /** One of the items; the list must not be empty. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** Close to a normal number of mean 0 and deviation 1: a sum of four, cut at 3.46. */
  normal(): number {
    return (this.unit() + this.unit() + this.unit() + this.unit() - 2) * 1.7320508075688772
  }
}

/** Draws an index with probability in proportion to its weight, in logarithmic time. */
export class Weighted {
  readonly #cumulative: Float64Array
  readonly #total: number

  constructor(weights: readonly number[]) {
    this.#cumulative = new Float64Array(weights.length)
    let total = 0
    for (let i = 0; i < weights.length; i++) {
      total += weights[i] as number
      this.#cumulative[i] = total
    }
    this.#total = total
  }

  draw(random: Random): number {
    const target = random.unit() * this.#total
    let low = 0
    let high = this.#cumulative.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#cumulative[middle] as number) <= target) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Weights of Zipf's law: the k-th item weighs 1 / k^exponent. */
export function zipf(count: number, exponent: number): Weighted {
  return new Weighted(Array.from({ length: count }, (_, k) => 1 / (k + 1) ** exponent))
}

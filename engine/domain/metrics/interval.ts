/**
 * Intervals of 95 %: how far a figure from so few events can be from the truth.
 *
 * | figure                | interval                                                                              |
 * |-----------------------|---------------------------------------------------------------------------------------|
 * | share k of n          | Wilson's score interval: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), z = 1.96    |
 * | what has no formula   | Bayesian bootstrap: the counts of a table are redrawn as gamma variables, and the 2.5 % |
 * |                       | and 97.5 % of what the figure is then are its ends                                    |
 *
 * The bootstrap draws with a fixed seed: the same counts give the same interval. Its cost does not grow with the number
 * of events. Sources: Wilson 1927; Rubin 1981, The Bayesian bootstrap; Marsaglia and Tsang 2000 for gamma variables.
 */
import { Sfc32 } from '../learn/sfc32.js'

export interface Interval95 {
  readonly low: number
  readonly high: number
}

const Z = 1.959964
const DRAWS = 400
const SEED = 0x5eed
const TWO_32 = 2 ** 32
const TAIL = 0.025

/** Of `part` events among `whole`, which is at least 1. */
export function wilson(part: number, whole: number): Interval95 {
  const share = part / whole
  const square = (Z * Z) / whole
  const middle = share + square / 2
  const reach = Z * Math.sqrt((share * (1 - share)) / whole + square / (4 * whole))
  return {
    low: part === 0 ? 0 : Math.max(0, (middle - reach) / (1 + square)),
    high: part === whole ? 1 : Math.min(1, (middle + reach) / (1 + square)),
  }
}

/** Of a figure of these counts. The figure gets counts that need not be whole numbers. */
export function bootstrapped(counts: readonly number[], figure: (counts: readonly number[]) => number): Interval95 {
  const random = new Sfc32(SEED, 0)
  const found = Array.from({ length: DRAWS }, () => {
    return figure(counts.map((count) => (count === 0 ? 0 : gamma(count, random))))
  }).sort((a, b) => a - b)
  const at = Math.floor(TAIL * DRAWS)
  return { low: found[at] as number, high: found[DRAWS - 1 - at] as number }
}

/** A gamma variable of this shape, 1 or more. */
function gamma(shape: number, random: Sfc32): number {
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normal(random)
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - share(random)) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

/** A normal variable, by Box and Muller. */
function normal(random: Sfc32): number {
  return Math.sqrt(-2 * Math.log(1 - share(random))) * Math.cos(2 * Math.PI * share(random))
}

/** At least 0, below 1. */
function share(random: Sfc32): number {
  return random.next() / TWO_32
}

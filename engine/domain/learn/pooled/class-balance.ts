/**
 * How much likelier each class is made, so that answers have as much of it as comes.
 *
 * Softer opinions, and a mixture of them, do not keep shares: what is rare gets more than it has. So the chances of each
 * class are multiplied by a factor and brought to the sum that they had: the factors with the least log-loss on held-out
 * examples (bias-corrected temperature scaling: Alexandari, Kundaje, Shrikumar, "Maximum likelihood with bias-corrected
 * calibration is hard-to-beat at label shift adaptation", 2020), held near 1 by a normal prior on their logarithms. A class
 * that is too rare to be held out stays out of that, with the chances that it has: nothing speaks for others. Where the latest
 * examples were held out there are no factors: the shares of that time are not those of the next.
 */
import type { HeldOut } from './held-out.js'

/** Standard deviation of the logarithms of factors, before anything is held out. */
const spread = 0.3
/** Of fewer held-out examples shares are too rough to go by. */
const examplesMin = 150
/** Newton's method with the diagonal alone, which is as far from the whole as 2 to 1 at most: this share of its step does not overshoot. */
const steps = 60
const stepShare = 0.7
const chanceMin = 1e-6

/** Multiplies the chances of an answer by the factors, one a class, 0 for those that stay as they are; without factors all do. */
export function balance(answer: Float64Array, factors: Float64Array): void {
  let before = 0
  let after = 0
  for (let k = 0; k < factors.length; k++) {
    const factor = factors[k] as number
    if (factor === 0) continue
    before += answer[k] as number
    after += factor * ((answer[k] as number) + chanceMin)
  }
  for (let k = 0; k < factors.length; k++) {
    const factor = factors[k] as number
    if (factor > 0) answer[k] = (factor * ((answer[k] as number) + chanceMin) * before) / after
  }
}

/** By the logarithm of each factor. */
interface Derivatives {
  readonly slopes: Float64Array
  readonly bends: Float64Array
}

/** Adds the slope of the log-likelihood by the logarithm of each factor to `slopes`, and its bend to `bends`. */
function derive(held: HeldOut, pooled: Float64Array, factors: Float64Array, { slopes, bends }: Derivatives): void {
  const { classCount, classes, weights } = held
  for (let h = 0; h < classes.length; h++) {
    const weight = weights[h] as number
    const at = h * classCount
    let sum = 0
    for (let k = 0; k < classCount; k++) sum += (factors[k] as number) * ((pooled[at + k] as number) + chanceMin)
    for (let k = 0; k < classCount; k++) {
      const chance = ((factors[k] as number) * ((pooled[at + k] as number) + chanceMin)) / sum
      slopes[k] = (slopes[k] as number) + weight * ((classes[h] === k ? 1 : 0) - chance)
      bends[k] = (bends[k] as number) + weight * chance * (1 - chance)
    }
  }
}

/** The factors for `pooled`, the answers on the held-out examples, and balances them; none where too few were held out. */
export function fitBalance(held: HeldOut, pooled: Float64Array): Float64Array {
  const { classCount, classes, foldCount } = held
  if (foldCount === 1 || classes.length < examplesMin) return new Float64Array(0)
  const logs = new Float64Array(classCount)
  const factors = logs.map((_, k) => (classes.includes(k) ? 1 : 0))
  const slopes = new Float64Array(classCount)
  const bends = new Float64Array(classCount)
  for (let step = 0; step < steps; step++) {
    for (let k = 0; k < classCount; k++) {
      slopes[k] = -(logs[k] as number) / spread ** 2
      bends[k] = 1 / spread ** 2
    }
    derive(held, pooled, factors, { slopes, bends })
    for (let k = 0; k < classCount; k++) {
      if (factors[k] === 0) continue
      logs[k] = (logs[k] as number) + (stepShare * (slopes[k] as number)) / (bends[k] as number)
      factors[k] = Math.exp(logs[k] as number)
    }
  }
  for (let h = 0; h < classes.length; h++) balance(pooled.subarray(h * classCount, (h + 1) * classCount), factors)
  return factors
}

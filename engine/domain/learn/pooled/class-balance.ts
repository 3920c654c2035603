/**
 * Factors of the classes, so that answers have as much of each class as the held-out examples.
 *
 * Softened answers and their mixture do not keep shares: rare classes get too much. So the probability of each class is
 * multiplied by a factor, and their sum is restored. The factors have the least log-loss on held-out examples:
 * bias-corrected temperature scaling (Alexandari, Kundaje, Shrikumar, "Maximum likelihood with bias-corrected
 * calibration is hard-to-beat at label shift adaptation", 2020). A normal prior on their logarithms keeps them near 1.
 *
 * 1. A class that is too rare to be held out keeps its probabilities: there is no evidence about it.
 * 2. Where the latest examples were held out there are no factors: the shares of that time are not those of the next.
 */
import type { HeldOut } from './held-out.js'

/** The standard deviation of the prior on the logarithms of factors. */
const spread = 0.3
/** With fewer held-out examples shares are too rough. */
const examplesMin = 150
/**
 * Newton's method with the diagonal of the Hessian, which is off by 2 to 1 at most: this share of its step does not
 * overshoot.
 */
const steps = 60
const stepShare = 0.7
const chanceMin = 1e-6

/**
 * Multiplies the probabilities of an answer by the factors of the classes. A factor of 0 changes nothing, nor do
 * missing factors.
 */
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

/** Derivatives of the log-likelihood by the logarithm of each factor. */
interface Derivatives {
  readonly slopes: Float64Array
  readonly bends: Float64Array
}

/** Adds the first derivatives to `slopes`, and the second, with the sign changed, to `bends`. */
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

/**
 * The factors for `pooled`, the answers on the held-out examples, which it balances. None where too few were held out.
 */
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

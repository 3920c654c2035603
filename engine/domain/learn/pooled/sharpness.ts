/**
 * Sharpens the mixture, which doubts too much.
 *
 * A mixture of calibrated answers is not sure enough, the less so the more they differ (Ranjan, Gneiting, "Combining
 * probability forecasts", 2010). With many labels, or members that each know a part, it is far too unsure. So the
 * answer is taken to a power above 1 where that is significantly better on held-out examples. The powers are small: new
 * events are harder than held-out ones. Where a label is too rare to be held out, there is no evidence about it, and
 * nothing changes.
 */
import { significantlyBest } from '../significant-gain.js'
import type { HeldOut } from './held-out.js'

/** The first changes nothing. */
const powers: readonly number[] = [1, 1.15, 1.3, 1.5]
/** The standard errors that a power has to gain. */
const standardErrors = 2
const chanceMin = 1e-9

/** Takes the probabilities of an answer to a power, scaled to sum to 1. */
export function sharpen(answer: Float64Array, power: number): void {
  if (power === 1) return
  let sum = 0
  for (let k = 0; k < answer.length; k++) {
    const sharper = Math.max(chanceMin, answer[k] as number) ** power
    answer[k] = sharper
    sum += sharper
  }
  for (let k = 0; k < answer.length; k++) answer[k] = (answer[k] as number) / sum
}

/** Chooses a power for `pooled`, the answers on the held-out examples, and applies it; `floor` is the uniform share. */
export function fitSharpness(held: HeldOut, pooled: Float64Array, floor: number): number {
  const { classCount, classes, weights, allLabels } = held
  if (!allLabels) return 1
  const one = new Float64Array(classCount)
  const losses = powers.map((power) =>
    weights.map((weight, h) => {
      one.set(pooled.subarray(h * classCount, (h + 1) * classCount))
      sharpen(one, power)
      return -weight * Math.log((1 - floor) * (one[classes[h] as number] as number) + floor / classCount)
    }),
  )
  const power = powers[significantlyBest(losses, 0, standardErrors, 0)] as number
  for (let h = 0; h < classes.length; h++) sharpen(pooled.subarray(h * classCount, (h + 1) * classCount), power)
  return power
}

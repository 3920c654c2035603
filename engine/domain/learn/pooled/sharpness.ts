/**
 * How much surer the mixture may be than it says.
 *
 * A mixture of calibrated opinions doubts too much, the more so the more they differ (Ranjan, Gneiting, "Combining
 * probability forecasts", 2010): with many labels, or members that each know a part, by far. So the whole answer may be
 * taken to a power above 1, where that surely does better on held-out examples, and no further than `powers` go: what
 * comes later is harder than what was held out. Where a label is too rare to be held out nothing speaks for its chances,
 * and the answer stays as it is.
 */
import { significantlyBest } from '../significant-gain.js'
import type { HeldOut } from './held-out.js'

/** The first leaves an answer as it is. */
const powers: readonly number[] = [1, 1.15, 1.3, 1.5]
/** Standard errors that a power has to gain. */
const doubt = 2
const chanceMin = 1e-9

/** Takes the chances of an answer to a power, so that they sum to 1 again. */
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

/** Chooses for `pooled`, the answers on the held-out examples, and sharpens them; `floor` is the share of the uniform. */
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
  const power = powers[significantlyBest(losses, 0, doubt, 0)] as number
  for (let h = 0; h < classes.length; h++) sharpen(pooled.subarray(h * classCount, (h + 1) * classCount), power)
  return power
}

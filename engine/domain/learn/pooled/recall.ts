/**
 * Recalls the label of the most similar labelled event, where it is so similar that it counts more than what was
 * learned.
 *
 *   p = (v l + s p_pool) / (v + s),  v = exp(-(d / r)²)
 *
 * Here l is the label of the nearest labelled event, d its distance, and v its weight; s is the weight of the pool's
 * answer. This is kernel-weighted Bayes: the share of the label under a Dirichlet prior with the pool as its mean, and
 * a kernel in place of counts. One nearest neighbour is Cover, Hart 1967.
 *
 * Members that learn shares lose a label with two examples among hundreds. Recall keeps it. Where labels are no fair
 * sample of the stream, it is right about events like labelled ones, whatever the shares. Distances are on the scale of
 * those between labelled events. r and s are chosen by held-out examples; where nothing gains, nothing is recalled.
 *
 * Leaves out: distances (nearest.ts), and events that are equal at a few points (cells.ts).
 */
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import { fewExamples, significantGain } from '../significant-gain.js'
import type { HeldOut } from './held-out.js'
import type { Near } from './nearest.js'

export interface Recall {
  /** The distance r; 0 where nothing is recalled. */
  readonly reach: number
  /** The weight s. */
  readonly smoothing: number
}

export const noRecall: Recall = { reach: 0, smoothing: 1 }

/** In multiples of the mean distance between labelled events. */
const reaches = [0.25, 0.5, 1]
/** With few examples; their mean distance is the nearest one's for any event, so a reach of 1 would recall always. */
const reachesOfFew = [0.25, 0.5]
/** At this many times the reach the weight is 0. */
const reachesMax = 2.2
/** At this many times the mean distance nothing is recalled, whatever the reach. */
export const recallLimit = reachesMax * (reaches.at(-1) as number)
const smoothings = [0.25, 0.5, 1, 2, 4, 8, 16]
/** The standard errors that a gain has to exceed: one of so many trials gains by chance. */
const doubtShare = 0.5

/** From this distance on nothing is recalled. */
export function limitOf({ reach }: Recall): number {
  return reach * reachesMax
}

/** The weight of an event at this distance. */
function weightOf(distance: number, reach: number): number {
  return distance < reach * reachesMax ? Math.exp(-((distance / reach) ** 2)) : 0
}

/** Mixes the label of the nearest event into an answer. */
export function mixRecalled({ reach, smoothing }: Recall, { label, distance }: Near, answer: Float64Array): void {
  if (reach === 0 || label < 0) return
  const weight = weightOf(distance, reach)
  const total = weight + smoothing
  for (let k = 0; k < answer.length; k++) answer[k] = ((answer[k] as number) * smoothing) / total
  answer[label] = (answer[label] as number) + weight / total
}

/** The answers on the held-out examples so far; `floor` is the uniform share of every answer. */
interface Answered {
  readonly held: HeldOut
  readonly pooled: Float64Array
  readonly floor: number
}

/** Fills `losses` with the log-loss of each held-out example, with this recall. */
function lossesWith(recall: Recall, { held, pooled, floor }: Answered, losses: Float64Array): void {
  const { classCount, classes, weights, nearestClasses, nearestDistances } = held
  for (let h = 0; h < classes.length; h++) {
    const truth = classes[h] as number
    let chance = pooled[h * classCount + truth] as number
    const label = nearestClasses[h] as number
    if (recall.reach > 0 && label >= 0) {
      const weight = weightOf(nearestDistances[h] as number, recall.reach)
      chance = ((label === truth ? weight : 0) + recall.smoothing * chance) / (weight + recall.smoothing)
    }
    losses[h] = -(weights[h] as number) * Math.log((1 - floor) * chance + floor / classCount)
  }
}

/**
 * Chooses a recall for `pooled`, the answers on the held-out examples, and applies it; `scale` is the usual distance.
 */
export function fitRecall(held: HeldOut, pooled: Float64Array, scale: number, floor: number): Recall {
  const before = new Float64Array(held.classes.length)
  const after = new Float64Array(held.classes.length)
  const answered: Answered = { held, pooled, floor }
  lossesWith(noRecall, answered, before)
  let best = noRecall
  let most = 0
  for (const reach of before.length < fewExamples ? reachesOfFew : reaches) {
    for (const smoothing of smoothings) {
      lossesWith({ reach, smoothing }, answered, after)
      const gain = significantGain(before, after, doubtShare)
      if (gain <= most) continue
      most = gain
      best = { reach, smoothing }
    }
  }
  const { classCount } = held
  for (let h = 0; h < held.classes.length; h++) {
    const answer = pooled.subarray(h * classCount, (h + 1) * classCount)
    mixRecalled(best, { label: held.nearestClasses[h] as number, distance: held.nearestDistances[h] as number }, answer)
  }
  return { reach: best.reach * scale, smoothing: best.smoothing }
}

export function writeRecall(recall: Recall, to: ModelWriter): void {
  to.f64(recall.reach)
  to.f64(recall.smoothing)
}

export function readRecall(from: ModelReader): Recall {
  return { reach: from.f64(), smoothing: from.f64() }
}

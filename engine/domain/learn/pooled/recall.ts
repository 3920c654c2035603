/**
 * What was said of the most similar labelled event, where it is so similar that it counts more than what was learned.
 *
 * p = (v l + s p_pool) / (v + s): l is the label of the nearest labelled event, v = exp(-(d / r)²) how much it is worth at
 * the distance d, and s how many such events the pool's opinion weighs: the label's share under a Dirichlet prior whose
 * mean is the pool, with a kernel in place of counting (kernel-weighted Bayes; one nearest neighbour is Cover, Hart 1967).
 * Members that learn shares lose a label with two examples among hundreds; this keeps it, and where labels were not picked
 * as the stream comes it is right about what looks like a labelled event whatever the shares say. Distances are counted by
 * how far labelled events are from each other. r and s are what does best on held-out examples; where nothing does, there is none.
 *
 * Leaves out: likeness itself (nearest.ts), and events that are equal at a few points (cells.ts).
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
/** Of a handful the nearest is about as far as that from any event: all would be recalled, which is the nearest neighbour's word once more. */
const reachesOfFew = [0.25, 0.5]
/** So many times the reach away an event is worth nothing. */
const reachesMax = 2.2
/** From so many times that mean distance on nothing is recalled, whatever the reach. */
export const recallLimit = reachesMax * (reaches.at(-1) as number)
const smoothings = [0.25, 0.5, 1, 2, 4, 8, 16]
/** Standard errors that a gain on the held-out examples has to exceed: of so many trials on few examples one gains by chance. */
const doubtShare = 0.5

/** From this distance on nothing is recalled. */
export function limitOf({ reach }: Recall): number {
  return reach * reachesMax
}

/** How much an event at this distance is worth. */
function worthOf(distance: number, reach: number): number {
  return distance < reach * reachesMax ? Math.exp(-((distance / reach) ** 2)) : 0
}

/** Mixes the label of the nearest event into an answer. */
export function mixRecalled({ reach, smoothing }: Recall, { label, distance }: Near, answer: Float64Array): void {
  if (reach === 0 || label < 0) return
  const weight = worthOf(distance, reach)
  const total = weight + smoothing
  for (let k = 0; k < answer.length; k++) answer[k] = ((answer[k] as number) * smoothing) / total
  answer[label] = (answer[label] as number) + weight / total
}

/** What is answered on the held-out examples so far; `floor` is the share of the uniform in every answer. */
interface Answered {
  readonly held: HeldOut
  readonly pooled: Float64Array
  readonly floor: number
}

/** Fills `losses` with the log-loss of each held-out example, the answers with what is recalled. */
function lossesWith(recall: Recall, { held, pooled, floor }: Answered, losses: Float64Array): void {
  const { classCount, classes, weights, nearestClasses, nearestDistances } = held
  for (let h = 0; h < classes.length; h++) {
    const truth = classes[h] as number
    let chance = pooled[h * classCount + truth] as number
    const label = nearestClasses[h] as number
    if (recall.reach > 0 && label >= 0) {
      const weight = worthOf(nearestDistances[h] as number, recall.reach)
      chance = ((label === truth ? weight : 0) + recall.smoothing * chance) / (weight + recall.smoothing)
    }
    losses[h] = -(weights[h] as number) * Math.log((1 - floor) * chance + floor / classCount)
  }
}

/** Chooses for `pooled`, the pool's answers on the held-out examples, and mixes what is recalled into it; `scale` is the usual distance. */
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

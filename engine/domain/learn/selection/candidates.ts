/**
 * What is known of the buckets that people may be asked about next: how many events each has, how doubtful its answer
 * is, and how alike they are.
 *
 *   mass      √ of the events of the bucket
 *   doubt     1 - max p of the softened model, or the expected cost of its answer; 1 without a model
 *   covered   the likeness to the nearest labelled bucket
 *   alike     the likeness to each of the 32 nearest other candidates
 *
 * Owns: these figures. Leaves out: which buckets are candidates (screening.ts), the order (ask-order.ts).
 *
 * 1. Likeness is that of the learner (likeness.ts). It fades with the distance: at `fadeDistance` it is 1 / e.
 */
import type { EventLikeness, Model, Objective, PointValues } from '../classifier.js'

/** Candidates of one pool, and labelled buckets that they are compared with; at most what a model compares with. */
export const candidatesMax = 1_024
/** Neighbours of a candidate whose doubt counts. */
export const neighboursMax = 32
const fadeDistance = 0.05
/** The power that softens probabilities: a sure answer keeps some doubt. */
const softening = 0.5

export interface CandidatesInput {
  /** The values of the candidates and the events of each; at most candidatesMax. */
  readonly values: readonly PointValues[]
  readonly events: readonly number[]
  /** The values of labelled buckets; at most candidatesMax. */
  readonly labelled: readonly PointValues[]
  readonly likeness: EventLikeness
  readonly model: Model | null
  readonly labelCount: number
  readonly objective: Objective
}

/** By the place of a candidate. */
export interface Candidates {
  readonly mass: Float64Array
  readonly doubt: Float64Array
  /** The outlier score as a share of the least one of an outlier; 0 without a model. */
  readonly unlike: Float64Array
  readonly covered: Float64Array
  /** `neighboursMax` places each, nearest first; -1 where there is none. */
  readonly neighbours: Int32Array
  /** Their likeness. */
  readonly alike: Float32Array
}

/** From 1, equal, towards 0. */
export function alikeAt(distance: number): number {
  return Math.exp(-Math.max(0, distance) / fadeDistance)
}

/** The doubt about the answer to an event with these probabilities; fills `soft`. From 0 to 1. */
export function doubtOf(model: Pick<Model, 'choose'>, probabilities: Float64Array, objective: Objective): number {
  if (typeof objective === 'object') return expectedCost(model.choose(probabilities), probabilities, objective.costs)
  let [most, sum] = [0, 0]
  for (const probability of probabilities) {
    const soft = probability ** softening
    sum += soft
    if (soft > most) most = soft
  }
  return sum > 0 ? 1 - most / sum : 1
}

/** As a share of the largest cost. */
function expectedCost(answer: number, probabilities: Float64Array, costs: readonly (readonly number[])[]): number {
  let [expected, largest] = [0, 0]
  for (const [truth, row] of costs.entries()) {
    expected += (probabilities[truth] ?? 0) * (row[answer] ?? 0)
    for (const cost of row) largest = Math.max(largest, cost)
  }
  return largest > 0 ? expected / largest : 0
}

export function gatherCandidates(input: CandidatesInput): Candidates {
  const { values, events, labelled, likeness, model, labelCount, objective } = input
  const count = values.length
  const doubt = new Float64Array(count).fill(1)
  const unlike = new Float64Array(count)
  if (model !== null) {
    const probabilities = new Float64Array(labelCount)
    for (const [place, one] of values.entries()) {
      unlike[place] = model.assess(one, probabilities) / model.summary.outlierThreshold
      doubt[place] = doubtOf(model, probabilities, objective)
    }
  }
  const covered = new Float64Array(count)
  if (labelled.length > 0) {
    likeness.holdAll(labelled)
    for (const [place, one] of values.entries()) {
      let nearest = Number.POSITIVE_INFINITY
      for (const distance of likeness.distances(one)) if (distance < nearest) nearest = distance
      covered[place] = alikeAt(nearest)
    }
  }
  return { mass: Float64Array.from(events, Math.sqrt), doubt, unlike, covered, ...neighboursOf(values, likeness) }
}

function neighboursOf(
  values: readonly PointValues[],
  likeness: EventLikeness,
): Pick<Candidates, 'neighbours' | 'alike'> {
  const neighbours = new Int32Array(values.length * neighboursMax).fill(-1)
  const alike = new Float32Array(values.length * neighboursMax)
  likeness.holdAll(values)
  const nearest = new Float64Array(neighboursMax)
  for (const [place, one] of values.entries()) {
    const distances = likeness.distances(one)
    const from = place * neighboursMax
    let found = 0
    for (let other = 0; other < distances.length; other++) {
      const distance = distances[other] as number
      if (other === place || (found === neighboursMax && distance >= (nearest[found - 1] as number))) continue
      let at = found < neighboursMax ? found++ : found - 1
      for (; at > 0 && (nearest[at - 1] as number) > distance; at--) {
        nearest[at] = nearest[at - 1] as number
        neighbours[from + at] = neighbours[from + at - 1] as number
      }
      nearest[at] = distance
      neighbours[from + at] = other
    }
    for (let at = 0; at < found; at++) alike[from + at] = alikeAt(nearest[at] as number)
  }
  return { neighbours, alike }
}

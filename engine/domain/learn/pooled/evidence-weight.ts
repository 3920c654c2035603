/**
 * How many voted events the model counts as beside the votes on a bucket.
 *
 * The knowledge base answers (c + m p) / (n + m) with c of n voted events of a bucket for a label, and p the model's
 * probability of it. Here m is chosen by held-out examples: of each, p comes from a model without its fold, and c and n
 * from the examples of the same bucket in the other folds. So m is small where votes on a bucket agree, and large where
 * the model knows better than a few votes. This is empirical Bayes for a Dirichlet-multinomial (Good 1965).
 *
 * 1. With too few examples in buckets that have others, nothing is measured: the usual weight stays.
 */
import type { AtomRows } from '../features/pair-choice.js'
import { heldOutCounts } from './cells.js'
import type { HeldOutAnswers } from './corrections.js'

const weights = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]
/** The place of the usual weight. */
const usual = 3
/** With fewer held-out examples in known buckets nothing is measured. */
const examplesMin = 20
/** Another weight has to gain this much in log-likelihood for each step away from the usual one. */
const gainPerStep = 0.5

export interface EvidenceInput {
  readonly answers: HeldOutAnswers | null
  /** The whole values of all examples. */
  readonly rows: AtomRows
  readonly uniformShare: number
  readonly labelCount: number
}

/** The weight m, or null. */
export function fitEvidenceWeight({ answers, rows, uniformShare, labelCount }: EvidenceInput): number | null {
  if (answers === null) return null
  const { held, chances } = answers
  const { classCount } = held
  const everyPoint = Int32Array.from({ length: rows.pointCount }, (_, point) => point)
  const others = heldOutCounts(everyPoint, rows, new Float64Array(rows.classes.length).fill(1), held)
  const losses = new Float64Array(weights.length)
  let known = 0
  for (let h = 0; h < held.classes.length; h++) {
    let total = 0
    for (let k = 0; k < classCount; k++) total += others[h * classCount + k] as number
    if (total === 0) continue
    known++
    const at = h * classCount + (held.classes[h] as number)
    const chance = (1 - uniformShare) * (chances[at] as number) + uniformShare / labelCount
    weights.forEach((weight, i) => {
      const p = ((others[at] as number) + weight * chance) / (total + weight)
      losses[i] = (losses[i] as number) - (held.weights[h] as number) * Math.log(p)
    })
  }
  if (known < examplesMin) return null
  let best = usual
  const cost = (i: number): number => (losses[i] as number) + gainPerStep * Math.abs(i - usual)
  for (let i = 0; i < weights.length; i++) if (cost(i) < cost(best)) best = i
  return weights[best] as number
}

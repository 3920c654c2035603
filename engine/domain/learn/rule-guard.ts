/**
 * Whether a rule for macro F1 pays: what held-out examples say, whose labels are known.
 *
 * The rule follows what the model expects. Where the model is too sure that a rare label is frequent, the rule can lose
 * in accuracy and macro F1 alike, and be worse than always answering the commonest label. So a rule may cost accuracy
 * only for macro F1 that it won on held-out examples, at a price. Some accuracy is free: so few examples cannot tell it
 * from chance, and a rare label is hardly among them.
 *
 * What a hundred examples say would be another thing with one of them more. So it is asked of many draws of them, and
 * the mean counts: the Bayesian bootstrap (Rubin 1981), by which a choice of these examples becomes one over examples
 * like them (bagging; Breiman 1996).
 */
import { Sfc32 } from './sfc32.js'

/** Figures of a rule on held-out examples. */
interface Judged {
  readonly accuracy: number
  readonly macroF1: number
}

/** The accuracy that may be paid for the same gain of macro F1. */
const price = 3
/** The accuracy that is free, for one example; it falls with the root of their number, as chance does. */
const free = 0.3
/** With fewer examples nothing can be told. */
const examplesMin = 30
const draws = 50

/** Held-out examples; more events may follow, whose label nobody knows. */
export interface KnownEvents {
  readonly truths: Int32Array
  readonly weights: Float64Array
  readonly labelCount: number
}

function judge({ truths, weights, labelCount }: KnownEvents, answers: Int32Array): Judged {
  const hits = new Float64Array(labelCount)
  const seen = new Float64Array(labelCount)
  const truly = new Float64Array(labelCount)
  let total = 0
  let right = 0
  truths.forEach((truth, i) => {
    const weight = weights[i] as number
    const answer = answers[i] as number
    truly[truth] = (truly[truth] as number) + weight
    seen[truth] = (seen[truth] as number) + weight
    seen[answer] = (seen[answer] as number) + weight
    if (answer === truth) {
      hits[truth] = (hits[truth] as number) + weight
      right += weight
    }
    total += weight
  })
  const present = [...truly.keys()].filter((k) => (truly[k] as number) > 0)
  const sum = present.reduce((f1, k) => f1 + (2 * (hits[k] as number)) / (seen[k] as number), 0)
  return { accuracy: right / total, macroF1: sum / present.length }
}

/** How far the rule pays in one draw of the examples. */
function shareOf(plain: Judged, ruled: Judged, examples: number): number {
  const cost = plain.accuracy - ruled.accuracy
  if (cost <= 0) return 1
  return Math.min(1, (price * Math.max(0, ruled.macroF1 - plain.macroF1) + free / Math.sqrt(examples)) / cost)
}

/**
 * How far to go from the most probable label towards the rule, 0 to 1: as far as it pays. It is a share, not yes or no,
 * so that one example more changes it little. `plain` and `ruled` are the answers of both, by event.
 */
export function payingShare(known: KnownEvents, plain: Int32Array, ruled: Int32Array): number {
  const { truths, weights } = known
  const count = truths.length
  if (count < examplesMin || truths.every((_, i) => plain[i] === ruled[i])) return 1
  const drawn = new Float64Array(count)
  let sum = 0
  for (let draw = 0; draw < draws; draw++) {
    const random = new Sfc32(draw, 0)
    for (let i = 0; i < count; i++) drawn[i] = -(weights[i] as number) * Math.log((random.next() + 1) / 0x1_0000_0001)
    const all = { ...known, weights: drawn }
    sum += shareOf(judge(all, plain), judge(all, ruled), count)
  }
  return sum / draws
}

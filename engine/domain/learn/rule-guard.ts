/**
 * Whether a rule for macro F1 pays: what held-out examples say, whose labels are known.
 *
 * The rule follows what the model expects. Where the model is too sure that a rare label is frequent, the rule can lose
 * in accuracy and macro F1 alike, and be worse than always answering the commonest label. So a rule may cost accuracy
 * only for macro F1 that it won on held-out examples, at a price. Some accuracy is free: so few examples cannot tell it
 * from chance, and a rare label is hardly among them.
 */

/** Figures of a rule on held-out examples. */
export interface Judged {
  readonly examples: number
  readonly accuracy: number
  readonly macroF1: number
}

/** The accuracy that may be paid for the same gain of macro F1. */
const price = 3
/** The accuracy that is free, for one example; it falls with the root of their number, as chance does. */
const free = 0.3
/** With fewer examples nothing can be told. */
const examplesMin = 30

/**
 * True where all held-out examples have one label, and each other label is known by one example at most. Then nothing
 * says that the model can tell that label: what is expected of answering it is a guess.
 */
export function restsOnSingles(truths: Int32Array, examples: Int32Array): boolean {
  const [first] = truths
  if (first === undefined || truths.some((truth) => truth !== first)) return false
  return examples.every((count, label) => label === first || count <= 1)
}

/** The figures of answers; `answerOf` takes the index of an event, the first of which have truths. */
export function judge(
  truths: Int32Array,
  weights: Float64Array,
  labelCount: number,
  answerOf: (event: number) => number,
): Judged {
  const hits = new Float64Array(labelCount)
  const seen = new Float64Array(labelCount)
  const truly = new Float64Array(labelCount)
  let total = 0
  let right = 0
  truths.forEach((truth, i) => {
    const weight = weights[i] as number
    const answer = answerOf(i)
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
  return { examples: truths.length, accuracy: right / total, macroF1: sum / present.length }
}

/**
 * How far to go from the most probable label towards the rule, 0 to 1: as far as it pays. It is a share, not yes or no,
 * so that one example more changes it little.
 */
export function payingShare(plain: Judged, ruled: Judged): number {
  const { examples } = plain
  const cost = plain.accuracy - ruled.accuracy
  if (examples < examplesMin || cost <= 0) return 1
  return Math.min(1, (price * Math.max(0, ruled.macroF1 - plain.macroF1) + free / Math.sqrt(examples)) / cost)
}

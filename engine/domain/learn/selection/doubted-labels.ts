/**
 * Labels that a model contradicts, asked without them: which of them are probably wrong.
 *
 *   doubt = 1 - p(y)
 *
 *   wrong = η (1 - p(y)) / (η (1 - p(y)) + (1 - η) p(y))
 *
 * p(y) is the held-out probability of the label y that was given. η is the share of examples whose best other label k
 * is ahead of their own and of its usual probability t(k), the mean p(k) of examples with the label k: an estimate of
 * how many labels are wrong, of two examples at least. This is confident learning (Northcutt, Jiang, Chuang, "Confident
 * learning: estimating uncertainty in dataset labels", 2021, arXiv 1911.00068). The order by p(k) - t(k) was tried: it
 * finds far fewer wrong labels where one label is common (bench/NOTES.md).
 */

/** The answer to a labelled example, of a model that was trained without it. */
export interface HeldOutAnswer {
  /** Its place in the training set. */
  readonly example: number
  /** Index of its label. */
  readonly label: number
  readonly probabilities: Float64Array
}

export interface DoubtedLabel {
  readonly example: number
  readonly label: number
  /** The label that the model would give. */
  readonly suggested: number
  /** Probabilities of the two. */
  readonly given: number
  readonly other: number
  /** The larger, the more it is contradicted. */
  readonly doubt: number
  /** The chance that the label is wrong, 0 to 1. */
  readonly wrong: number
}

const wrongMin = 2

/** By doubt, the most doubted first. */
export function doubtedLabels(answers: readonly HeldOutAnswer[], labelCount: number): DoubtedLabel[] {
  const usual = usualProbabilities(answers, labelCount)
  const doubted = answers.map(({ example, label, probabilities }) => {
    let suggested = -1
    for (let k = 0; k < labelCount; k++) {
      const best = suggested < 0 ? Number.NEGATIVE_INFINITY : (probabilities[suggested] as number)
      if (k !== label && Number.isFinite(usual[k]) && (probabilities[k] as number) > best) suggested = k
    }
    const [given, other] = [probabilities[label] as number, suggested < 0 ? 0 : (probabilities[suggested] as number)]
    const doubt = 1 - given
    const isConfident = other > given && other >= (usual[suggested] ?? Number.POSITIVE_INFINITY)
    return { example, label, suggested, given, other, doubt, isConfident }
  })
  const found = doubted.filter(({ isConfident }) => isConfident).length
  const rate = Math.min(0.5, Math.max(wrongMin, found) / Math.max(wrongMin * 2, answers.length))
  return doubted
    .filter(({ suggested }) => suggested >= 0)
    .map(({ isConfident: _, ...one }) => ({ ...one, wrong: wrongChance(one.given, rate) }))
    .sort((a, b) => b.doubt - a.doubt || a.example - b.example)
}

/** The mean probability of each label over the examples that have it; infinite for a label without any. */
function usualProbabilities(answers: readonly HeldOutAnswer[], labelCount: number): Float64Array {
  const sums = new Float64Array(labelCount)
  const counts = new Float64Array(labelCount)
  for (const { label, probabilities } of answers) {
    sums[label] = (sums[label] as number) + (probabilities[label] as number)
    counts[label] = (counts[label] as number) + 1
  }
  return sums.map((sum, k) => ((counts[k] as number) > 0 ? sum / (counts[k] as number) : Number.POSITIVE_INFINITY))
}

function wrongChance(given: number, rate: number): number {
  const wrong = rate * (1 - given)
  return wrong / (wrong + (1 - rate) * given)
}

/**
 * Labels that a model contradicts, asked without them: which of them are probably wrong.
 *
 * Held-out probabilities are compared with what is usual for each label: p(k) - t(k), where t(k) is the mean p(k) of
 * the examples with the label k. This is confident learning (Northcutt, Jiang, Chuang, "Confident learning: estimating
 * uncertainty in dataset labels", 2021, arXiv 1911.00068). A label is doubted by how far the best other label is ahead:
 *
 *   doubt = max over k ≠ y of (p(k) - t(k)) - (p(y) - t(y))
 *
 *   wrong = η (1 - p(y)) / (η (1 - p(y)) + (1 - η) p(y))
 *
 * η is the share of examples whose best other label is above its usual probability and above their own: an estimate of
 * how many labels are wrong, of two examples at least.
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
  /** The larger, the more it is contradicted; positive where the other label is ahead. */
  readonly doubt: number
  /** The chance that the label is wrong, 0 to 1. */
  readonly wrong: number
}

const wrongMin = 2

/** By doubt, the most doubted first. */
export function doubtedLabels(answers: readonly HeldOutAnswer[], labelCount: number): DoubtedLabel[] {
  const usual = usualProbabilities(answers, labelCount)
  const doubted = answers.map(({ example, label, probabilities }) => {
    const ahead = (k: number): number => (probabilities[k] as number) - (usual[k] as number)
    let suggested = -1
    for (let k = 0; k < labelCount; k++)
      if (k !== label && Number.isFinite(usual[k]) && (suggested < 0 || ahead(k) > ahead(suggested))) suggested = k
    const [given, other] = [probabilities[label] as number, suggested < 0 ? 0 : (probabilities[suggested] as number)]
    const doubt = suggested < 0 ? Number.NEGATIVE_INFINITY : ahead(suggested) - ahead(label)
    const isConfident = suggested >= 0 && ahead(suggested) >= 0 && other > given
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

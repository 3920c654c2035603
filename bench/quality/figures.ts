/** The figures of decision quality, as the protocol defines them. */

/** How good decisions were on the scored events. */
export interface ClassificationFigures {
  readonly accuracy: number
  /** Mean over the classes present in the truth. */
  readonly macroF1: number
  /** Natural logarithm; every vector mixed with 0.001 of the uniform over all classes of the set. */
  readonly logLoss: number
  /** Expected calibration error: 15 equal bins of the top probability. */
  readonly ece: number
}

const uniformShare = 0.001
const bins = 15

/** Collects decisions and their truth. */
export class ClassificationTally {
  readonly #classCount: number
  readonly #confusion: Int32Array
  readonly #binCount = new Float64Array(bins)
  readonly #binTop = new Float64Array(bins)
  readonly #binRight = new Float64Array(bins)
  readonly #binVariance = new Float64Array(bins)
  #loss = 0
  #count = 0
  #right = 0

  constructor(classCount: number) {
    this.#classCount = classCount
    this.#confusion = new Int32Array(classCount * classCount)
  }

  /** `probabilities` of all classes. `answer` is the decision: the most probable class if left out. */
  add(probabilities: Float64Array, truth: number, answer?: number): void {
    const k = this.#classCount
    let top = 0
    for (let i = 1; i < k; i++) if ((probabilities[i] as number) > (probabilities[top] as number)) top = i
    const said = answer ?? top
    const at = truth * k + said
    this.#confusion[at] = (this.#confusion[at] as number) + 1
    this.#loss -= Math.log((1 - uniformShare) * (probabilities[truth] as number) + uniformShare / k)
    // The probability of the answer: the top one, unless a rule chose another.
    const p = probabilities[said] as number
    const bin = Math.min(bins - 1, Math.max(0, Math.ceil(p * bins) - 1))
    this.#binCount[bin] = (this.#binCount[bin] as number) + 1
    this.#binTop[bin] = (this.#binTop[bin] as number) + p
    this.#binVariance[bin] = (this.#binVariance[bin] as number) + p * (1 - p)
    if (said === truth) {
      this.#binRight[bin] = (this.#binRight[bin] as number) + 1
      this.#right++
    }
    this.#count++
  }

  /** Mean probability of the answers. */
  get confidence(): number {
    return this.#binTop.reduce((a, b) => a + b, 0) / this.#count
  }

  /** The calibration error that is expected by chance, were the probability of each answer the truth. */
  get chanceEce(): number {
    return this.#binVariance.reduce((sum, variance) => sum + Math.sqrt((2 * variance) / Math.PI), 0) / this.#count
  }

  figures(): ClassificationFigures {
    const k = this.#classCount
    let f1 = 0
    let present = 0
    for (let label = 0; label < k; label++) {
      let truths = 0
      let said = 0
      for (let other = 0; other < k; other++) {
        truths += this.#confusion[label * k + other] as number
        said += this.#confusion[other * k + label] as number
      }
      if (truths === 0) continue
      present++
      f1 += (2 * (this.#confusion[label * k + label] as number)) / (truths + said)
    }
    let ece = 0
    for (let bin = 0; bin < bins; bin++) {
      ece += Math.abs((this.#binTop[bin] as number) - (this.#binRight[bin] as number)) / this.#count
    }
    return { accuracy: this.#right / this.#count, macroF1: f1 / present, logLoss: this.#loss / this.#count, ece }
  }
}

/** How well scores separate outliers from known events. */
export interface RankingFigures {
  /**
   * Area under the receiver operating curve: the chance that an outlier scores above a known event; ties count half.
   */
  readonly auroc: number
  /** Mean precision over the recall steps, ties taken together. */
  readonly averagePrecision: number
}

export function rankingFigures(known: readonly number[], outliers: readonly number[]): RankingFigures {
  const all = [
    ...known.map((score) => ({ score, outlier: false })),
    ...outliers.map((score) => ({ score, outlier: true })),
  ]
  all.sort((a, b) => b.score - a.score)
  let area = 0
  let precision = 0
  let hits = 0
  let alarms = 0
  for (let i = 0; i < all.length; ) {
    let end = i
    let tiedHits = 0
    for (; end < all.length && all[end]?.score === all[i]?.score; end++) if (all[end]?.outlier === true) tiedHits++
    const tiedAlarms = end - i - tiedHits
    area += tiedAlarms * (hits + tiedHits / 2)
    hits += tiedHits
    alarms += tiedAlarms
    precision += tiedHits * (hits / (hits + alarms))
    i = end
  }
  return { auroc: area / (known.length * outliers.length), averagePrecision: precision / outliers.length }
}

/** The mean of each field. */
export function meanOf<T extends object>(all: readonly T[]): T {
  const fields = Object.keys(all[0] as T) as (keyof T)[]
  const sum = (field: keyof T): number => all.reduce((total, one) => total + (one[field] as number), 0)
  return Object.fromEntries(fields.map((field) => [field, sum(field) / all.length])) as T
}

/**
 * The confusion matrix and its scores.
 *
 * Owns: counts of events by consensus and decision, precision, recall, F1, accuracy. Leaves out: which events count
 * (event-tally.ts).
 *
 * Rows are the consensus, columns the decision, both in the order of the job's labels. Let m be the matrix and n its
 * sum. For a label k:
 *
 * | score     | is                              | score     | is                         |
 * |-----------|---------------------------------|-----------|----------------------------|
 * | TP        | m[k][k]                         | precision | TP / (TP + FP)             |
 * | FP        | sum over i != k of m[i][k]      | recall    | TP / (TP + FN)             |
 * | FN        | sum over j != k of m[k][j]      | F1        | 2 TP / (2 TP + FP + FN)    |
 * | TN        | n - TP - FP - FN                | accuracy  | sum over k of m[k][k] / n  |
 *
 * A score with the denominator 0 is 0. Overall precision, recall and F1 are plain means over the labels that occur as a
 * consensus or as a decision. They are the macro averages of scikit-learn's precision_recall_fscore_support with
 * zero_division=0. Accuracy and means are null if no event is counted.
 */
import { sum } from './divergence.js'

/** Scores of one label against the rest, 0 to 1. */
export interface DecisionScores {
  readonly precision: number
  readonly recall: number
  readonly f1Score: number
  readonly truePositives: number
  readonly trueNegatives: number
  readonly falsePositives: number
  readonly falseNegatives: number
}

/** The scores of one matrix, 0 to 1; null if it is empty. */
export interface Quality {
  readonly confusionMatrix: readonly (readonly number[])[]
  readonly overallAccuracy: number | null
  readonly overallF1Score: number | null
  readonly overallRecall: number | null
  readonly overallPrecision: number | null
  /** By name of the label. */
  readonly metricsPerDecision: ReadonlyMap<string, DecisionScores>
}

export class ConfusionMatrix {
  readonly rows: number[][]

  constructor(labelCount: number) {
    this.rows = Array.from({ length: labelCount }, () => new Array<number>(labelCount).fill(0))
  }

  /** A matrix with these counts. */
  static of(rows: readonly (readonly number[])[]): ConfusionMatrix {
    const matrix = new ConfusionMatrix(rows.length)
    rows.forEach((row, i) => row.forEach((count, j) => matrix.add(i, j, count)))
    return matrix
  }

  /** Counts events. A label that the job does not have is ignored. */
  add(consensus: number, decision: number, events = 1): void {
    const row = this.rows[consensus]
    if (row === undefined || decision < 0 || decision >= row.length) return
    row[decision] = (row[decision] as number) + events
  }

  addAll(other: ConfusionMatrix): void {
    other.rows.forEach((row, i) => row.forEach((count, j) => this.add(i, j, count)))
  }

  get total(): number {
    return sum(this.rows.map(sum))
  }

  /** Events whose decision is their consensus. */
  get right(): number {
    return sum(this.rows.map((row, i) => row[i] as number))
  }

  quality(labels: readonly string[]): Quality {
    const scores = this.rows.map((_, label) => this.#scoresOf(label))
    const occurring = scores.filter(
      ({ truePositives, falsePositives, falseNegatives }) => truePositives + falsePositives + falseNegatives > 0,
    )
    const mean = (pick: (one: DecisionScores) => number): number | null => {
      return occurring.length === 0 ? null : sum(occurring.map(pick)) / occurring.length
    }
    return {
      confusionMatrix: this.rows,
      overallAccuracy: this.total === 0 ? null : this.right / this.total,
      overallF1Score: mean(({ f1Score }) => f1Score),
      overallRecall: mean(({ recall }) => recall),
      overallPrecision: mean(({ precision }) => precision),
      metricsPerDecision: new Map(labels.map((name, label) => [name, scores[label] as DecisionScores])),
    }
  }

  #scoresOf(label: number): DecisionScores {
    const truePositives = (this.rows[label] as number[])[label] as number
    const falsePositives = sum(this.rows.map((row) => row[label] as number)) - truePositives
    const falseNegatives = sum(this.rows[label] as number[]) - truePositives
    return {
      precision: ratio(truePositives, truePositives + falsePositives),
      recall: ratio(truePositives, truePositives + falseNegatives),
      f1Score: ratio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives),
      truePositives,
      trueNegatives: this.total - truePositives - falsePositives - falseNegatives,
      falsePositives,
      falseNegatives,
    }
  }
}

/** `part / whole`, or 0 if `whole` is 0. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

/** Answers to the scored events of a set, from whoever gave them, and their figures. */
import type { Dataset } from '../dataset.js'
import { ClassificationTally, type ClassificationFigures } from '../figures.js'

export interface Answered {
  /** Index of the label; -1 without a decision. */
  readonly label: number
  /** Percent, with two decimals. */
  readonly confidence: number
  /** By label. */
  readonly probabilities: readonly number[]
}

export interface AnsweredFigures extends ClassificationFigures {
  /** Answers with a confidence of 95 and more, and how many of them are right. */
  readonly confident: number
  readonly confidentRight: number
}

const confidentFrom = 95

/** By accuracy, macro F1 and calibration of the answers, and the log-loss of the probabilities. */
export function figuresOf({ protocol, labels, labelNames }: Dataset, answers: readonly Answered[]): AnsweredFigures {
  const tally = new ClassificationTally(labelNames.length)
  let [confident, confidentRight] = [0, 0]
  protocol.test.forEach((line, i) => {
    const { label, confidence, probabilities } = answers[i] as Answered
    const truth = labels[line] as number
    tally.add(Float64Array.from(probabilities), truth, label)
    if (confidence < confidentFrom) return
    confident++
    if (label === truth) confidentRight++
  })
  return { ...tally.figures(), confident, confidentRight }
}

export interface Difference {
  /** Answers with another label. */
  readonly labels: number
  /** The largest difference of a confidence, in points of percent, where labels are the same. */
  readonly points: number
}

export function differenceOf(a: readonly Answered[], b: readonly Answered[]): Difference {
  let [labels, points] = [0, 0]
  a.forEach((one, i) => {
    const other = b[i] as Answered
    if (one.label !== other.label) labels++
    else points = Math.max(points, Math.abs(one.confidence - other.confidence))
  })
  return { labels, points }
}

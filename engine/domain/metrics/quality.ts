/**
 * Quality on events that the service had not been told about (S26): figures, each with its number of events and an
 * interval.
 *
 * Owns: what follows from counts of scored answers. Leaves out: which answers are scored (actor/votes/first-answers.ts,
 * learn/pooled/held-out-figures.ts), scores of a matrix (confusion.ts), intervals (interval.ts).
 *
 * | figure            | of                                                                                |
 * |-------------------|-----------------------------------------------------------------------------------|
 * | accuracy          | all scored events: the share answered rightly                                     |
 * | commonest         | all scored events: the share of the truth that occurs most often                  |
 * | macro F1          | the same; the mean of the labels that occur as truth or answer (S24)              |
 * | precision         | events that got this answer: the share that is right                              |
 * | recall            | events with this truth: the share answered so                                     |
 * | reliability       | by answer, ten bins of confidence: the share right beside the mean confidence     |
 * | calibration error | sum over answers and bins of n_bin / n times abs(share right - mean confidence)   |
 *
 * 1. A figure from fewer than ENOUGH events is null, whatever it would be. The number of events is always there.
 */
import { CONFIDENCE_BINS, type ScoredAnswers } from '../learn/scored-answers.js'
import { ConfusionMatrix, type Quality } from './confusion.js'
import { bootstrapped, wilson, type Interval95 } from './interval.js'

/** Events that a figure needs. */
export const ENOUGH_EVENTS = 30

/** A figure with its 95 % interval; null from fewer than ENOUGH_EVENTS. */
export interface Measured {
  readonly value: number | null
  readonly low: number | null
  readonly high: number | null
  readonly events: number
}

export interface ReliabilityBin {
  readonly from: number
  readonly to: number
  readonly events: number
  readonly right: number
  /** Null without events. */
  readonly meanConfidence: number | null
  readonly shareRight: Measured
}

export interface QualityReport {
  /** Scored events. */
  readonly events: number
  readonly enough: boolean
  /** For people: `not enough yet`, with how many more; null where there are enough. */
  readonly message: string | null
  readonly accuracy: Measured
  readonly macroF1: Measured
  /** The label that analysts gave most often: who always says it is right in this share. Null without events. */
  readonly commonest: { readonly label: string | null; readonly share: Measured }
  /** Null from fewer than ENOUGH_EVENTS. */
  readonly expectedCalibrationError: number | null
  /** By name of the label. */
  readonly perLabel: ReadonlyMap<
    string,
    {
      readonly precision: Measured
      readonly recall: Measured
      /** Events with this truth that were answered so, from the first one on. */
      readonly right: number
      readonly reliability: readonly ReliabilityBin[]
    }
  >
}

/** A figure of so many events; `intervalOf` is asked only if these are enough. */
export function measured(value: number, events: number, intervalOf: () => Interval95): Measured {
  if (events < ENOUGH_EVENTS) return { value: null, low: null, high: null, events }
  return { value, ...intervalOf(), events }
}

/** The share of `part` events in `whole`. */
export function shareOf(part: number, whole: number): Measured {
  return measured(part / whole, whole, () => wilson(part, whole))
}

/** Minutes that right decisions saved (S18): those of all decided events, times the measured share right, or 0. */
export function minutesSaved(decided: number, scored: ScoredAnswers, minutesPerAlert: number): number {
  const { total, right } = matrixOf(scored)
  return total < ENOUGH_EVENTS ? 0 : Math.round((decided * minutesPerAlert * right) / total)
}

/** Says that there are too few events, or null. */
export function tooFew(events: number): string | null {
  return events >= ENOUGH_EVENTS ? null : `not enough yet: ${events} of ${ENOUGH_EVENTS} events`
}

/** The counts without their bins. Rows: truth; columns: answer. */
export function matrixOf(scored: ScoredAnswers): ConfusionMatrix {
  const labels = Array.from({ length: scored.labelCount }, (_, label) => label)
  return ConfusionMatrix.of(labels.map((truth) => labels.map((answer) => scored.events(truth, answer))))
}

/**
 * Scores in the shape of the specification, which has numbers (S41): those of answers before the votes where there are
 * enough, else those of the model to held-out events, else 0. `basis` says which.
 */
export function overallOf(
  measuredAnswers: ScoredAnswers,
  heldOut: ScoredAnswers | null,
  labels: readonly string[],
): OverallQuality {
  const measuredMatrix = matrixOf(measuredAnswers)
  const heldOutMatrix = heldOut === null ? null : matrixOf(heldOut)
  const isMeasured = measuredMatrix.total >= ENOUGH_EVENTS
  const isHeldOut = !isMeasured && heldOutMatrix !== null && heldOutMatrix.total > 0
  const matrix = isHeldOut ? heldOutMatrix : measuredMatrix
  const basis = isMeasured ? 'before_votes' : isHeldOut ? 'held_out' : 'none'
  const quality = matrix.quality(labels)
  const numberOf = (value: number | null): number => (basis === 'none' ? 0 : (value ?? 0))
  return {
    ...quality,
    overallAccuracy: numberOf(quality.overallAccuracy),
    overallF1Score: numberOf(quality.overallF1Score),
    overallRecall: numberOf(quality.overallRecall),
    overallPrecision: numberOf(quality.overallPrecision),
    basis,
    basisEvents: basis === 'none' ? 0 : matrix.total,
  }
}

/** What overall figures were measured on: answers before the votes, held-out events of a training, or nothing. */
export type QualityBasis = 'before_votes' | 'held_out' | 'none'

/** Scores that are always numbers. */
export interface OverallQuality extends Quality {
  readonly overallAccuracy: number
  readonly overallF1Score: number
  readonly overallRecall: number
  readonly overallPrecision: number
  readonly basis: QualityBasis
  /** Events that the figures are of. */
  readonly basisEvents: number
}

function commonestOf(
  rows: readonly (readonly number[])[],
  labels: readonly string[],
  total: number,
): QualityReport['commonest'] {
  const counts = rows.map((row) => row.reduce((sum, count) => sum + count, 0))
  const most = Math.max(0, ...counts)
  const label = total === 0 ? null : (labels[counts.indexOf(most)] ?? null)
  return { label, share: shareOf(most, total) }
}

export function qualityOf(scored: ScoredAnswers, labels: readonly string[]): QualityReport {
  const matrix = matrixOf(scored)
  const { total, rows } = matrix
  const macroF1 = (cells: readonly number[]): number => {
    const redrawn = rows.map((row, at) => cells.slice(at * row.length, (at + 1) * row.length))
    return ConfusionMatrix.of(redrawn).quality(labels).overallF1Score ?? 0
  }
  const cells = rows.flat()
  return {
    events: total,
    enough: total >= ENOUGH_EVENTS,
    message: tooFew(total),
    accuracy: shareOf(matrix.right, total),
    commonest: commonestOf(rows, labels, total),
    macroF1: measured(macroF1(cells), total, () => bootstrapped(cells, macroF1)),
    expectedCalibrationError: total < ENOUGH_EVENTS ? null : calibrationError(scored, total),
    perLabel: new Map(
      labels.map((name, label) => {
        const right = rows[label]?.[label] ?? 0
        const answered = rows.reduce((sum, row) => sum + (row[label] ?? 0), 0)
        const withTruth = (rows[label] ?? []).reduce((sum, count) => sum + count, 0)
        const reliability = reliabilityOf(scored, label)
        return [name, { precision: shareOf(right, answered), recall: shareOf(right, withTruth), right, reliability }]
      }),
    ),
  }
}

/** Answers of one label in a bin. */
function answered(scored: ScoredAnswers, answer: number, bin: number): number {
  let events = 0
  for (let truth = 0; truth < scored.labelCount; truth++) events += scored.inBin(truth, answer, bin)
  return events
}

function reliabilityOf(scored: ScoredAnswers, answer: number): ReliabilityBin[] {
  return Array.from({ length: CONFIDENCE_BINS }, (_, bin) => {
    const events = answered(scored, answer, bin)
    const right = scored.inBin(answer, answer, bin)
    return {
      from: bin / CONFIDENCE_BINS,
      to: (bin + 1) / CONFIDENCE_BINS,
      events,
      right,
      meanConfidence: events === 0 ? null : scored.confidenceIn(answer, bin) / events,
      shareRight: shareOf(right, events),
    }
  })
}

function calibrationError(scored: ScoredAnswers, total: number): number {
  let error = 0
  for (let answer = 0; answer < scored.labelCount; answer++)
    for (let bin = 0; bin < CONFIDENCE_BINS; bin++)
      error += Math.abs(scored.inBin(answer, answer, bin) - scored.confidenceIn(answer, bin))
  return error / total
}

/**
 * Whether the stream has moved away from what a model was trained on, and how many examples still speak for an answer.
 * No feedback is needed.
 *
 * An outlier score s says that a share e^-s of the known events scores as high (outlier-detector.ts). With q(s), that
 * share of recent events,
 *
 *   w(s) = q(s) / e^-s
 *
 * is the ratio of the densities in the tail. Weighted conformal prediction counts calibration examples by this ratio
 * (Tibshirani, Barber, Candès, Ramdas, "Conformal prediction under covariate shift", 2019). Here N examples count as
 * N / w. The uniform share of an answer is that of so few (pooled/uniform-share.ts). For what was rare in the training
 * and is common now has few examples.
 *
 * 1. Nothing changes while the scores may be those of known events. A likelihood ratio test asks of each step whether
 *    more recent events reach it than known ones. Of 100 streams of 5,000 known events, 2 cross its bound.
 * 2. Events of usual scores are not doubted: there is at least as much evidence for them as before.
 * 3. Plain data and arithmetic: the same scores in the same order give the same doubt (S17).
 */
import { uniformShareOf } from './pooled/uniform-share.js'

/** Recent events, each the less the longer ago; updated in place. */
export interface ShiftState {
  /** The weight of all of them. */
  weight: number
  /** By whole nats of the outlier score, the last step without an end. */
  readonly counts: number[]
}

/** What the doubt depends on beside the stream. */
export interface ShiftEvidence {
  /** The examples of the model. */
  readonly examples: number
  readonly labels: number
}

const stepCount = 6
const fade = 1 - 1 / 500
/** The weight of known events beside the recent ones in a ratio. */
const prior = 20
/** Twice the log-likelihood ratio from which on the stream has moved. */
export const significantMove = 12

/** The share of known events that score at least so many nats. */
const knownTail = Array.from({ length: stepCount }, (_, step) => Math.exp(-step))

export function freshShift(): ShiftState {
  return { weight: 0, counts: new Array<number>(stepCount).fill(0) }
}

function stepOf(score: number): number {
  return Math.min(stepCount - 1, Math.max(0, Math.floor(score)))
}

/** Adds the outlier score of a decided event. */
export function seeScore(state: ShiftState, score: number): void {
  const { counts } = state
  for (let step = 0; step < stepCount; step++) counts[step] = (counts[step] as number) * fade
  const step = stepOf(score)
  counts[step] = (counts[step] as number) + 1
  state.weight = state.weight * fade + 1
}

/** Twice the log-likelihood ratio of a recent share against the known one, where it is above; else 0. */
export function excessEvidence(recent: number, weight: number, known: number): number {
  const share = Math.min(1, recent / weight)
  if (!(share > known)) return 0
  const rest = share < 1 ? (1 - share) * Math.log((1 - share) / (1 - known)) : 0
  return 2 * weight * (share * Math.log(share / known) + rest)
}

/** How much more common events of such a score are than among known ones; 1 at least, and while nothing has moved. */
export function densityRatio({ weight, counts }: ShiftState, score: number): number {
  const own = stepOf(score)
  // Most scores are usual ones, so the logarithms of the evidence are not needed.
  if (own === 0) return 1
  let recent = 0
  let evidence = 0
  let most = 1
  for (let step = stepCount - 1; step >= 1; step--) {
    recent += counts[step] as number
    const known = knownTail[step] as number
    if (evidence <= significantMove) evidence = excessEvidence(recent, weight, known)
    if (step <= own) most = Math.max(most, (recent + prior * known) / (weight + prior) / known)
  }
  return evidence > significantMove ? most : 1
}

/** True where more recent events are unusual than known ones were. */
export function hasShifted(state: ShiftState): boolean {
  return densityRatio(state, stepCount) > 1
}

/** The share of an answer to an event of this score that is spread over all labels; 0 while nothing has moved. */
export function shiftShare(state: ShiftState, score: number, { examples, labels }: ShiftEvidence): number {
  const ratio = densityRatio(state, score)
  if (ratio === 1) return 0
  return 1 - (1 - uniformShareOf(examples / ratio, labels)) / (1 - uniformShareOf(examples, labels))
}

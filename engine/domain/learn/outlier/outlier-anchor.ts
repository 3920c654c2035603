/**
 * Holds the outlier threshold at a rate of false alarms while the stream goes on.
 *
 * A threshold fixed at the training flags more and more of the later stream, as the stream moves. So the threshold
 * follows a quantile of the scores as they arrive, by stochastic approximation (Robbins and Monro, "A stochastic
 * approximation method", 1951):
 *
 *   threshold += (flagged - aim) / (aim (min(n, window) + start)),  aim = 0.8 rate
 *
 * A flagged event raises it by much, any other lowers it by little. It rests where `aim` of the events are flagged. It
 * aims below the rate, because it lags behind a stream that moves.
 *
 * 1. Scores are in nats (outlier-detector.ts), so the threshold starts at -ln rate.
 * 2. New events must not become usual by their mass alone. The threshold rises with the median of the scores, and no
 *    further.
 * 3. The threshold never rises above the score of an event without any seen value.
 * 4. Plain data and arithmetic: the same scores in the same order give the same threshold.
 */

/** The state; updated in place, as it changes with every event. */
export interface AnchorState {
  /** The rate of false alarms that it was made for. */
  rate: number
  threshold: number
  /** The median of recent scores. */
  median: number
  /** Events seen, up to the window. */
  count: number
}

const windowMax = 500
const start = 200
/** The share of the rate that it aims at. */
const aimShare = 0.8
/** How far the threshold may fall below the model's own, in nats. */
const fallMax = 1
const medianSurprise = Math.LN2

/** The rate of a model's own threshold. */
export const outlierRateUsual = 0.02

/** The threshold for that rate: minus its logarithm. */
export const outlierThresholdUsual = -Math.log(outlierRateUsual)

/** An event with at least this score is an outlier by any threshold: no value of it was seen (unseen-values.ts). */
export const certainScore = 100

/** The first threshold: the model's own, moved from the usual rate to this one. */
export function firstThreshold(modelThreshold: number, rate: number): number {
  return Math.max(1e-6, modelThreshold + Math.log(outlierRateUsual / rate))
}

export function freshAnchor(modelThreshold: number, rate: number): AnchorState {
  return { rate, threshold: firstThreshold(modelThreshold, rate), median: medianSurprise, count: 0 }
}

/** Updates the state by the score of an event that was just compared with the threshold. */
export function moveAnchor(state: AnchorState, score: number, modelThreshold: number): void {
  const { rate } = state
  const first = firstThreshold(modelThreshold, rate)
  const flagged = score >= state.threshold ? 1 : 0
  const above = score >= state.median ? 1 : 0
  if (state.count < windowMax) state.count++
  const pace = state.count + start
  state.median = Math.max(0, state.median + (above - 0.5) / (0.5 * pace))
  const highest = first * Math.max(1, state.median / medianSurprise)
  const aim = aimShare * rate
  const moved = state.threshold + (flagged - aim) / (aim * pace)
  state.threshold = Math.max(1e-6, first - fallMax, Math.min(highest, certainScore, moved))
}

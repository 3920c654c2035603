/**
 * Where the line between known and outlier is, held to a share of false alarms while the stream goes on.
 *
 * A threshold taken from a training flags ever more of the later stream, since what is known moves. So the threshold
 * follows a quantile of the scores as they come, by stochastic approximation (Robbins and Monro, "A stochastic
 * approximation method", 1951):
 *   threshold += (flagged - rate) / (rate (min(n, window) + start))
 * which moves up by much where an event was flagged and down by little where it was not, and rests where `rate` of
 * them are.
 *
 * 1. Scores are nats (outlier-detector.ts), so of any rate r the line is -ln r to begin with.
 * 2. What is new in masses must not become usual by its mass alone: the threshold rises no further than the median of
 *    the scores accounts for, and one nat.
 * 3. Plain data and arithmetic: the same scores in the same order give the same line.
 */

/** What is kept of the stream; changed in place, since it changes with every event. */
export interface AnchorState {
  /** The share of false alarms that it was made for. */
  rate: number
  threshold: number
  /** Of the scores of late. */
  median: number
  /** Events seen, up to `window`: more make no difference. */
  count: number
}

const windowMax = 500
const start = 100
/** How far below the model's own line the threshold may fall, in nats. */
const fallMax = 1
const riseFree = 1
const medianSurprise = Math.LN2

/** The rate that a model's own threshold stands for. */
export const outlierRateUsual = 0.02

/** The line for it: minus the logarithm of the rate. */
export const outlierThresholdUsual = -Math.log(outlierRateUsual)

/** The line to begin with: the model's own, moved from the usual rate to this one. */
export function firstThreshold(modelThreshold: number, rate: number): number {
  return Math.max(1e-6, modelThreshold + Math.log(outlierRateUsual / rate))
}

export function freshAnchor(modelThreshold: number, rate: number): AnchorState {
  return { rate, threshold: firstThreshold(modelThreshold, rate), median: medianSurprise, count: 0 }
}

/** Takes in the score of an event that was just held against the threshold; `rate` is 0 to 1, both excluded. */
export function moveAnchor(state: AnchorState, score: number, modelThreshold: number): void {
  const { rate } = state
  const first = firstThreshold(modelThreshold, rate)
  const flagged = score >= state.threshold ? 1 : 0
  const above = score >= state.median ? 1 : 0
  if (state.count < windowMax) state.count++
  const pace = state.count + start
  state.median = Math.max(0, state.median + (above - 0.5) / (0.5 * pace))
  const highest = first * Math.max(1, state.median / medianSurprise) + riseFree
  const moved = state.threshold + (flagged - rate) / (rate * pace)
  state.threshold = Math.max(1e-6, first - fallMax, Math.min(highest, moved))
}

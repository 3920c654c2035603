/**
 * The distribution of confidence, and how well it is calibrated.
 *
 * Owns: ten bins of equal width over confidence 0 to 1, and scores over the events whose right answer is known.
 *
 * | figure            | is                                                                            |
 * |-------------------|-------------------------------------------------------------------------------|
 * | bin i             | events with a confidence in [i / 10, (i + 1) / 10); the last bin includes 1   |
 * | calibration error | expected: sum over bins of n_bin / n times abs(share right - mean confidence) |
 * | Brier score       | mean of (confidence - right)^2, with right 1 or 0; 0 is best                  |
 *
 * A figure is null if no event counts. Sources: Guo et al. 2017, On Calibration of Modern Neural Networks; Brier 1950.
 */

import { binOf, CONFIDENCE_BINS } from '../learn/scored-answers.js'

export interface ConfidenceBin {
  readonly from: number
  readonly to: number
  /** All events. */
  readonly events: number
  /** Events whose right answer is known. */
  readonly judged: number
  /** Those among them that were decided right. */
  readonly right: number
  /** Over the judged events; null if there are none. */
  readonly meanConfidence: number | null
  /** Share of the judged events that are right; null if there are none. */
  readonly shareRight: number | null
}

export interface ConfidenceFigures {
  readonly meanConfidence: number | null
  readonly expectedCalibrationError: number | null
  readonly brierScore: number | null
  readonly bins: readonly ConfidenceBin[]
}

export class ConfidenceTally {
  readonly #events = new Float64Array(CONFIDENCE_BINS)
  readonly #judged = new Float64Array(CONFIDENCE_BINS)
  readonly #right = new Float64Array(CONFIDENCE_BINS)
  readonly #confidence = new Float64Array(CONFIDENCE_BINS)
  #total = 0
  #squares = 0

  /** `confidence` is 0 to 1. `right` is null if the right answer is not known. */
  add(confidence: number, right: boolean | null, events = 1): void {
    this.#events[binOf(confidence)]! += events
    this.#total += confidence * events
    if (right !== null) this.judge(confidence, right, events)
  }

  /** Counts an answer as judged only. */
  judge(confidence: number, right: boolean, events = 1): void {
    const bin = binOf(confidence)
    this.#judged[bin]! += events
    if (right) this.#right[bin]! += events
    this.#confidence[bin]! += confidence * events
    this.#squares += (confidence - Number(right)) ** 2 * events
  }

  figures(): ConfidenceFigures {
    const events = this.#events.reduce((all, one) => all + one, 0)
    const judged = this.#judged.reduce((all, one) => all + one, 0)
    const bins = Array.from(this.#events, (count, bin) => this.#bin(bin, count))
    const error = bins.reduce(
      (all, bin) => all + bin.judged * Math.abs((bin.shareRight ?? 0) - (bin.meanConfidence ?? 0)),
      0,
    )
    return {
      meanConfidence: events === 0 ? null : this.#total / events,
      expectedCalibrationError: judged === 0 ? null : error / judged,
      brierScore: judged === 0 ? null : this.#squares / judged,
      bins,
    }
  }

  #bin(bin: number, events: number): ConfidenceBin {
    const [judged, right] = [this.#judged[bin] as number, this.#right[bin] as number]
    return {
      from: bin / CONFIDENCE_BINS,
      to: (bin + 1) / CONFIDENCE_BINS,
      events,
      judged,
      right,
      meanConfidence: judged === 0 ? null : (this.#confidence[bin] as number) / judged,
      shareRight: judged === 0 ? null : right / judged,
    }
  }
}

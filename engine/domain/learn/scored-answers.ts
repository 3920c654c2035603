/**
 * Answers to events whose right label is known, counted by that label, the answer, and the answer's confidence.
 *
 * Owns: the counts that every figure of quality follows from. Leaves out: the figures (metrics/quality.ts), and which
 * answers count.
 *
 * 1. An event counts once. Nothing here is weighted: the number of events is what an interval needs.
 */

import type { ModelReader, ModelWriter } from './model-bytes.js'

/** Bins of equal width over confidence 0 to 1; the last one includes 1. */
export const CONFIDENCE_BINS = 10

/** Plain JSON, stored unchanged. */
export interface ScoredCounts {
  /** Number of events, at `(truth * labels + answer) * CONFIDENCE_BINS + bin`. */
  readonly events: readonly number[]
  /** Sum of the confidences, 0 to 1 each, at `answer * CONFIDENCE_BINS + bin`. */
  readonly confidence: readonly number[]
}

/** The bin of a confidence, 0 to 1. */
export function binOf(confidence: number): number {
  return Math.min(CONFIDENCE_BINS - 1, Math.max(0, Math.floor(confidence * CONFIDENCE_BINS)))
}

export class ScoredAnswers {
  readonly labelCount: number
  readonly #events: number[]
  readonly #confidence: number[]

  constructor(labelCount: number) {
    this.labelCount = labelCount
    this.#events = new Array<number>(labelCount * labelCount * CONFIDENCE_BINS).fill(0)
    this.#confidence = new Array<number>(labelCount * CONFIDENCE_BINS).fill(0)
  }

  /** With these counts. */
  static of(labelCount: number, counts: ScoredCounts): ScoredAnswers {
    const all = new ScoredAnswers(labelCount)
    all.addAll(counts)
    return all
  }

  /** One event; `confidence` is 0 to 1. A label that the job does not have is ignored. */
  add(truth: number, answer: number, confidence: number): void {
    const { labelCount } = this
    if (truth < 0 || truth >= labelCount || answer < 0 || answer >= labelCount) return
    const bin = binOf(confidence)
    this.#events[(truth * labelCount + answer) * CONFIDENCE_BINS + bin]! += 1
    this.#confidence[answer * CONFIDENCE_BINS + bin]! += confidence
  }

  addAll({ events, confidence }: ScoredCounts): void {
    for (let i = 0; i < this.#events.length; i++) this.#events[i]! += events[i] ?? 0
    for (let i = 0; i < this.#confidence.length; i++) this.#confidence[i]! += confidence[i] ?? 0
  }

  counts(): ScoredCounts {
    return { events: [...this.#events], confidence: [...this.#confidence] }
  }

  /** Events with this truth and this answer, in all bins. */
  events(truth: number, answer: number): number {
    let sum = 0
    for (let bin = 0; bin < CONFIDENCE_BINS; bin++) sum += this.inBin(truth, answer, bin)
    return sum
  }

  inBin(truth: number, answer: number, bin: number): number {
    return this.#events[(truth * this.labelCount + answer) * CONFIDENCE_BINS + bin] ?? 0
  }

  /** The sum of the confidences of an answer in a bin. */
  confidenceIn(answer: number, bin: number): number {
    return this.#confidence[answer * CONFIDENCE_BINS + bin] ?? 0
  }
}

export function writeScored(scored: ScoredCounts | null, to: ModelWriter): void {
  to.u32s(scored?.events ?? [])
  to.f64s(scored?.confidence ?? [])
}

/** Null where none were written. */
export function readScored(from: ModelReader): ScoredCounts | null {
  const scored = { events: [...from.u32s()], confidence: [...from.f64s()] }
  return scored.events.length === 0 ? null : scored
}

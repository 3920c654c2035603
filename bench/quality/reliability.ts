/** Whether confidence means what it says: answers in ten bins of their confidence, for each answered label. */

/** Answers with about the same confidence. */
export interface Bin {
  readonly count: number
  /** Sum of the confidences. */
  readonly confidence: number
  readonly right: number
}

/** By answered label, then by bin. */
export type Reliability = readonly (readonly Bin[])[]

export const binCount = 10
/** Answers with this confidence or more count as sure. */
export const sureFrom = 0.99
/** Bins with fewer answers say nothing. */
export const binAnswersMin = 50

const empty: Bin = { count: 0, confidence: 0, right: 0 }

export function addBins(a: Bin, b: Bin): Bin {
  return { count: a.count + b.count, confidence: a.confidence + b.confidence, right: a.right + b.right }
}

/** The gap between the mean confidence and the share that is right; NaN for an empty bin. */
export function gapOf({ count, confidence, right }: Bin): number {
  return Math.abs(confidence - right) / count
}

/** The largest gap of a bin with enough answers; 0 where there is none. */
export function worstGap(reliability: Reliability): number {
  return Math.max(0, ...reliability.flat().map((bin) => (bin.count >= binAnswersMin ? gapOf(bin) : 0)))
}

/** Collects answers. */
export class ReliabilityTally {
  readonly bins: Bin[][]
  sure: Bin = empty

  constructor(labelCount: number) {
    this.bins = Array.from({ length: labelCount }, () => Array.from({ length: binCount }, () => empty))
  }

  add(answer: number, confidence: number, right: boolean): void {
    const one = { count: 1, confidence, right: right ? 1 : 0 }
    const bins = this.bins[answer] as Bin[]
    const bin = Math.min(binCount - 1, Math.floor(confidence * binCount))
    bins[bin] = addBins(bins[bin] as Bin, one)
    if (confidence >= sureFrom) this.sure = addBins(this.sure, one)
  }
}

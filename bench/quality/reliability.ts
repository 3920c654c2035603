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
/** Confidence and the share that is right differ by this much at most. */
export const gapMax = 0.1
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

/** The bins with enough answers, and which of them differ by a tenth at most. */
export interface BinsWithin {
  readonly bins: number
  readonly within: number
  /** How many would be if each confidence were the true probability: what chance alone leaves. */
  readonly expected: number
  readonly worst: { readonly label: number; readonly at: number; readonly bin: Bin } | null
}

/** The distribution function of the standard normal, by Abramowitz and Stegun 7.1.26; errors below 1e-7. */
function normalBelow(z: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(z)) / Math.SQRT2)
  const sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const upper = (sum * Math.exp(-(z * z) / 2)) / 2
  return z < 0 ? upper : 1 - upper
}

export function binsWithin(reliability: Reliability): BinsWithin {
  const large = reliability.flatMap((bins, label) =>
    bins.flatMap((bin, at) => (bin.count >= binAnswersMin ? [{ label, at, bin }] : [])),
  )
  const chanceOf = ({ count, confidence }: Bin): number => {
    const p = confidence / count
    const deviation = Math.sqrt((p * (1 - p)) / count)
    return deviation === 0 ? 1 : 2 * normalBelow(gapMax / deviation) - 1
  }
  return {
    bins: large.length,
    within: large.filter(({ bin }) => gapOf(bin) <= gapMax).length,
    expected: large.reduce((sum, { bin }) => sum + chanceOf(bin), 0),
    worst: large.reduce<BinsWithin['worst']>(
      (worst, one) => (worst === null || gapOf(one.bin) > gapOf(worst.bin) ? one : worst),
      null,
    ),
  }
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

/**
 * What a training learns of each decision point first: the distribution of its numbers, how often it is missing.
 *
 * Owns: how numbers are read. All numbers have bins between quantiles and a standardised signed logarithm. Numbers that
 * recur (ports, codes, levels), or that are written as texts, are categories as well.
 * Leaves out: which texts are numbers or times (written-values.ts).
 */
import type { PointValues } from '../classifier.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import type { Stage } from '../progress.js'
import { AS_NUMBER, AS_TEXT, AS_TIME, numberIn, ReadingChoice, type Reading } from './written-values.js'

/** How one decision point is read. */
export interface PointProfile {
  /** Missing in more than half of the known events: missing is no feature. */
  readonly sparse: boolean
  /** It has lists; a plain value is a list of one. */
  readonly listed: boolean
  /** How its texts are read. Texts in lists are always texts. */
  readonly reading: Reading
  /** Numbers are categories too. */
  readonly exact: boolean
  /** Ascending, distinct bounds of the bins; empty without numbers. */
  readonly edges: Float64Array
  /** Mean and standard deviation of sign(x) ln(1 + |x|). */
  readonly mean: number
  readonly deviation: number
  /**
   * The least and the greatest of these logarithms. Values beyond are read as these: no label says how a trend goes on.
   */
  readonly low: number
  readonly high: number
}

/** Rows that a profile is computed from; more are sampled evenly. */
const profileRowsMax = 20_000
const binsMin = 10
const binsMax = 20
/** The least average count of numbers in a bin. */
const numbersPerBin = 25
/** A point has lists if at least this share of its values are lists. */
const listedShare = 0.05
const deviationsMax = 4
/** Numbers are categories if at least this share of them recurs. */
const exactShare = 0.6

/** sign(x) ln(1 + |x|). */
export function signedLog(x: number): number {
  return x < 0 ? -Math.log1p(-x) : Math.log1p(x)
}

/** The signed logarithm in standard deviations from the mean, within known bounds; the deviation must not be 0. */
export function standardLog(x: number, { low, high, mean, deviation }: PointProfile): number {
  const known = Math.min(high, Math.max(low, signedLog(x)))
  return Math.min(deviationsMax, Math.max(-deviationsMax, (known - mean) / deviation))
}

/** Bounds between bins: distinct quantiles of the sorted numbers. */
function quantileEdges(sorted: Float64Array): Float64Array {
  const edges: number[] = []
  const binCount = Math.min(binsMax, Math.max(binsMin, Math.floor(sorted.length / numbersPerBin)))
  for (let i = 1; i < binCount; i++) {
    const edge = sorted[Math.floor((i * sorted.length) / binCount)] as number
    if (edge > (edges.at(-1) ?? (sorted[0] as number))) edges.push(edge)
  }
  return Float64Array.from(edges)
}

/** The share of numbers that occur more than once. */
function repeatedShare(sorted: Float64Array): number {
  let repeated = 0
  for (let i = 0; i < sorted.length; i++) {
    if (sorted[i] === sorted[i - 1] || sorted[i] === sorted[i + 1]) repeated++
  }
  return repeated / sorted.length
}

const boundless = { low: -Infinity, high: Infinity }

function profileOf(
  numbers: readonly number[],
  seen: Pick<PointProfile, 'sparse' | 'listed' | 'reading'>,
): PointProfile {
  if (numbers.length === 0)
    return { ...seen, exact: true, edges: new Float64Array(0), mean: 0, deviation: 0, ...boundless }
  const sorted = Float64Array.from(numbers).sort()
  let sum = 0
  for (const x of sorted) sum += signedLog(x)
  const mean = sum / sorted.length
  let squares = 0
  for (const x of sorted) squares += (signedLog(x) - mean) ** 2
  return {
    ...seen,
    exact: seen.reading === AS_NUMBER || repeatedShare(sorted) >= exactShare,
    edges: quantileEdges(sorted),
    mean,
    deviation: Math.sqrt(squares / sorted.length),
    low: signedLog(sorted[0] as number),
    high: signedLog(sorted.at(-1) as number),
  }
}

/** The profile of each of the first `pointCount` points over these rows. */
export function profilePoints(pointCount: number, rows: readonly PointValues[], stage?: Stage): PointProfile[] {
  const step = Math.max(1, Math.ceil(rows.length / profileRowsMax))
  const profiles: PointProfile[] = []
  for (let point = 0; point < pointCount; point++) {
    stage?.at(point / pointCount)
    const numbers: number[] = []
    const choice = new ReadingChoice()
    let missing = 0
    let lists = 0
    let seen = 0
    for (let row = 0; row < rows.length; row += step) {
      const value = (rows[row] as PointValues)[point] ?? null
      choice.see(value)
      seen++
      if (value === null) missing++
      else if (Array.isArray(value)) lists++
    }
    const listed = lists > 0 && lists >= listedShare * (seen - missing)
    const reading = listed ? AS_TEXT : choice.reading
    for (let row = 0; row < rows.length; row += step) {
      const number = numberIn((rows[row] as PointValues)[point] ?? null, reading)
      if (Number.isFinite(number)) numbers.push(number)
    }
    profiles.push(profileOf(numbers, { sparse: missing * 2 > seen, listed, reading }))
  }
  return profiles
}

/** The bits of the reading in the flags of a profile. */
const readingShift = 2
const listedFlag = 16
/** Set where bounds follow: a point without numbers has none. */
const boundedFlag = 32

function readingOf(code: number): Reading {
  return code === AS_NUMBER || code === AS_TIME ? code : AS_TEXT
}

function isBounded({ low, high }: PointProfile): boolean {
  return Number.isFinite(low) && Number.isFinite(high)
}

export function writeProfiles(profiles: readonly PointProfile[], to: ModelWriter): void {
  to.u32(profiles.length)
  for (const profile of profiles) {
    to.u8(
      (profile.sparse ? 1 : 0) |
        (profile.exact ? 2 : 0) |
        (profile.reading << readingShift) |
        (profile.listed ? listedFlag : 0) |
        (isBounded(profile) ? boundedFlag : 0),
    )
    to.f64s(profile.edges)
    to.f64(profile.mean)
    to.f64(profile.deviation)
    if (!isBounded(profile)) continue
    to.f64(profile.low)
    to.f64(profile.high)
  }
}

export function readProfiles(from: ModelReader): PointProfile[] {
  const profiles: PointProfile[] = []
  const count = from.u32()
  for (let i = 0; i < count; i++) {
    const flags = from.u8()
    const edges = from.f64s()
    const mean = from.f64()
    const deviation = from.f64()
    const bounds = (flags & boundedFlag) === 0 ? boundless : { low: from.f64(), high: from.f64() }
    profiles.push({
      sparse: (flags & 1) !== 0,
      exact: (flags & 2) !== 0,
      reading: readingOf((flags >> readingShift) & 3),
      listed: (flags & listedFlag) !== 0,
      edges,
      mean,
      deviation,
      ...bounds,
    })
  }
  return profiles
}

/**
 * How much of the stream each labelled event stands for, where labels are no fair sample of it.
 *
 * Analysts label the largest buckets first, or what worries them. A model that trusted the shares of these labels would
 * be wrong about the stream. A logistic regression tells labelled events from events of the stream. Its odds are the
 * weights: importance weighting under covariate shift (Bickel, Brückner, Scheffer, "Discriminative learning under
 * covariate shift", 2009).
 *
 * Where the labels are a fair sample the regression finds nothing, and all weights are near 1. An event is weighed by a
 * regression that has not seen it. Else its own values would mark it as labelled, the more so the rarer they are.
 */
import type { PointValues } from '../classifier.js'
import type { EventCoder } from '../features/event-coder.js'
import type { ExampleMatrix } from '../features/example-matrix.js'
import { hashNumber, ListKey } from '../hash.js'
import { part, type Stage } from '../progress.js'
import { evenly } from '../trees/row-draw.js'
import { fitLogistic } from './logistic.js'
import { scoreRow } from './row-loops.js'

/** The most events of the stream that are used; and the most labelled rows, beyond which all weights are 1. */
const streamRowsMax = 2_000
const labelledRowsMax = 20_000
const strength = 1
const iterationsMax = 25
/** Up to this many rows there are three folds, above it two. */
const threeFoldsMax = 1_000
/** Bounds of a weight: this, and one divided by this. */
const ratioMax = 20
/** Fewer events say too little about the stream. */
const streamRowsMin = 50
const trustSteps = 30

interface StreamRows {
  readonly starts: number[]
  readonly features: number[]
  readonly values: number[]
}

/** The known features of each event. */
function streamRows(stream: readonly PointValues[], coder: EventCoder): StreamRows {
  const starts = [0]
  const features: number[] = []
  const values: number[] = []
  for (const event of stream) {
    coder.code(event)
    for (let j = 0; j < coder.count; j++) {
      features.push(coder.features[j] as number)
      values.push(coder.values[j] as number)
    }
    starts.push(features.length)
  }
  return { starts, features, values }
}

/** Labelled rows as class 0, followed by rows of the stream as class 1. */
function sideBySide(matrix: ExampleMatrix, stream: StreamRows, featureCount: number): ExampleMatrix {
  const size = matrix.features.length
  const rowCount = matrix.rowCount + stream.starts.length - 1
  return {
    rowCount,
    featureCount,
    labels: Int32Array.from([0, 1]),
    starts: Int32Array.from([...matrix.starts, ...stream.starts.slice(1).map((start) => start + size)]),
    features: concat(Int32Array, matrix.features, stream.features),
    values: concat(Float32Array, matrix.values, stream.values),
    classes: Int32Array.from({ length: rowCount }, (_, row) => (row < matrix.rowCount ? 0 : 1)),
    weights: new Float64Array(0),
    rowOf: new Int32Array(0),
  }
}

function concat<T extends Int32Array | Float32Array>(
  make: new (length: number) => T,
  first: T,
  second: readonly number[],
): T {
  const all = new make(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** A number for each row; equal events have equal numbers, labelled or not. */
function eventsOf({ rowCount, starts, features, values }: ExampleMatrix): Int32Array {
  const known = new Map<number, number>()
  const key = new ListKey()
  return Int32Array.from({ length: rowCount }, (_, row) => {
    key.clear()
    for (let j = starts[row] as number; j < (starts[row + 1] as number); j++) {
      key.add(hashNumber(features[j] as number, Math.round((values[j] as number) * 65_536)))
    }
    const event = known.get(key.value) ?? known.size
    known.set(key.value, event)
    return event
  })
}

/** The share of each event's weight that stays when the event is held out: all but one of its picks. */
function keptShares(events: Int32Array, labelledWeights: Float64Array): Float64Array {
  const weights = new Float64Array(events.length)
  for (let row = 0; row < labelledWeights.length; row++) {
    const event = events[row] as number
    weights[event] = (weights[event] as number) + (labelledWeights[row] as number)
  }
  return weights.map((weight) => (weight > 1 ? 1 - 1 / weight : 0))
}

/** The log-odds of stream against labelled for each row, by a regression that has not seen the event. */
function heldOutOdds(both: ExampleMatrix, counts: Float64Array, labelledRows: number, stage: Stage): Float64Array {
  const events = eventsOf(both)
  const kept = keptShares(events, counts.subarray(0, labelledRows))
  const foldCount = labelledRows <= threeFoldsMax ? 3 : 2
  const odds = new Float64Array(both.rowCount)
  const model = new Float64Array((both.featureCount + 1) * 2)
  const scores = new Float64Array(2)
  for (let fold = 0; fold < foldCount; fold++) {
    const fitted = counts.map((count, row) => {
      const event = events[row] as number
      return event % foldCount === fold ? count * (kept[event] as number) : count
    })
    const labelled = total(fitted, 0, labelledRows)
    const balance = labelled / Math.max(Number.MIN_VALUE, total(fitted, labelledRows, both.rowCount))
    for (let row = labelledRows; row < both.rowCount; row++) fitted[row] = (fitted[row] as number) * balance
    const portion = part(stage, fold / foldCount, (fold + 1) / foldCount)
    fitLogistic({ matrix: both, rowWeights: fitted, weights: model }, { strength, iterationsMax }, portion)
    for (let row = 0; row < both.rowCount; row++) {
      if ((events[row] as number) % foldCount !== fold) continue
      scoreRow(both, row, model, scores)
      odds[row] = (scores[1] as number) - (scores[0] as number)
    }
  }
  return odds
}

function total(numbers: Float64Array, from: number, to: number): number {
  let sum = 0
  for (let i = from; i < to; i++) sum += numbers[i] as number
  return sum
}

/**
 * How far held-out log-odds can be trusted: the power of the odds, 0 to 1, with the greatest likelihood. The likelihood
 * is concave, so this is where its slope is 0, or an end.
 */
function trustOf(odds: Float64Array, counts: Float64Array, labelledRows: number): number {
  const slopeAt = (power: number): number => {
    let slope = 0
    for (let row = 0; row < odds.length; row++) {
      const x = odds[row] as number
      const chance = 1 / (1 + Math.exp(-power * x))
      slope += (counts[row] as number) * x * ((row < labelledRows ? 0 : 1) - chance)
    }
    return slope
  }
  let low = 0
  let high = 1
  if (slopeAt(low) <= 0) return 0
  if (slopeAt(high) >= 0) return 1
  for (let step = 0; step < trustSteps; step++) {
    const middle = (low + high) / 2
    if (slopeAt(middle) > 0) low = middle
    else high = middle
  }
  return low
}

/** Labelled rows and the stream to compare them with. */
export interface StreamComparison {
  readonly matrix: ExampleMatrix
  readonly background: readonly PointValues[]
  readonly coder: EventCoder
  /** Includes the features of the stream alone. */
  readonly featureCount: number
}

/** A weight for each row of the matrix, of mean 1 under the matrix's own weights. */
export function weighByStream(
  { matrix, background, coder, featureCount }: StreamComparison,
  stage: Stage,
): Float64Array {
  const { weights: rowWeights } = matrix
  const { rowCount } = matrix
  const weights = new Float64Array(rowCount).fill(1)
  if (background.length < streamRowsMin || rowCount > labelledRowsMax) return weights
  const stream = streamRows(evenly(background, streamRowsMax), coder)
  const both = sideBySide(matrix, stream, featureCount)
  const mass = total(rowWeights, 0, rowCount)
  const counts = new Float64Array(both.rowCount).fill(mass / (both.rowCount - rowCount))
  counts.set(rowWeights)
  const odds = heldOutOdds(both, counts, rowCount, stage)
  const trust = trustOf(odds, counts, rowCount)
  let sum = 0
  for (let row = 0; row < rowCount; row++) {
    weights[row] = Math.min(ratioMax, Math.max(1 / ratioMax, Math.exp(trust * (odds[row] as number))))
    sum += (rowWeights[row] as number) * (weights[row] as number)
  }
  return weights.map((weight) => (weight * mass) / sum)
}

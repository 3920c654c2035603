/**
 * A trained `hashed-logistic/1` model: its parts, its bytes, its answers.
 *
 * Owns: the layout of the bytes. Leaves out: how the parts come about (hashed-logistic.ts).
 * 1. Answers only read the parts; what they need room for is made once. Nothing is kept from one event to the next.
 */
import type { Model, ModelSummary, PointValues } from './classifier.js'
import { calibrate, type Calibration } from './calibration.js'
import { FeatureEncoder } from './features.js'
import { FeatureTable } from './feature-table.js'
import { ModelReader, ModelWriter } from './model-bytes.js'
import { OutlierScale, SurpriseTable, type OutlierSignals } from './outlier.js'
import { readProfiles, writeProfiles, type PointProfile } from './point-profile.js'

export const hashedLogisticKind = 'hashed-logistic/1'

/** All that a model is made of. */
export interface ModelParts {
  readonly labelCount: number
  readonly points: readonly string[]
  readonly profiles: readonly PointProfile[]
  /** Two indices of points a pair. */
  readonly pairs: Int32Array
  /** The labels that have examples, ascending; a class is an index here. */
  readonly labels: Int32Array
  /** Hashes of the features, those with weights first. */
  readonly features: Int32Array
  /** For each feature how rare it is (outlier.ts). */
  readonly levels: Uint8Array
  /** Class by class within a feature. */
  readonly weights: Float32Array
  readonly intercepts: Float64Array
  readonly calibration: Calibration
  readonly surprises: SurpriseTable
  readonly scale: OutlierScale
  readonly examples: number
  readonly logLoss: number | null
  readonly accuracy: number | null
}

export function writeModel(parts: ModelParts): Uint8Array {
  const to = new ModelWriter(hashedLogisticKind)
  to.u32(parts.labelCount)
  to.u32(parts.examples)
  to.f64(parts.logLoss ?? NaN)
  to.f64(parts.accuracy ?? NaN)
  to.u32(parts.points.length)
  for (const point of parts.points) to.text(point)
  writeProfiles(parts.profiles, to)
  to.u32s(parts.pairs)
  to.u32s(parts.labels)
  to.u32s(parts.features)
  to.u8s(parts.levels)
  to.f32s(parts.weights)
  to.f64s(parts.intercepts)
  to.f64(parts.calibration.temperature)
  to.f64(parts.calibration.uniformShare)
  parts.surprises.write(to)
  parts.scale.write(to)
  return to.seal()
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}

/** @throws Error on bytes that are not a model of this kind, or damaged. */
export function readModel(bytes: Uint8Array): ModelParts {
  const from = new ModelReader(bytes, hashedLogisticKind)
  const labelCount = from.u32()
  const examples = from.u32()
  const logLoss = orNull(from.f64())
  const accuracy = orNull(from.f64())
  const points: string[] = []
  for (let left = from.u32(); left > 0; left--) points.push(from.text())
  const parts: ModelParts = {
    labelCount,
    examples,
    logLoss,
    accuracy,
    points,
    profiles: readProfiles(from),
    pairs: Int32Array.from(from.u32s()),
    labels: Int32Array.from(from.u32s()),
    features: Int32Array.from(from.u32s()),
    levels: from.u8s(),
    weights: from.f32s(),
    intercepts: from.f64s(),
    calibration: { temperature: from.f64(), uniformShare: from.f64() },
    surprises: SurpriseTable.read(from),
    scale: OutlierScale.read(from),
  }
  from.finish()
  return parts
}

export class HashedModel implements Model {
  readonly summary: ModelSummary
  readonly #parts: ModelParts
  readonly #encoder: FeatureEncoder
  readonly #table: FeatureTable
  readonly #scores: Float64Array
  readonly #weightedCount: number
  /** Of the event looked up last: the numbers of its features, their mass, and how much of it is unknown. */
  #numbers = new Int32Array(64)
  #mass = 0
  #unknown = 0

  constructor(parts: ModelParts) {
    this.#parts = parts
    this.#encoder = new FeatureEncoder(parts.points, parts.profiles, parts.pairs, false)
    this.#table = new FeatureTable(parts.features.length)
    for (const hash of parts.features) this.#table.add(hash)
    this.#scores = new Float64Array(parts.labels.length)
    this.#weightedCount = parts.weights.length / parts.labels.length
    this.summary = {
      kind: hashedLogisticKind,
      examples: parts.examples,
      features: parts.features.length,
      logLoss: parts.logLoss,
      accuracy: parts.accuracy,
      outlierThreshold: parts.scale.threshold,
    }
  }

  predict(values: PointValues, probabilities: Float64Array): void {
    this.#encoder.encode(values)
    this.#score()
    const { labels } = this.#parts
    probabilities.fill(0)
    for (let k = 0; k < labels.length; k++) probabilities[labels[k] as number] = this.#scores[k] as number
  }

  choose(probabilities: Float64Array): number {
    let label = 0
    for (let i = 1; i < probabilities.length; i++) {
      if ((probabilities[i] as number) > (probabilities[label] as number)) label = i
    }
    return label
  }

  outlierScore(values: PointValues): number {
    return this.#parts.scale.score(this.signals(values))
  }

  assess(values: PointValues, probabilities: Float64Array): number {
    this.predict(values, probabilities)
    return this.outlierScore(values)
  }

  /** What is measured of an event for its outlier score. */
  signals(values: PointValues): OutlierSignals {
    this.#encoder.encode(values)
    this.#score()
    let top = 0
    for (const probability of this.#scores) if (probability > top) top = probability
    return { doubt: 1 - top, surprise: this.#surprise(), unknown: this.#unknown / Math.max(1e-9, this.#mass) }
  }

  /** Looks the encoder's features up; leaves the calibrated probability of each class in #scores. */
  #score(): void {
    const { hashes, weights: values, count } = this.#encoder
    const { weights, intercepts, levels, calibration } = this.#parts
    const scores = this.#scores
    const classCount = scores.length
    if (this.#numbers.length < count) this.#numbers = new Int32Array(hashes.length)
    const numbers = this.#numbers
    for (let k = 0; k < classCount; k++) scores[k] = intercepts[k] as number
    let mass = 0
    let unknown = 0
    for (let j = 0; j < count; j++) {
      const feature = this.#table.find(hashes[j] as number)
      const value = values[j] as number
      numbers[j] = feature
      mass += Math.abs(value)
      if (feature < 0 || levels[feature] === 0) unknown += Math.abs(value)
      if (feature < 0 || feature >= this.#weightedCount) continue
      const at = feature * classCount
      for (let k = 0; k < classCount; k++) scores[k] = (scores[k] as number) + value * (weights[at + k] as number)
    }
    this.#mass = mass
    this.#unknown = unknown
    calibrate(scores, calibration)
  }

  /** The sum of the three most surprising values of the event that was looked up last. */
  #surprise(): number {
    const { atomAt } = this.#encoder
    const { levels, surprises } = this.#parts
    let first = 0
    let second = 0
    let third = 0
    for (let point = 0; point < atomAt.length; point++) {
      const at = atomAt[point] as number
      if (at < 0) continue
      const feature = this.#numbers[at] as number
      const surprise = surprises.at(point, feature < 0 ? 0 : (levels[feature] as number))
      if (surprise <= third) continue
      if (surprise > first) {
        third = second
        second = first
        first = surprise
      } else if (surprise > second) {
        third = second
        second = surprise
      } else third = surprise
    }
    return first + second + third
  }
}

/**
 * How unlike everything known an event is.
 *
 * Three signals: the classifier's doubt (1 - the top probability); the three most surprising values of the event, each
 * by how rare a value so rare is at its point; the share of its features that nobody has. A signal counts as minus the
 * logarithm of the share of known events that have as much of it, so that all three speak of chances:
 *   score = s(doubt) + 0.2 s(surprise) + 0.2 s(unknown)
 * An outlier scores more than 98 % of what is known, where each known event is scored as if it had not been seen.
 */
import type { ModelReader, ModelWriter } from './model-bytes.js'
import { OutlierTail, type Beyond } from './outlier-tail.js'

/** What is measured of an event. */
export interface OutlierSignals {
  readonly doubt: number
  readonly surprise: number
  readonly unknown: number
}

const surpriseWeight = 0.2
const unknownWeight = 0.2
const knownShare = 0.98
/** No score below this is an outlier, however alike the known events are. */
const thresholdMin = 1.5

/** Levels of rarity: 0 never seen, 1 once, 2 up to three times, and so on by powers of two. */
export const rarityLevels = 16

/** The level of a value that was seen so often. */
export function rarityLevel(count: number): number {
  return count < 1 ? 0 : Math.min(rarityLevels - 1, 32 - Math.clz32(Math.min(count, 0x3fff_ffff)))
}

/** Per point and level: minus the logarithm of the share of known events whose value there is as rare. */
export class SurpriseTable {
  readonly pointCount: number
  readonly #surprises: Float32Array

  private constructor(pointCount: number, surprises: Float32Array) {
    this.pointCount = pointCount
    this.#surprises = surprises
  }

  /** `seen[point * rarityLevels + level]` is how many known events have a value of that level at that point. */
  static of(pointCount: number, seen: Float64Array): SurpriseTable {
    const surprises = new Float32Array(pointCount * rarityLevels)
    for (let point = 0; point < pointCount; point++) {
      let total = 0
      for (let level = 0; level < rarityLevels; level++) total += seen[point * rarityLevels + level] as number
      let rarer = 0
      for (let level = 0; level < rarityLevels; level++) {
        rarer += seen[point * rarityLevels + level] as number
        surprises[point * rarityLevels + level] = Math.log((total + 0.5) / (rarer + 0.5))
      }
    }
    return new SurpriseTable(pointCount, surprises)
  }

  static read(from: ModelReader): SurpriseTable {
    const surprises = from.f32s()
    return new SurpriseTable(surprises.length / rarityLevels, surprises)
  }

  write(to: ModelWriter): void {
    to.f32s(this.#surprises)
  }

  at(point: number, level: number): number {
    return this.#surprises[point * rarityLevels + level] as number
  }
}

/** What a signal past all known events adds at most, in nats. */
const beyondMax = 4

const bounded: Beyond = (value, largest) => Math.min(beyondMax, (value - largest) / (largest + 0.1))

/** Scores signals against what is known. */
export class OutlierScale {
  /** The score from which on an event is an outlier. */
  readonly threshold: number
  readonly #doubt: OutlierTail
  readonly #surprise: OutlierTail
  readonly #unknown: OutlierTail

  private constructor(doubt: OutlierTail, surprise: OutlierTail, unknown: OutlierTail, threshold: number) {
    this.#doubt = doubt
    this.#surprise = surprise
    this.#unknown = unknown
    this.threshold = threshold
  }

  /** `known` holds the signals of known events, each as if it had not been seen; at least one. */
  static of(known: readonly OutlierSignals[]): OutlierScale {
    const tail = (pick: (signals: OutlierSignals) => number): OutlierTail =>
      OutlierTail.of(Float64Array.from(known, pick), bounded)
    const doubt = tail((signals) => signals.doubt)
    const surprise = tail((signals) => signals.surprise)
    const unknown = tail((signals) => signals.unknown)
    const unanchored = new OutlierScale(doubt, surprise, unknown, 0)
    const scores = Float64Array.from(known, (signals) => unanchored.score(signals)).sort()
    const highest = scores[Math.min(scores.length - 1, Math.floor(scores.length * knownShare))] as number
    return new OutlierScale(doubt, surprise, unknown, Math.max(thresholdMin, highest) + 1e-6)
  }

  static read(from: ModelReader): OutlierScale {
    const tail = (): OutlierTail => OutlierTail.read(from, bounded)
    return new OutlierScale(tail(), tail(), tail(), from.f64())
  }

  write(to: ModelWriter): void {
    this.#doubt.write(to)
    this.#surprise.write(to)
    this.#unknown.write(to)
    to.f64(this.threshold)
  }

  score(signals: OutlierSignals): number {
    return (
      this.#doubt.surprise(signals.doubt) +
      surpriseWeight * this.#surprise.surprise(signals.surprise) +
      unknownWeight * this.#unknown.surprise(signals.unknown)
    )
  }
}

/**
 * How alike two events are, by the features of the learner.
 *
 *   distance = (1 - cosine of the tokens) + mean |difference| of the numbers
 *
 * This is the distance by which the nearest labelled event is found (outlier-references.ts). It is 0 for events that
 * are equal to the learner. Likeness is 1 - distance / 2, and at least 0.
 *
 * Owns: comparing events with each other. Leaves out: what is compared (outlier-view.ts).
 */
import type { EventLikeness, PointValues } from './classifier.js'
import { FeatureEncoder } from './features/features.js'
import { profilePoints, type PointProfile } from './features/point-profile.js'
import { OutlierReferences } from './outlier/outlier-references.js'
import { OutlierView } from './outlier/outlier-view.js'

const noPairs = new Int32Array(0)
/** No token in common, and numbers that are far apart. */
const DISTANCE_MAX = 2

/** From 0, nothing in common, to 1, equal. */
export function likenessAt(distance: number): number {
  return Math.max(0, 1 - distance / DISTANCE_MAX)
}

export class Likeness implements EventLikeness {
  readonly #encoder: FeatureEncoder
  readonly #view: OutlierView
  #held: OutlierReferences

  /** `profiles` of the decision points `points`. */
  constructor(points: readonly string[], profiles: readonly PointProfile[]) {
    this.#encoder = new FeatureEncoder(points, profiles, noPairs)
    this.#view = new OutlierView(profiles)
    this.#held = OutlierReferences.of(0, this.#view, () => {})
  }

  /** By what these events are like, where there is no model. */
  static of(points: readonly string[], events: readonly PointValues[]): Likeness {
    return new Likeness(points, profilePoints(points.length, events))
  }

  hold(values: PointValues): void {
    this.holdAll([values])
  }

  distance(values: PointValues): number {
    return this.distances(values)[0] ?? Number.POSITIVE_INFINITY
  }

  holdAll(events: readonly PointValues[]): void {
    this.#held = OutlierReferences.of(events.length, this.#view, (at) => this.#take(events[at] as PointValues))
  }

  distances(values: PointValues): Float64Array {
    this.#take(values)
    return this.#held.distances(this.#view)
  }

  #take(values: PointValues): void {
    this.#encoder.encode(values)
    this.#view.take(values, this.#encoder)
  }
}

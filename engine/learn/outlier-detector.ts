/**
 * How unlike everything labelled an event is, in nats: minus the logarithm of the share of known events that are as
 * unlike. 3.91 is what 2 % of the known events reach.
 *
 * Two signals, each counted as the logarithm of its tail share, added and ranked once more: the distance to the
 * nearest labelled
 * events, and the classifier's doubt (1 - the top probability). Known are the labelled events, each as if it had not
 * been seen, and the
 * recent events of the stream, labelled or not: with few labels these alone say what is usual.
 *
 * Owns: the parts of a model that know what is usual. Leaves out: at which score an event is called an outlier
 * (outlier-anchor.ts).
 */
import type { Example, PointValues } from './classifier.js'
import { FeatureEncoder } from './features.js'
import { hashNumber } from './hash.js'
import type { ModelReader, ModelWriter } from './model-bytes.js'
import { OutlierReferences, referencesMax } from './outlier-references.js'
import { OutlierTail } from './outlier-tail.js'
import { OutlierView } from './outlier-view.js'
import type { PointProfile } from './point-profile.js'
import { rowsPerLook } from './example-matrix.js'
import type { Stage } from './progress.js'

/** Known events that tails are made from, of the examples and of the background each. */
const knownMax = 2_500
/** References that each label has at least, where it has so many examples. */
const labelReferencesMin = 32

/** What a training gives. */
export interface OutlierTraining {
  readonly points: readonly string[]
  readonly profiles: readonly PointProfile[]
  readonly examples: readonly Example[]
  readonly background: readonly PointValues[]
  readonly seed: number
  /** The doubt about each example when it was held out; NaN where it never was. */
  readonly doubts: Float64Array
  /** The finished classifier's doubt about an event. */
  readonly doubtOf: (values: PointValues) => number
}

function evenly<T>(list: readonly T[], max: number): readonly T[] {
  const step = Math.ceil(list.length / max)
  return step <= 1 ? list : list.filter((_, i) => i % step === 0)
}

/** Indices of the examples to hold events against: by chance, and no label without. */
function chooseReferences(examples: readonly Example[], seed: number): number[] {
  const keys = examples.map((_, i) => hashNumber(seed, i) >>> 0)
  const drawn = [...examples.keys()].sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b)
  if (drawn.length <= referencesMax) return drawn
  const counts = new Map<number, number>()
  const sure: number[] = []
  const rest: number[] = []
  for (const i of drawn) {
    const { label } = examples[i] as Example
    const count = counts.get(label) ?? 0
    counts.set(label, count + 1)
    ;(count < labelReferencesMin ? sure : rest).push(i)
  }
  return [...sure, ...rest].slice(0, referencesMax)
}

export class OutlierDetector {
  readonly #references: OutlierReferences
  readonly #distance: OutlierTail
  readonly #doubt: OutlierTail
  readonly #both: OutlierTail
  readonly #view: OutlierView

  private constructor(profiles: readonly PointProfile[], references: OutlierReferences, distance: OutlierTail, doubt: OutlierTail, both: OutlierTail) {
    this.#view = new OutlierView(profiles)
    this.#references = references
    this.#distance = distance
    this.#doubt = doubt
    this.#both = both
  }

  /** One that knows nothing, for a model that is not finished yet. */
  static untrained(profiles: readonly PointProfile[]): OutlierDetector {
    const nothing = OutlierTail.of(new Float64Array(1))
    return new OutlierDetector(profiles, OutlierReferences.of(0, new OutlierView(profiles), () => {}), nothing, nothing, nothing)
  }

  static train(set: OutlierTraining, stage: Stage): OutlierDetector {
    const { examples, background, profiles } = set
    const encoder = new FeatureEncoder(set.points, profiles, new Int32Array(0))
    const view = new OutlierView(profiles)
    const look = (values: PointValues): void => {
      encoder.encode(values)
      view.take(values, encoder)
    }
    const chosen = chooseReferences(examples, set.seed)
    const placeOf = new Map(chosen.map((example, place) => [example, place]))
    const references = OutlierReferences.of(chosen.length, view, (i) => look((examples[chosen[i] as number] as Example).values))
    const distances: number[] = []
    const doubts: number[] = []
    const numbers = evenly([...examples.keys()], knownMax)
    const recent = evenly(background, knownMax)
    numbers.forEach((i, at) => {
      if (at % rowsPerLook === 0) stage.at((0.5 * at) / numbers.length)
      const { values } = examples[i] as Example
      look(values)
      const doubt = set.doubts[i] as number
      distances.push(references.distance(view, placeOf.get(i)))
      doubts.push(Number.isNaN(doubt) ? set.doubtOf(values) : doubt)
    })
    recent.forEach((values, at) => {
      if (at % rowsPerLook === 0) stage.at(0.5 + (0.5 * at) / recent.length)
      look(values)
      distances.push(references.distance(view))
      doubts.push(set.doubtOf(values))
    })
    const distance = OutlierTail.of(Float64Array.from(distances))
    const doubt = OutlierTail.of(Float64Array.from(doubts))
    const both = Float64Array.from(distances, (d, i) => distance.surprise(d) + doubt.surprise(doubts[i] as number))
    return new OutlierDetector(profiles, references, distance, doubt, OutlierTail.of(both))
  }

  static read(profiles: readonly PointProfile[], from: ModelReader): OutlierDetector {
    const references = OutlierReferences.read(from)
    return new OutlierDetector(profiles, references, OutlierTail.read(from), OutlierTail.read(from), OutlierTail.read(from))
  }

  write(to: ModelWriter): void {
    this.#references.write(to)
    this.#distance.write(to)
    this.#doubt.write(to)
    this.#both.write(to)
  }

  /** Nats, 0 or more, of the event that `encoder` has just encoded and whose doubt this is. */
  score(values: PointValues, encoder: FeatureEncoder, doubt: number): number {
    this.#view.take(values, encoder)
    const distance = this.#references.distance(this.#view)
    return this.#both.surprise(this.#distance.surprise(distance) + this.#doubt.surprise(doubt))
  }
}

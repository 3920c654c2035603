/**
 * The member that answers with the label of the most similar labelled event, the surer the nearer it is.
 *
 * One nearest neighbour (Cover, Hart, "Nearest neighbor pattern classification", 1967) leads with ten labels and on
 * rare classes. Alone it is far too sure. So its certainty fades with the distance, on the scale of the distances
 * between labelled events. The outlier check compares the same numbers and tokens, so one pass serves both.
 *
 * Owns: the choice of references. Leaves out: distances (outlier-view.ts, outlier-references.ts).
 */
import type { Example, Neighbour, PointValues } from '../classifier.js'
import type { FeatureEncoder } from '../features/features.js'
import { firstsOf } from '../features/shared-values.js'
import { hashNumber, hashPair, hashScalar } from '../hash.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import { OutlierReferences, outlierReferencesMax, referencesMax } from '../outlier/outlier-references.js'
import { OutlierView } from '../outlier/outlier-view.js'

export interface Nearest {
  readonly references: OutlierReferences
  /** The class of each reference. */
  readonly classes: Int32Array
  /** The distance at which the label has lost most of its weight. */
  readonly scale: number
}

/** The nearest labelled event. */
export interface Near {
  /** Its class, -1 where there is none. */
  readonly label: number
  readonly distance: number
}

/** The least references of each label with that many examples. */
const labelReferencesMin = 32
/** More than the examples of any training. With 32 bits of a hash it has room in a number. */
const examplesMax = 2 ** 21
/** The weight of every class; the label of a reference at distance 0 gets 1 more. */
const voteFloor = 0.03
const scaleMin = 0.02
/** The greatest distance that counts in the scale: no token in common, and numbers as far apart as possible. */
const spreadMax = 2

/** Chooses references among these examples, by index: at random, with some of each label. */
export function chooseReferences(examples: readonly Example[], among: readonly number[], seed: number): number[] {
  // One number each, the hash first: numbers are sorted far faster than by a function.
  const keys = Float64Array.from(among, (i) => (hashNumber(seed, i) >>> 0) * examplesMax + i).sort()
  const drawn = Array.from(keys, (key) => key % examplesMax)
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

/** `load(i)` puts example i into the view; `chosen` are the indices of the references. */
function trainNearest(
  chosen: readonly number[],
  classOf: (example: number) => number,
  view: OutlierView,
  load: (example: number) => void,
): Nearest {
  const references = OutlierReferences.of(chosen.length, view, (place) => load(chosen[place] as number))
  let sum = 0
  const usual = chosen.slice(0, outlierReferencesMax)
  const spreads = Float64Array.from(usual, (example, place) => {
    load(example)
    const spread = references.distance(view, place)
    sum += Math.min(spreadMax, references.nearestDistance)
    return spread
  })
  references.localise(spreads)
  return {
    references,
    classes: Int32Array.from(chosen, classOf),
    scale: Math.max(scaleMin, sum / Math.max(1, usual.length)),
  }
}

function keyOf(values: PointValues): number {
  let key = 0
  for (const value of values) {
    if (Array.isArray(value)) for (const item of value) key = hashPair(key, hashScalar(1, item))
    key = hashPair(key, Array.isArray(value) ? value.length : hashScalar(value === null ? 2 : 0, value))
  }
  return key
}

/** The examples of a training as the nearest neighbour and the outlier check see them. */
export class ExampleView {
  readonly view: OutlierView
  readonly #examples: readonly Example[]
  readonly #encoder: FeatureEncoder
  readonly #classOf: (example: number) => number

  constructor(examples: readonly Example[], encoder: FeatureEncoder, classOf: (example: number) => number) {
    this.view = new OutlierView(encoder.profiles)
    this.#examples = examples
    this.#encoder = encoder
    this.#classOf = classOf
  }

  /** Puts an example into the view. */
  load(example: number): void {
    const { values } = this.#examples[example] as Example
    this.#encoder.encode(values)
    this.view.take(values, this.#encoder)
  }

  /** A hash of the values of each example. Bins of numbers are not in it: they move with the stream. */
  keys(): Int32Array {
    const examples = this.#examples
    const keys = new Int32Array(examples.length)
    firstsOf(examples).forEach((first, i) => {
      keys[i] = first === i ? keyOf((examples[i] as Example).values) : (keys[first] as number)
    })
    return keys
  }

  /** The nearest neighbour of these examples. */
  nearest(among: readonly number[], seed: number): Nearest {
    return trainNearest(chooseReferences(this.#examples, among, seed), this.#classOf, this.view, (example) =>
      this.load(example),
    )
  }
}

/** Fills `chances` by the nearest reference to the last event. */
export function predictNearest({ references, classes, scale }: Nearest, chances: Float64Array): void {
  chances.fill(voteFloor)
  const place = references.nearestPlace
  const label = classes[place]
  if (label !== undefined) chances[label] = voteFloor + Math.exp(-references.nearestDistance / scale)
  let sum = 0
  for (let k = 0; k < chances.length; k++) sum += chances[k] as number
  for (let k = 0; k < chances.length; k++) chances[k] = (chances[k] as number) / sum
}

/** The references by their distances, nearest first. `labels` are those of the classes. */
export function neighboursOf({ classes }: Nearest, distances: Float64Array, labels: Int32Array): Neighbour[] {
  const places = [...distances.keys()].sort((a, b) => (distances[a] as number) - (distances[b] as number) || a - b)
  return places.map((place) => {
    return { place, label: labels[classes[place] as number] as number, distance: distances[place] as number }
  })
}

export function writeNearest(nearest: Nearest, to: ModelWriter): void {
  nearest.references.write(to)
  to.u32s(nearest.classes)
  to.f64(nearest.scale)
}

export function readNearest(from: ModelReader): Nearest {
  return { references: OutlierReferences.read(from), classes: from.i32s(), scale: from.f64() }
}

/**
 * The member that says what was said of the most similar labelled event, the surer the nearer it is.
 *
 * One nearest neighbour (Cover, Hart, "Nearest neighbor pattern classification", 1967) leads with ten labels and on
 * rare classes; by itself it is far too sure, so its word fades with the distance, on the scale of how far labelled
 * events are from each other. The outlier check compares the same numbers and tokens, so one pass finds both.
 *
 * Owns: which labelled events are held against. Leaves out: likeness itself (outlier-view.ts, outlier-references.ts).
 */
import type { Example } from '../classifier.js'
import type { FeatureEncoder } from '../features/features.js'
import { hashNumber } from '../hash.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import { OutlierReferences, outlierReferencesMax, referencesMax } from '../outlier/outlier-references.js'
import { OutlierView } from '../outlier/outlier-view.js'

export interface Nearest {
  readonly references: OutlierReferences
  /** The class of each reference. */
  readonly classes: Int32Array
  /** The distance at which a word has lost most of its weight. */
  readonly scale: number
}

/** The nearest labelled event. */
export interface Near {
  /** Its class, -1 where there is none. */
  readonly label: number
  readonly distance: number
}

/** References that each label has at least, where it has so many examples. */
const labelReferencesMin = 32
/** What every class has beside the vote's 1 at distance 0. */
const voteFloor = 0.03
const scaleMin = 0.02
/** What a distance counts at most there: nothing in common, and numbers as far apart as they go. */
const spreadMax = 2

/** Of these examples, by number, those to hold events against: by chance, and no label without. */
export function chooseReferences(examples: readonly Example[], among: readonly number[], seed: number): number[] {
  const keys = new Map(among.map((i) => [i, hashNumber(seed, i) >>> 0]))
  const drawn = [...among].sort((a, b) => (keys.get(a) as number) - (keys.get(b) as number) || a - b)
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

/** `look(i)` leaves example i in the view; `chosen` are the references' numbers. */
function trainNearest(
  chosen: readonly number[],
  classOf: (example: number) => number,
  view: OutlierView,
  look: (example: number) => void,
): Nearest {
  const references = OutlierReferences.of(chosen.length, view, (place) => look(chosen[place] as number))
  let sum = 0
  const usual = chosen.slice(0, outlierReferencesMax)
  const spreads = Float64Array.from(usual, (example, place) => {
    look(example)
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

  /** Leaves an example in the view. */
  look(example: number): void {
    const { values } = this.#examples[example] as Example
    this.#encoder.encode(values)
    this.view.take(values, this.#encoder)
  }

  /** What the nearest neighbour knows from these examples. */
  nearest(among: readonly number[], seed: number): Nearest {
    return trainNearest(chooseReferences(this.#examples, among, seed), this.#classOf, this.view, (example) =>
      this.look(example),
    )
  }
}

/** Fills `chances` by the reference that was nearest at the last look. */
export function predictNearest({ references, classes, scale }: Nearest, chances: Float64Array): void {
  chances.fill(voteFloor)
  const place = references.nearestPlace
  const label = classes[place]
  if (label !== undefined) chances[label] = voteFloor + Math.exp(-references.nearestDistance / scale)
  let sum = 0
  for (let k = 0; k < chances.length; k++) sum += chances[k] as number
  for (let k = 0; k < chances.length; k++) chances[k] = (chances[k] as number) / sum
}

export function writeNearest(nearest: Nearest, to: ModelWriter): void {
  nearest.references.write(to)
  to.u32s(nearest.classes)
  to.f64(nearest.scale)
}

export function readNearest(from: ModelReader): Nearest {
  return { references: OutlierReferences.read(from), classes: Int32Array.from(from.u32s()), scale: from.f64() }
}

/**
 * Fits the outlier detector to known events, each as if it had not been seen (outlier-detector.ts), and the check for
 * events without any seen value (unseen-values.ts).
 */
import type { Example, PointValues, TrainingSet } from '../classifier.js'
import { rowsPerReport } from '../features/example-matrix.js'
import { makeCoder } from '../features/coder-tables.js'
import { OutlierDetector } from '../outlier/outlier-detector.js'
import { measuredMax, UnseenValues } from '../outlier/unseen-values.js'
import type { Stage } from '../progress.js'
import { evenly } from '../trees/row-draw.js'
import type { HeldOut } from './held-out.js'
import { memberCount } from './members.js'
import { doubted, fillDoubts } from './doubts.js'
import { PooledAnswer, type AnswerParts } from './pooled-answer.js'

/** The most known events, of the examples and of the background each. */
const knownMax = 2_500
/** From this many held-out examples on, no other examples are known events. */
const heldOutMin = 300

export interface DetectorInput {
  readonly answer: AnswerParts
  /** The indices of the examples that are references of the model. */
  readonly references: readonly number[]
  readonly held: HeldOut | null
}

/** What an answer tells of an event. */
interface Told {
  readonly distance: number
  readonly doubts: readonly number[]
}

/** Collects distances of known events and doubts about them. */
class KnownEvents {
  readonly #answer: PooledAnswer
  readonly #held: HeldOut | null
  readonly #stage: Stage
  readonly #probabilities: Float64Array
  readonly #distances: number[] = []
  readonly #doubts = doubted.map((): number[] => [])
  /** Of events that are no examples: many share their values, and so all that is told of them. */
  readonly #told = new Map<PointValues, Told>()

  constructor(answer: PooledAnswer, held: HeldOut | null, labelCount: number, stage: Stage) {
    this.#answer = answer
    this.#held = held
    this.#stage = stage
    this.#probabilities = new Float64Array(labelCount)
  }

  /**
   * `place` is the index of a reference that is this event, `heldPlace` its index among the held-out examples; -1:
   * none.
   */
  add(values: PointValues, place = -1, heldPlace = -1): void {
    const count = this.#distances.length
    if (count % rowsPerReport === 0) this.#stage.at(count / (2 * knownMax))
    const { distance, doubts } = this.#toldOf(values, place, heldPlace)
    this.#distances.push(distance)
    this.#doubts.forEach((list, d) => list.push(doubts[d] as number))
  }

  #toldOf(values: PointValues, place: number, heldPlace: number): Told {
    const isExample = place >= 0 || heldPlace >= 0
    const known = isExample ? undefined : this.#told.get(values)
    if (known !== undefined) return known
    const [answer, held] = [this.#answer, this.#held]
    answer.fill(values, this.#probabilities, place)
    if (held !== null && heldPlace >= 0)
      fillDoubts(held.chances, heldPlace * memberCount * held.classCount, held.classCount, answer.doubts)
    const told = { distance: answer.distance, doubts: [...answer.doubts] }
    if (!isExample) this.#told.set(values, told)
    return told
  }

  detector(): OutlierDetector {
    return OutlierDetector.of(
      Float64Array.from(this.#distances),
      this.#doubts.map((list) => Float64Array.from(list)),
    )
  }
}

export function fitDetector(
  { examples, background, labelCount }: TrainingSet,
  { answer, references, held }: DetectorInput,
  stage: Stage,
): OutlierDetector {
  const known = new KnownEvents(new PooledAnswer(answer), held, labelCount, stage)
  const heldAt = new Map(Array.from(held?.examples ?? [], (example, h) => [example, h]))
  const places = new Map(references.map((example, place) => [example, place]))
  // About other examples the model is surer than about new events; with many held-out examples they are left out.
  const chosen = held !== null && held.examples.length >= heldOutMin ? [...held.examples] : [...examples.keys()]
  for (const i of evenly(chosen, knownMax)) known.add((examples[i] as Example).values, places.get(i), heldAt.get(i))
  for (const values of evenly(background, knownMax)) known.add(values)
  return known.detector()
}

/** The background shows what is usual; the examples do where there are more of them. */
export function fitUnseen({ examples, background }: TrainingSet, { coder }: AnswerParts): UnseenValues {
  const known = background.length >= examples.length ? background : examples.map(({ values }) => values)
  return UnseenValues.of(makeCoder(coder), evenly(known, measuredMax))
}

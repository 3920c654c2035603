/** What is usual, from known events, each as if it had not been seen (outlier-detector.ts). */
import type { Example, PointValues, TrainingSet } from '../classifier.js'
import { rowsPerReport } from '../features/example-matrix.js'
import { OutlierDetector } from '../outlier/outlier-detector.js'
import type { Stage } from '../progress.js'
import { evenly } from '../trees/row-draw.js'
import type { HeldOut } from './held-out.js'
import { doubted, fillDoubts, memberCount } from './members.js'
import { PooledAnswer, type AnswerParts } from './pooled-model.js'

/** Known events that say what is usual, of the examples and of the background each. */
const knownMax = 2_500
/** From so many held-out examples on these alone say what is usual. */
const toldMin = 300

export interface DetectorInput {
  readonly answer: AnswerParts
  /** The numbers of the examples that the model holds as references. */
  readonly references: readonly number[]
  readonly held: HeldOut | null
}

/** Collects how unlike all else known events are. */
class KnownEvents {
  readonly #answer: PooledAnswer
  readonly #held: HeldOut | null
  readonly #stage: Stage
  readonly #probabilities: Float64Array
  readonly #distances: number[] = []
  readonly #doubts = doubted.map((): number[] => [])

  constructor(answer: PooledAnswer, held: HeldOut | null, labelCount: number, stage: Stage) {
    this.#answer = answer
    this.#held = held
    this.#stage = stage
    this.#probabilities = new Float64Array(labelCount)
  }

  /** `place` is that of a reference which is this very event, `heldPlace` its own among the held-out examples; -1 for none. */
  take(values: PointValues, place = -1, heldPlace = -1): void {
    const [answer, held] = [this.#answer, this.#held]
    const taken = this.#distances.length
    if (taken % rowsPerReport === 0) this.#stage.at(taken / (2 * knownMax))
    answer.fill(values, this.#probabilities, place)
    this.#distances.push(answer.distance)
    if (held !== null && heldPlace >= 0)
      fillDoubts(held.chances, heldPlace * memberCount * held.classCount, held.classCount, answer.doubts)
    this.#doubts.forEach((list, d) => list.push(answer.doubts[d] as number))
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
  // Of many examples those that were held out do: about the others the model is surer than about anything that comes.
  const told = held !== null && held.examples.length >= toldMin ? [...held.examples] : [...examples.keys()]
  for (const i of evenly(told, knownMax)) known.take((examples[i] as Example).values, places.get(i), heldAt.get(i))
  for (const values of evenly(background, knownMax)) known.take(values)
  return known.detector()
}

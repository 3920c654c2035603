/** The examples of a training as the outlier check and the nearest neighbour see them. */
import type { Example } from './classifier.js'
import type { FeatureEncoder } from './features.js'
import { chooseReferences, trainNearest, type Nearest } from './nearest.js'
import { OutlierView } from './outlier-view.js'

export class Sight {
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

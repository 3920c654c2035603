/** Answers as a job gives them: the trust watch follows the scored events in their order, without any feedback. */
import { decide, type Decision } from '../../engine/domain/decide/decision.js'
import {
  freshTrust,
  seeDecision,
  termsOfModel,
  trustBasisOf,
  withTrust,
  type TrustTerms,
} from '../../engine/domain/decide/model-trust.js'
import type { Model, PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { withDoubt } from '../../engine/domain/learn/drift.js'
import { outlierRateUsual } from '../../engine/domain/learn/outlier/outlier-anchor.js'

/** By label: the examples of a training set. */
export function countsOf({ examples, labelCount }: TrainingSet): number[] {
  const counts = new Array<number>(labelCount).fill(0)
  for (const { label } of examples) counts[label] = (counts[label] as number) + 1
  return counts
}

export class WatchedModel {
  readonly #model: Model
  readonly #terms: TrustTerms
  readonly #state = freshTrust()
  readonly #own: Float64Array
  #decided = 0

  /** `labelCounts`: by label, the voted events. */
  constructor(model: Model, labelCounts: readonly number[]) {
    this.#model = model
    this.#terms = { outlierRate: outlierRateUsual, labelCounts, ...termsOfModel(model.summary) }
    this.#own = new Float64Array(labelCounts.length)
  }

  /**
   * The answer. Fills `probabilities`: those of what is known, or else of the model, of which its own have the greatest
   * share.
   */
  decide(
    values: PointValues,
    probabilities: Float64Array,
    known: Parameters<typeof decide>[2] = null,
  ): Pick<Decision, 'label' | 'confidence'> {
    const own = this.#own
    const decision = decide({ model: this.#model, version: 1, probabilities: own }, values, known)
    this.#decided++
    probabilities.set(own)
    if (decision.source !== 'model') return decision
    const { outlierScore } = decision
    for (let other = 0; other < own.length; other++) {
      const { doubt, base } = trustBasisOf({ label: other, outlierScore }, this.#state, this.#terms)
      probabilities[other] = withDoubt(own[other] as number, base, doubt)
    }
    const answer = withTrust(decision, this.#state, this.#terms)
    seeDecision(decision, this.#state, this.#terms, this.#decided)
    return answer
  }
}

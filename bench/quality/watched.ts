/** Answers as a job gives them: the trust watch follows the scored events in their order, without any feedback. */
import { decide } from '../../engine/domain/decide/decision.js'
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

export class WatchedModel {
  readonly #model: Model
  readonly #terms: TrustTerms
  readonly #state = freshTrust()
  readonly #own: Float64Array
  #decided = 0

  constructor(model: Model, { examples, labelCount }: TrainingSet) {
    const consensusCounts = new Array<number>(labelCount).fill(0)
    for (const { label } of examples) consensusCounts[label] = (consensusCounts[label] as number) + 1
    this.#model = model
    this.#terms = { outlierRate: outlierRateUsual, consensusCounts, ...termsOfModel(model.summary) }
    this.#own = new Float64Array(labelCount)
  }

  /** Fills `probabilities`, of which the model's own have the greatest share. Returns the label of the answer. */
  decide(values: PointValues, probabilities: Float64Array): number {
    const own = this.#own
    const decision = decide({ model: this.#model, version: 1, probabilities: own }, values, null)
    const { outlierScore } = decision
    for (let other = 0; other < own.length; other++) {
      const { doubt, base } = trustBasisOf({ label: other, outlierScore }, this.#state, this.#terms)
      probabilities[other] = withDoubt(own[other] as number, base, doubt)
    }
    const { label } = withTrust(decision, this.#state, this.#terms)
    seeDecision(decision, this.#state, this.#terms, ++this.#decided)
    return label
  }
}

/** Answers as a job gives them: the trust watch follows the scored events in their order, without any feedback. */
import { freshTrust, seeDecision, trustBasisOf, type TrustTerms } from '../../engine/domain/decide/model-trust.js'
import type { Decision } from '../../engine/domain/decide/decision.js'
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
    const { outlierThreshold, examples: count } = model.summary
    this.#terms = {
      outlierRate: outlierRateUsual,
      modelThreshold: outlierThreshold,
      consensusCounts,
      examples: count,
    }
    this.#own = new Float64Array(labelCount)
  }

  /** Fills `probabilities`, of which the model's own have the greatest share. Returns the label of the answer. */
  decide(values: PointValues, probabilities: Float64Array): number {
    const own = this.#own
    const outlierScore = this.#model.assess(values, own)
    const label = this.#model.choose(own)
    for (let other = 0; other < own.length; other++) {
      const { doubt, base } = trustBasisOf({ label: other, outlierScore }, this.#state, this.#terms)
      probabilities[other] = withDoubt(own[other] as number, base, doubt)
    }
    const decision: Decision = {
      label,
      confidence: Math.round((own[label] as number) * 10_000),
      outlier: outlierScore >= this.#terms.modelThreshold,
      outlierScore,
      source: 'model',
      modelVersion: 1,
    }
    seeDecision(decision, this.#state, this.#terms, ++this.#decided)
    return label
  }
}

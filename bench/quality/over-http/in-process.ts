/** The bench's answers to the scored events: the engine's learner, knowledge base and watch, called directly. */
import { decide } from '../../../engine/domain/decide/decision.js'
import {
  freshTrust,
  seeDecision,
  termsOfModel,
  trustBasisOf,
  withTrust,
  type TrustTerms,
} from '../../../engine/domain/decide/model-trust.js'
import { withDoubt } from '../../../engine/domain/learn/drift.js'
import { outlierRateUsual } from '../../../engine/domain/learn/outlier/outlier-anchor.js'
import { defaultClassifier } from '../../../engine/domain/learn/registry.js'
import { limits } from '../../../engine/limits.js'
import type { Dataset } from '../dataset.js'
import type { VotedJob } from '../voted-job.js'
import type { Answered } from './answered.js'

/** `seed` is that of the training. */
export function answersInProcess(dataset: Dataset, job: VotedJob, seed: number): Answered[] {
  const { seen, protocol, labelNames } = dataset
  const background = seen.slice(-limits.trainingBackgroundMax).map((line) => job.valuesOf(line))
  const set = job.trainingSet(background, seed)
  const model = defaultClassifier.load(defaultClassifier.train(set, () => true))
  const terms: TrustTerms = {
    outlierRate: outlierRateUsual,
    consensusCounts: job.consensusCounts(),
    ...termsOfModel(model.summary),
  }
  const trust = freshTrust()
  const probabilities = new Float64Array(labelNames.length)
  return protocol.test.map((line, i) => {
    const own = decide({ model, version: 1, probabilities }, job.valuesOf(line), job.known(line))
    if (own.source !== 'model')
      return { label: own.label, confidence: own.confidence / 100, probabilities: [...probabilities] }
    const { label, confidence } = withTrust(own, trust, terms)
    const shares = Array.from(probabilities, (share, other) => {
      const { base, doubt } = trustBasisOf({ label: other, outlierScore: own.outlierScore }, trust, terms)
      return withDoubt(share, base, doubt)
    })
    seeDecision(own, trust, terms, i + 1)
    return { label, confidence: confidence / 100, probabilities: shares }
  })
}

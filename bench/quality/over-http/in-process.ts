/** The bench's answers to the scored events: the engine's learner, knowledge base and watch, called directly. */
import { defaultClassifier } from '../../../engine/domain/learn/registry.js'
import { limits } from '../../../engine/limits.js'
import type { Dataset } from '../dataset.js'
import type { VotedJob } from '../voted-job.js'
import { WatchedModel } from '../watched.js'
import type { Answered } from './answered.js'

/** `seed` is that of the training. */
export function answersInProcess(dataset: Dataset, job: VotedJob, seed: number): Answered[] {
  const { seen, protocol, labelNames } = dataset
  const background = seen.slice(-limits.trainingBackgroundMax).map((line) => job.valuesOf(line))
  const set = job.trainingSet(background, seed)
  const model = defaultClassifier.load(defaultClassifier.train(set, () => true))
  const watched = new WatchedModel(model, job.labelCounts())
  const probabilities = new Float64Array(labelNames.length)
  return protocol.test.map((line) => {
    const { label, confidence } = watched.decide(job.valuesOf(line), probabilities, job.known(line))
    return { label, confidence: confidence / 100, probabilities: [...probabilities] }
  })
}

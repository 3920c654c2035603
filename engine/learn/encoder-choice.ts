/** How events of a training are encoded: profiles of the points, and pairs that tell more than their points alone. */
import type { Example, PointValues, TrainingSet } from './classifier.js'
import { evenly } from './evenly.js'
import { FeatureEncoder } from './features.js'
import { choosePairs } from './pair-choice.js'
import { profilePoints } from './point-profile.js'
import { part, type Stage } from './progress.js'

/** Examples that pairs are sought with. */
const pairExamplesMax = 2_000

/** An encoder for this training; `known` are the values of its examples and background. */
export function chooseEncoder(set: TrainingSet, known: readonly PointValues[], stage: Stage): FeatureEncoder {
  const profiles = profilePoints(set.points.length, known, part(stage, 0, 0.5))
  const single = new FeatureEncoder(set.points, profiles, new Int32Array(0))
  const examples = evenly(set.examples, pairExamplesMax)
  const pointCount = set.points.length
  const atoms = new Int32Array(examples.length * pointCount)
  for (let i = 0; i < examples.length; i++) {
    single.encode((examples[i] as Example).values)
    atoms.set(single.atoms, i * pointCount)
  }
  const classes = Int32Array.from(examples, (example) => example.label)
  const rows = { pointCount, atoms, classes, classCount: set.labelCount }
  return new FeatureEncoder(set.points, profiles, choosePairs(rows, part(stage, 0.5, 1)))
}

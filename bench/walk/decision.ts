/**
 * One decision in the engine: from a parsed event to a label, a confidence and an outlier flag.
 *
 * Measured without the memory of buckets. In a bucket that is already decided, a decision costs only the way to the
 * bucket's id.
 */
import { bucketIdOf, bucketText } from '../../engine/domain/event/bucket-key.js'
import { decide } from '../../engine/domain/decide/decision.js'
import { alertLabels } from '../streams/alerts.js'
import type { Fixture, Stage } from './fixture.js'

export function decisionStages({ texts, bodies, points, values, model }: Fixture): Stage[] {
  const probabilities = new Float64Array(alertLabels.length)
  return [
    { name: 'inference: features and model', run: (i) => model.predict(values[i] ?? [], probabilities) },
    { name: 'outlier score', run: (i) => model.outlierScore(values[i] ?? []) },
    {
      name: 'decision in a new bucket: points, model, outlier, confidence',
      run: (i) => {
        const own = points.valuesOf(bodies[i] as Record<string, unknown>)
        bucketIdOf(points.fingerprint, bucketText(own))
        return decide({ model, version: 1, probabilities }, own, null)
      },
      floor: { name: 'JSON.parse of the event', run: (i) => JSON.parse(texts[i] as string) as unknown },
      barMicros: 80,
    },
  ]
}

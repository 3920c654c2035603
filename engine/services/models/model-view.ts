/** A model of the registry as it is shown. */
import type { JobSettings } from '../../domain/job/job.js'
import { ScoredAnswers } from '../../domain/learn/scored-answers.js'
import { qualityOf } from '../../domain/metrics/quality.js'
import type { ModelView } from '../../api/models/models-service.js'
import type { RegistryRow } from '../../store/registry-row.js'
import { modelIdOf } from '../../actor/model-id.js'

export function modelViewOf({ id, labels }: JobSettings, row: RegistryRow, active: number): ModelView {
  const { version, isKept, bytes, trainedMicros, summary, origin, spans } = row
  const names = labels.map(({ name }) => name)
  const scored =
    summary.scored === null ? new ScoredAnswers(names.length) : ScoredAnswers.of(names.length, summary.scored)
  return {
    modelId: modelIdOf(id, version),
    version,
    isActive: version === active,
    isKept,
    bytes,
    trainedMicros,
    algorithm: summary.kind,
    origin:
      origin === null
        ? null
        : { ...origin, labelCounts: new Map(names.map((name, label) => [name, origin.labelCounts[label] ?? 0])) },
    examples: summary.examples,
    features: summary.features,
    heldOut: qualityOf(scored, names),
    heldOutLogLoss: summary.logLoss,
    activeTimes: spans,
  }
}

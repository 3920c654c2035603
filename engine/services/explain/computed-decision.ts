/** A stored decision as it is shown with all that it was made from. */
import { Refusal } from '../../errors.js'
import type { ByLabel, ComputedDecision, DecisionParts } from '../../api/models/computed-decision.js'
import { decide } from '../../domain/decide/decision.js'
import { findEvent } from '../../actor/event-table.js'
import { modelIdOf } from '../../actor/model-id.js'
import { readRegistryRow } from '../../actor/models/registry.js'
import { consensusName } from '../../actor/votes/ballots.js'
import type { RecordHeader } from '../../store/event-record.js'
import type { JobAt } from './job-at.js'
import { answerShown, valueShown } from './shown.js'
import { computeAgain, mayDiffer, type DecisionInputs } from './stored-decision.js'

/** @throws Refusal event_not_found. */
export function computedDecision(at: JobAt, eventId: string): ComputedDecision {
  const { environment, job } = at
  const event = findEvent(environment, job.id, eventId)
  if (event === null) throw new Refusal('event_not_found', 'event not found')
  const { header, micros } = event
  const again = computeAgain(at, event)
  const row = header.modelVersion === 0 ? null : readRegistryRow(environment, job.id, header.modelVersion)
  const modelId = header.modelVersion === 0 ? null : modelIdOf(job.id, header.modelVersion)
  return {
    eventId,
    ingestMicros: micros,
    decision: { ...answerShown(job, header), outlier: header.outlier, source: header.source, modelId },
    computed:
      again.inputs === null
        ? { isSame: null, reason: again.reason, differences: [] }
        : {
            isSame: again.differences.length === 0,
            reason: again.differences.length === 0 ? null : mayDiffer(at),
            differences: again.differences,
          },
    model:
      row === null || modelId === null
        ? null
        : {
            modelId,
            version: row.version,
            algorithm: row.summary.kind,
            trainedMicros: row.trainedMicros,
            isActive: row.version === at.stats.modelVersion,
            throughMicros: row.origin?.throughMicros ?? null,
            seed: row.origin?.seed ?? null,
          },
    parts: again.inputs === null ? null : partsOf(at, header, again.inputs),
  }
}

function partsOf(at: JobAt, header: RecordHeader, inputs: DecisionInputs): DecisionParts {
  const { job } = at
  const { opened, reader, values, ballot, known } = inputs
  const { model } = opened
  const byLabel = (numbers: ArrayLike<number>): ByLabel =>
    Object.fromEntries(job.labels.map(({ name }, label) => [name, numbers[label] ?? 0]))
  const probabilities = new Float64Array(job.labels.length)
  const answer = decide({ model, version: opened.row.version, probabilities }, values, null)
  const { members, steps } = model.steps(values)
  const { threshold, ageing, doubt, base, ruleOff } = header.basis
  return {
    features: reader.names.map((field, place) => ({ field, value: valueShown(values[place] ?? null) })),
    members: members.map((member) => ({ ...member, probabilities: byLabel(member.probabilities) })),
    calibration: steps.map(({ name, probabilities: own }) => ({ step: name, probabilities: byLabel(own) })),
    answer: answerShown(job, answer),
    outlier: { score: answer.outlierScore, threshold, outlier: header.outlier },
    votes:
      ballot === null
        ? null
        : {
            state: ballot.state,
            consensus: consensusName(job.labels, ballot.consensus),
            split: byLabel(ballot.counts),
            override: ballot.override === null ? null : (job.labels[ballot.override.label]?.name ?? null),
            counted: known !== null,
            settled: known?.isSettled === true,
            modelWeight: model.summary.evidenceWeight,
          },
    trust: { ageing, doubt, baseRate: base, ruleOff },
  }
}

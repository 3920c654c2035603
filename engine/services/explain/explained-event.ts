/**
 * Why an event has its decision.
 *
 * Owns: the parts of an explanation, and whether what it says of the model gives the stored decision. Leaves out: the
 * model's part (model-part.ts), a body that is not stored (what-if.ts).
 *
 * 1. The stored decision is explained, by the version of the model that made it. What a later model would say is not
 *    told.
 * 2. An explanation says whether it is exact: the decision is computed again and compared with the stored one.
 */
import type { EventExplanation, ExplainedDecision, Explanation } from '../../api/explanation-service.js'
import { Refusal } from '../../errors.js'
import { decide, type Decision } from '../../domain/decide/decision.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { hasClusters } from '../../domain/job/job.js'
import { votesBehind } from '../../domain/metrics/evidence.js'
import { decodePrevious, type PreviousDecision, type RecordHeader } from '../../store/event-record.js'
import type { BallotRow } from '../../store/ballot-row.js'
import { findEvent, subjectOf } from '../../actor/event-table.js'
import { modelIdOf } from '../../actor/model-id.js'
import { knownConsensus, readBallot } from '../../actor/votes/ballots.js'
import { readRegistryRow } from '../../actor/models/registry.js'
import { ballotFigures } from '../read/ballot-view.js'
import { evidenceOf } from '../read/job-evidence.js'
import { placeOf } from '../read/cluster-reader.js'
import { reasonOf } from '../read/export-log.js'
import type { ClusterPlace } from '../../api/cluster-service.js'
import { EventValues } from './event-values.js'
import { inWords } from './in-words.js'
import type { JobAt } from './job-at.js'
import { modelPart, type ModelPart } from './model-part.js'
import type { ExplainedModel } from './opened-models.js'
import { answerShown } from './shown.js'

/** @throws Refusal event_not_found. */
export function explainEvent(at: JobAt, eventId: string): EventExplanation {
  const { environment, job } = at
  const event = findEvent(environment, job.id, eventId)
  if (event === null) throw new Refusal('event_not_found', 'event not found')
  const { header, micros, record } = event
  const opened = at.model(header.modelVersion)
  const reader = new EventValues(at, opened?.model ?? null)
  const values = opened === null || !at.fits(opened) ? null : reader.of(event)
  return {
    eventId,
    ingestMicros: micros,
    ...explanationOf(at, {
      header,
      opened,
      reader,
      values,
      ballot: readBallot(environment, job.id, subjectOf(header, micros)),
      previous: decodePrevious(record),
      place: placeOf(environment, job, event),
    }),
  }
}

/** What an explanation is made from. */
export interface ExplainedParts {
  readonly header: RecordHeader
  /** The model of the decision; null without one. */
  readonly opened: ExplainedModel | null
  readonly reader: EventValues
  /** Null where the model cannot read them. */
  readonly values: PointValues | null
  readonly ballot: BallotRow | null
  readonly previous: PreviousDecision | null
  readonly place: ClusterPlace | null
}

export function explanationOf(at: JobAt, parts: ExplainedParts): Explanation {
  const { job, stats } = at
  const { header, opened, reader, values, ballot, place } = parts
  const part = opened === null ? null : modelPart(at, opened, { reader, values, ruleOff: header.basis.ruleOff })
  const votes = ballot === null ? null : ballotFigures(job, ballot, stats.trainedThroughSeq)
  const bucketId = header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex')
  const explained = {
    decision: explainedDecision(at, parts, part),
    votes: votes === null ? null : { bucketId, ...votes },
    model: part === null ? null : part.shown,
    cluster: place === null ? null : { clusterId: place.cluster.clusterId, reason: place.reason },
  }
  return { inWords: inWords(explained), ...explained }
}

/** `part`: the model's, with which the decision is compared; null where it is not. */
export function explainedDecision(at: JobAt, parts: ExplainedParts, part: ModelPart | null): ExplainedDecision {
  const { job, stats } = at
  const { header, opened, previous, place } = parts
  const { modelVersion, pending, outlier, source } = header
  const isByEarlierModel = modelVersion !== 0 && modelVersion !== stats.modelVersion
  const [, reason] = reasonOf({ header, previous, place })
  const isGone = modelVersion !== 0 && opened === null
  const inexactReason = isGone
    ? 'the model of the decision is not kept any more'
    : opened === null || part === null
      ? null
      : inexact(at, parts, opened, part)
  return {
    ...answerShown(job, header),
    status: pending ? 'pending_inference' : 'OK',
    outlier,
    source,
    modelId: modelVersion === 0 ? null : modelIdOf(job.id, modelVersion),
    isByEarlierModel,
    reason: isByEarlierModel ? `${reason}; model version ${stats.modelVersion} decides new events` : reason,
    isExact: part === null && !isGone ? null : inexactReason === null,
    inexactReason,
    ...confidenceBasis(at, header),
  }
}

/** How far the votes behind the model of the decision carry its confidence. */
function confidenceBasis(
  { environment, job, stats }: JobAt,
  { modelVersion, label, source }: RecordHeader,
): Pick<ExplainedDecision, 'confidenceBasis' | 'confidenceNote'> {
  const row = modelVersion === 0 ? null : readRegistryRow(environment, job.id, modelVersion)
  if (label < 0 || row === null)
    return { confidenceBasis: source === 'untrained' ? 'thin' : 'none', confidenceNote: '' }
  const { level, message } = evidenceOf(job, stats.labelledEvents, votesBehind(row, job.labels.length))
  return { confidenceBasis: level, confidenceNote: message }
}

/** Why the stored decision cannot be computed again; null where it was. */
function inexact(
  at: JobAt,
  { header, values, ballot }: ExplainedParts,
  { row, model }: ExplainedModel,
  { reasons }: ModelPart,
): string | null {
  const isClustered = hasClusters(at.job.category)
  if (values === null || reasons === null) {
    if (row.fingerprint !== at.fingerprint) return 'the decision points have changed since the model was trained'
    return isClustered ? 'the event is in no cluster any more' : 'the model was trained for another category of jobs'
  }
  const { source } = header
  if (source !== 'knowledge_base') {
    if (isSame(reasons.answer, header, header.basis.doubt > 0)) return null
    return isClustered ? 'its place in its cluster has changed since the decision' : 'the event has changed since'
  }
  const known = knownConsensus(ballot, row.throughSeq, header.bucketId !== null)
  const probabilities = new Float64Array(at.job.labels.length)
  const again = decide({ model, version: row.version, probabilities }, values, known)
  return known !== null && isSame(again, header, false) ? null : 'the votes have changed since the decision'
}

/** The stored decision is this one. The watch may have lowered its confidence. The store keeps scores as floats. */
function isSame(own: Decision, stored: RecordHeader, isDoubted: boolean): boolean {
  return (
    own.label === stored.label &&
    Math.fround(own.outlierScore) === Math.fround(stored.outlierScore) &&
    (isDoubted || own.confidence === stored.confidence)
  )
}

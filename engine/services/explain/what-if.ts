/**
 * What a body would be decided as if it were sent now. Nothing is stored.
 *
 * Owns: the checks of a new event, and its decision, on a snapshot. Leaves out: what the actor does with a new event
 * (actor/event-intake.ts); a test compares the two.
 *
 * 1. The decision is made by the code that decides new events (actor/job-model.ts), from committed state. The trust
 *    watch does not see it.
 * 2. The body is written for its checks alone, with shapes and words of its own.
 */
import type { WhatIf } from '../../api/explanation-service.js'
import { noBasis } from '../../domain/decide/decision-basis.js'
import { noDecision, type Decision } from '../../domain/decide/decision.js'
import { BodyWriter } from '../../domain/event/body-writer.js'
import { bucketIdOf, bucketText } from '../../domain/event/bucket-key.js'
import { lacksPoints } from '../../domain/event/decision-points.js'
import { mustNameJob, parseBody, readEnvelope, wrongBody } from '../../domain/event/envelope.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { ShapeTree } from '../../domain/event/shape-tree.js'
import { Words } from '../../domain/event/words.js'
import { enriches, hasBuckets, hasClusters } from '../../domain/job/job.js'
import { newHeader } from '../../store/event-record.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { readBucket } from '../../store/bucket-table.js'
import { lastTime } from '../../actor/event-table.js'
import { JobModel, type DecidedBucket } from '../../actor/job-model.js'
import { JobStats } from '../../actor/job-stats.js'
import { readBallot, stateOf } from '../../actor/votes/ballots.js'
import { EventValues } from './event-values.js'
import { explainedDecision, explanationOf } from './explained-event.js'
import type { JobAt } from './job-at.js'
import { decideAlert } from './what-if-alert.js'
import { pointsOf } from '../../domain/job/job-points.js'

/** What every reader thread is told. */
export interface WhatIfTerms {
  readonly serviceNames: readonly string[]
  readonly nowMicros: number
}

/** @throws Refusal as a new event. */
export function decideBody(at: JobAt, body: Uint8Array, { serviceNames, nowMicros }: WhatIfTerms): WhatIf {
  const { job } = at
  const parsed = parseBody(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
  const { rawBody } = readEnvelope(parsed, serviceNames)
  const { explain } = wishesOf(parsed as Record<string, unknown>, job.id)
  new BodyWriter(new ShapeTree(), new Words()).write(rawBody)
  const isHeld = job.status === 'STOPPED'
  const micros = Math.max(nowMicros, lastTime(at.environment) + 1)
  const model = jobModelOf(at)
  const decided = hasClusters(job.category)
    ? decideInCluster(at, model, rawBody, micros)
    : decideByValues(at, model, rawBody)
  const { bucket, lacks } = decided
  const header = newHeader(isHeld ? noDecision : decided.decision, {
    pending: isHeld,
    lacksPoints: lacks,
    hasClientId: false,
    bucketId: bucket === null ? null : bucket.id,
    enrichments: 'none',
    basis: isHeld ? noBasis : model.basis,
    // Which events a gate takes hangs on their ids (domain/autonomy/sampling.ts).
    autonomy: 'none',
  })
  const ballot = bucket?.hasBallot === true ? readBallot(at.environment, job.id, bucket.id) : null
  const opened = at.model(header.modelVersion)
  const reader = new EventValues(at, opened?.model ?? null)
  const parts = { header, opened, reader, values: decided.values, ballot, previous: null, place: null }
  const explanation = explain ? explanationOf(at, parts) : null
  return {
    // It was computed from this snapshot just now.
    decision: { ...explainedDecision(at, parts, null), isExact: opened === null ? null : true },
    bucketState: stateOf(ballot, at.stats.trainedThroughSeq),
    bucketId: bucket === null ? null : bucket.id.toString('hex'),
    isKnownBucket: decided.isKnownBucket,
    note: noteOf(isHeld, job.pipeline.some(enriches)),
    explanation,
  }
}

/** What the body says beside the event. @throws Refusal invalid_body. */
function wishesOf(
  { explain, job_id: jobId }: Record<string, unknown>,
  pathJobId: number,
): { readonly explain: boolean } {
  mustNameJob({ job_id: jobId }, pathJobId)
  if (explain === undefined || explain === null) return { explain: false }
  if (typeof explain === 'boolean') return { explain }
  if (explain === 'true' || explain === 'false') return { explain: explain === 'true' }
  throw wrongBody(['explain'], 'Input should be a valid boolean', 'bool_type')
}

function noteOf(isHeld: boolean, isEnriched: boolean): string | null {
  if (isHeld) return 'the job is stopped: an event waits until it starts'
  return isEnriched ? 'an event is enriched before it is decided: this is the decision on the body as it is' : null
}

/** A decision, and what the model has read. */
interface DecidedBody {
  readonly decision: Decision
  readonly values: PointValues
  readonly bucket: DecidedBucket | null
  readonly isKnownBucket: boolean
  readonly lacks: boolean
}

/** The job's model and its state, as its actor has them. */
function jobModelOf(at: JobAt): JobModel {
  const { job, stats, fingerprint, environment } = at
  const model = new JobModel(job, fingerprint, environment, new JobStats(job.id, stats))
  const opened = at.model(stats.modelVersion)
  if (opened !== null) model.useOpen(opened.row, opened.model)
  return model
}

function decideInCluster(at: JobAt, model: JobModel, rawBody: Record<string, unknown>, micros: number): DecidedBody {
  return { ...decideAlert(at, model, rawBody, micros), bucket: null, isKnownBucket: false, lacks: false }
}

function decideByValues(at: JobAt, model: JobModel, rawBody: Record<string, unknown>): DecidedBody {
  const { job, environment, fingerprint } = at
  const values = pointsOf(job).valuesOf(rawBody)
  const id = hasBuckets(job.category) ? bucketIdOf(fingerprint, bucketText(values)) : null
  const row = id === null ? undefined : readBucket(environment, job.id, id)
  const hasBallot = row !== undefined && decodeBucket(row).hasBallot
  const bucket = id === null ? null : { id, fingerprint, hasBallot, decision: null, votesState: 0 }
  const lacks = lacksPoints(values)
  // Decided again: the trust watch counts new events only.
  const again = { ownSubject: null, again: true }
  return {
    decision: lacks ? noDecision : model.decide(() => values, bucket, again),
    bucket,
    isKnownBucket: row !== undefined,
    lacks,
    values,
  }
}

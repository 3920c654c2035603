/**
 * The subjects that a model is scored on: their decision points, what the model reads of them, and their events.
 *
 * Owns: reading a bucket, a single event, and a clustered alert as the actor would. Leaves out: the scores
 * (model-scores.ts).
 */
import { must } from '../../assert.js'
import type { AlertRow } from '../../domain/cause/cause-rows.js'
import { CauseModel } from '../../domain/cause/cause-model.js'
import { structuralAnswer } from '../../domain/cause/context.js'
import { ContextCache } from '../../domain/cause/context-cache.js'
import { LinkBelief } from '../../domain/cause/feedback-weights.js'
import { HawkesProcess } from '../../domain/cause/hawkes.js'
import { causeSettingsOf } from '../../domain/cause/settings.js'
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
import type { PointValues } from '../../domain/event/point-value.js'
import type { Model } from '../../domain/learn/classifier.js'
import { decodeContent } from '../../store/event-record.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import { timeKey, timeOfValue } from '../../store/tables.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { CauseRows, CauseTableReader, type RangeReads } from '../../actor/cause/cause-table.js'
import type { ClusteredJob } from '../read/cluster-reader.js'
import type { MetricsContext } from './job-snapshot.js'
import type { MetricsJob } from './metrics-query.js'
import { pointsOf } from '../../domain/job/job-points.js'

/** A bucket, or an event without one. */
export interface ScoredSubject {
  /** Its decision points. */
  readonly values: PointValues
  /** What the model reads: `values`, and the context of a clustered alert. */
  readonly seen: PointValues
  readonly events: number
  /** It has the job's present decision points. */
  readonly isCurrent: boolean
}

/**
 * Reads subjects for a model that was trained with the decision points of `fingerprint`. The result is null for a
 * subject that is gone or has other decision points. It throws Error for an event without a bucket where the job's
 * decision points have changed: the earlier ones are not stored.
 */
export function subjectReader(
  context: MetricsContext,
  job: MetricsJob,
  fingerprint: number,
  model: Model,
): (subject: Uint8Array) => ScoredSubject | null {
  const { environment, codec } = context.stores(job.shard)
  const points = pointsOf(job)
  const counts = new BucketCounts(environment, job.id)
  const table = new BucketTable(environment, job.id)
  const isCurrent = points.fingerprint === fingerprint
  const clustered = model instanceof CauseModel ? causeValues(environment, job, model) : null
  return (subject) => {
    if (subject.length !== BUCKET_ID_BYTES) {
      if (!isCurrent) throw new Error('the model was trained with other decision points than the job has now')
      const record = environment.get('events', timeKey(job.id, timeOfValue(subject)))
      if (record === undefined) return null
      const values = points.valuesOf(codec.decode(decodeContent(record).body))
      const seen = clustered === null ? values : clustered(timeOfValue(subject), values)
      return seen === null ? null : { values, seen, events: 1, isCurrent }
    }
    const bucket = decodeBucket(must(table.row(subject), 'the bucket of a ballot'))
    if (bucket.fingerprint !== fingerprint) return null
    const { events } = counts.of(bucketIdText(subject), bucket.number)
    return { values: bucket.values, seen: bucket.values, events, isCurrent }
  }
}

/** The values of the alert ingested at `micros`; null where it was never clustered. */
function causeValues(
  reads: RangeReads,
  job: ClusteredJob,
  model: CauseModel,
): (micros: number, values: PointValues) => PointValues | null {
  const { causeWindowMs } = causeSettingsOf(job)
  const hawkes = new HawkesProcess(new CauseTableReader(reads, job.id), causeWindowMs)
  const rows = new CauseRows(reads, job.id)
  const linkBelief = new LinkBelief(model.feedbackWeights)
  const windowMs = causeWindowMs || model.feedbackWeights.windowMs || hawkes.windowMs
  const contexts = new ContextCache(hawkes)
  return (micros, values) => {
    const alert = rows.get('alerts', micros) as AlertRow | undefined
    return alert === undefined ? null : contexts.valuesOf(alert, structuralAnswer(alert, linkBelief, windowMs), values)
  }
}

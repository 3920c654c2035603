/**
 * The mixed buckets of a job: the split of their votes, and the fields that would tell their events apart.
 *
 * 1. Buckets of the present decision points only. The largest come first: they decide for most events.
 * 2. Fields are ranked by at most limits.separatedEventsMax voted events, all of the page's buckets.
 * 3. The walk ends after limits.readerMsMax milliseconds, and returns what it has found, with `exact` false.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { limits } from '../../limits.js'
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
import type { JobSettings } from '../../domain/job/job.js'
import { countVotes, isLabel, majorityOf } from '../../domain/learn/consensus.js'
import { separatingFields, type SeparatedEvent } from '../../domain/metrics/separating-fields.js'
import { decodeBallot } from '../../store/ballot-row.js'
import { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import { decodeContent } from '../../store/event-record.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import { JOB_BYTES, jobRange, timeKey } from '../../store/tables.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { readStats } from '../../actor/job-stats.js'
import { isMixedBallot } from '../../actor/votes/ballot-counts.js'
import { readBallot } from '../../actor/votes/ballots.js'
import { votesOn, WHOLE_BUCKET } from '../../actor/votes/vote-rows.js'
import type { MixedPage, MixedQuery } from '../../api/consensus-service.js'
import { ballotView } from '../read/ballot-view.js'
import { FieldReader } from '../../domain/event/field-reader.js'
import { pointsOf, typesOf } from '../../domain/job/job-points.js'

/** The walk checks its time after so many rows. */
const CHECK_ROWS = 1_024
const FIELDS_SHOWN = 10
/** Fields of one event that are looked at. */
const FIELDS_MAX = 500
/** Longer values are cut. */
const VALUE_CHARS = 256

/** A page of the job's mixed buckets. `nowMs` counts milliseconds from any origin. */
export function mixedBucketsOf(
  environment: Environment,
  job: JobSettings,
  { page, size }: MixedQuery,
  nowMs: () => number,
): MixedPage {
  const untilMs = nowMs() + limits.readerMsMax
  const points = pointsOf(job)
  const counts = new BucketCounts(environment, job.id)
  const table = new BucketTable(environment, job.id)
  const found: { readonly id: Buffer; readonly events: number }[] = []
  let [rows, exact] = [0, true]
  for (const { key, value } of environment.range('ballots', jobRange(job.id))) {
    if (++rows % CHECK_ROWS === 0 && nowMs() > untilMs) {
      exact = false
      break
    }
    const id = Buffer.from(key.subarray(JOB_BYTES))
    if (id.length !== BUCKET_ID_BYTES || !isMixedBallot(decodeBallot(value))) continue
    const row = table.row(id)
    const bucket = row === undefined ? null : decodeBucket(row)
    if (bucket === null || bucket.fingerprint !== points.fingerprint) continue
    found.push({ id, events: counts.of(bucketIdText(id), bucket.number).events })
  }
  found.sort((a, b) => b.events - a.events || Buffer.compare(a.id, b.id))
  const shown = found.slice(page * size, (page + 1) * size)
  const { trainedThroughSeq } = readStats(environment, job.id, job.labels.length)
  const context = { reads: environment, countOf: counts.of.bind(counts), job, trainedThroughSeq }
  const events = votedEvents(environment, job, shown)
  return {
    buckets: shown.map(({ id }) => {
      const ballot = readBallot(environment, job.id, id)
      return ballotView(context, { subject: id, ballot, withNotes: false })
    }),
    fields: separatingFields(events, job.labels.length, FIELDS_SHOWN),
    votedEvents: events.length,
    total: found.length,
    exact,
  }
}

/** The voted events of these buckets, with their fields that are no decision points. */
function votedEvents(
  environment: Environment,
  job: JobSettings,
  buckets: readonly { readonly id: Buffer }[],
): SeparatedEvent[] {
  const codec = new BodyCodec(environment)
  const events: SeparatedEvent[] = []
  const reader = new FieldReader(typesOf(job))
  for (const { id } of buckets) {
    const bucket = id.toString('hex')
    for (const { micros, votes } of votesOn(environment, job.id, id)) {
      if (events.length >= limits.separatedEventsMax) return events
      const label = micros === WHOLE_BUCKET ? -1 : majorityOf(countVotes(votes, job.labels.length))
      const record = isLabel(label) ? environment.get('events', timeKey(job.id, micros)) : undefined
      if (record === undefined) continue
      const values = valuesIn(reader, codec.decode(decodeContent(record).body))
      for (const point of job.decisionPoints) values.delete(point)
      events.push({ bucket, label, values })
    }
  }
  return events
}

/** The values of an event by their paths, as texts. */
function valuesIn(reader: FieldReader, event: Readonly<Record<string, unknown>>): Map<string, string> {
  const values = new Map<string, string>()
  reader.each(event, (path, value) => {
    if (values.size >= FIELDS_MAX) return
    values.set(path, cutText(typeof value === 'string' ? value : JSON.stringify(value), VALUE_CHARS, ''))
  })
  return values
}

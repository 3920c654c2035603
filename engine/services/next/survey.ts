/**
 * What a job has that people may be asked about: its buckets, or its events where it has none.
 *
 * Owns: which rows are read. Leaves out: which of them become candidates (candidate-pool.ts).
 *
 * 1. Buckets are read in the order of their ids. Ids are hashes, so those that were read before time was up are a fair
 *    sample. Events are read from the latest on.
 * 2. There may be 200,000 rows, so they are read where they lie, and only what is needed of them.
 */
import { bucketIdText } from '../../domain/event/bucket-key.js'
import { selectionBounds as bounds } from '../../domain/learn/selection/bounds.js'
import type { Screened } from '../../domain/learn/selection/screening.js'
import { uncountedEventsOf } from '../../actor/buckets/bucket-counts.js'
import { decodeBucketHead, eventsOnly, type CountRow } from '../../store/bucket-row.js'
import { hasFeedbackOf } from '../../store/record-header.js'
import { countKey, JOB_BYTES, jobRange, timeOfKey, timeValue } from '../../store/tables.js'
import type { JobAt } from '../explain/job-at.js'
import type { CountedSubject } from './subject-columns.js'

export interface SurveyedEvent extends CountedSubject, Screened {
  readonly isVoted: boolean
}

export interface Survey {
  readonly found: readonly SurveyedEvent[]
  readonly isComplete: boolean
}

/** The walk checks its time after so many rows. */
const CHECK_ROWS = 1_024

/** Buckets of the present decision points that have events. */
export function surveyBuckets(at: JobAt, isOver: () => boolean): Survey {
  const { environment, job, fingerprint } = at
  const counts = countsByNumber(at)
  const isWhole = counts.size < bounds.surveyedMax
  const uncounted = uncountedEventsOf(environment, job.id)
  const found: SurveyedEvent[] = []
  let [rows, isComplete] = [0, true]
  environment.scan('buckets', jobRange(job.id), (_, value) => {
    if (++rows % CHECK_ROWS === 0 && (isOver() || rows >= bounds.surveyedMax)) return (isComplete = false)
    const head = decodeBucketHead(value)
    if (head.fingerprint !== fingerprint) return true
    const { number, firstMicros, hasBallot } = head
    // All of the row is read before another one may take its place.
    const id = Buffer.from(head.id)
    const inRow = eventsOnly.inBucket(value)
    const far = isWhole || counts.has(number) ? undefined : environment.get('counts', countKey(job.id, number))
    const count = counts.get(number) ?? (far === undefined ? inRow : eventsOnly.ofCount(far))
    const { events, lastMicros } = uncounted.isEmpty ? count : uncounted.addTo(count, bucketIdText(id))
    if (events > 0)
      found.push({ id, events, firstMicros, lastMicros, isVoted: hasBallot, doubt: 1, key: id.readInt32LE(0) })
    return true
  })
  return { found, isComplete }
}

/** The first rows of counts, by the number of their bucket. */
function countsByNumber({ environment, job }: JobAt): Map<number, CountRow> {
  const counts = new Map<number, CountRow>()
  environment.scan('counts', { ...jobRange(job.id), limit: bounds.surveyedMax }, (key, value) => {
    const number = Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(JOB_BYTES)
    counts.set(number, eventsOnly.ofCount(value))
    return true
  })
  return counts
}

/** The latest events. */
export function surveyEvents({ environment, job }: JobAt, isOver: () => boolean): Survey {
  const found: SurveyedEvent[] = []
  let isComplete = true
  environment.scan('events', { ...jobRange(job.id), reverse: true }, (key, record) => {
    const micros = timeOfKey(key)
    const id = timeValue(micros)
    const times = { firstMicros: micros, lastMicros: micros }
    found.push({ id, events: 1, ...times, isVoted: hasFeedbackOf(record), doubt: 1, key: id.readInt32LE(4) })
    isComplete = found.length < bounds.estimatedMax && (found.length % CHECK_ROWS !== 0 || !isOver())
    return isComplete
  })
  return { found, isComplete }
}

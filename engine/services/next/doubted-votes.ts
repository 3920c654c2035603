/**
 * The votes that the model contradicts, asked without them, with what a second look is expected to gain.
 *
 * 1. A vote leaves the list when anyone votes on its event again, confirming it or not, when an administrator overrides
 *    it, and when its event is erased. The next training makes a new list.
 */
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import { countVotes, majorityOf } from '../../domain/learn/consensus.js'
import { selectionBounds as bounds } from '../../domain/learn/selection/bounds.js'
import { promisedEvents } from '../../domain/learn/selection/promise.js'
import type { DoubtedVoteView, SecondLook, SecondLookQuery } from '../../api/next-service.js'
import type { StoredVote } from '../../store/ballot-row.js'
import type { DoubtedVote } from '../../store/model-votes.js'
import { decodeBucketHead } from '../../store/bucket-row.js'
import { readBucket } from '../../store/bucket-table.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { subjectOf } from '../../actor/event-table.js'
import { modelIdOf } from '../../actor/model-id.js'
import { readBallot } from '../../actor/votes/ballots.js'
import { readVotes, WHOLE_BUCKET } from '../../actor/votes/vote-rows.js'
import { rounded } from '../explain/shown.js'
import type { JobAt } from '../explain/job-at.js'
import { lastEventOf } from './candidate-pool.js'

export function secondLook(at: JobAt, { count, order }: SecondLookQuery, nowMicros: number): SecondLook {
  const { active, job } = at
  if (active === null) return { votes: [], modelId: null }
  const { row } = active
  const counts = new BucketCounts(at.environment, job.id)
  const found: DoubtedVoteView[] = []
  for (const doubted of row.doubted ?? []) {
    if (order === 'doubt' && found.length >= count) break
    const view = viewOf(at, doubted, { counts, nowMicros, trainedMicros: row.trainedMicros })
    if (view !== null) found.push(view)
  }
  if (order === 'gain') found.sort((a, b) => b.gain.events - a.gain.events)
  return { votes: found.slice(0, count), modelId: modelIdOf(job.id, row.version) }
}

interface ViewTerms {
  readonly counts: BucketCounts
  readonly nowMicros: number
  readonly trainedMicros: number
}

/** Null where somebody has looked at it since, or it is gone. */
function viewOf(
  at: JobAt,
  doubted: DoubtedVote,
  { counts, nowMicros, trainedMicros }: ViewTerms,
): DoubtedVoteView | null {
  const { environment, job } = at
  const { micros, label, suggested, given, other, wrong } = doubted
  const event = lastEventOf(at, micros)
  if (event === null) return null
  const subject = Buffer.from(subjectOf(event.header, micros))
  const votes = votesOnEvent(at, subject, micros)
  if (votes.length === 0 || votes.some(({ atMicros }) => atMicros > trainedMicros)) return null
  if (majorityOf(countVotes(votes, job.labels.length)) !== label) return null
  if (readBallot(environment, job.id, subject)?.override != null) return null
  const past = pastOf(at, subject, counts)
  const events = wrong * (past === null ? 1 : promisedEvents(past, nowMicros))
  const { promiseDays: days } = bounds
  const shown = events >= 10 ? Math.round(events) : Math.round(events * 10) / 10
  return {
    eventId: event.clientId ?? eventIdOf(micros),
    ingestMicros: micros,
    bucketId: past === null ? null : subject.toString('hex'),
    events: past?.events ?? 1,
    label: job.labels[label]?.name ?? '',
    analysts: [...new Set(votes.map(({ analyst }) => analyst))],
    suggested: job.labels[suggested]?.name ?? '',
    labelProbability: rounded(given),
    suggestedProbability: rounded(other),
    wrongProbability: rounded(wrong),
    gain: { events: shown, days, message: `about ${shown} events in ${days} days would be answered rightly` },
  }
}

function votesOnEvent({ environment, job }: JobAt, subject: Uint8Array, micros: number): StoredVote[] {
  const own = readVotes(environment, job.id, subject, micros)
  if (subject.length !== BUCKET_ID_BYTES) return [...own]
  const whole = readVotes(environment, job.id, subject, WHOLE_BUCKET)
  return [...own, ...whole.filter(({ eventMicros }) => eventMicros === micros)]
}

/** Null without a bucket. */
function pastOf({ environment, job }: JobAt, subject: Uint8Array, counts: BucketCounts) {
  if (subject.length !== BUCKET_ID_BYTES) return null
  const row = readBucket(environment, job.id, subject)
  if (row === undefined) return null
  const { number, firstMicros } = decodeBucketHead(row)
  const { events, lastMicros } = counts.of(bucketIdText(subject), number)
  return { events, firstMicros, lastMicros }
}

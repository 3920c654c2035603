/**
 * A ballot as people see it: who voted what and when, what it came to, and what is about to be decided by it.
 *
 * Owns: the view, from the rows of one snapshot. Leaves out: which ballots (job-reader.ts, disagreements.ts).
 */
import { eventIdOf } from '../../domain/event/event-id.js'
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
import { DecisionPoints } from '../../domain/event/decision-points.js'
import type { JobSettings } from '../../domain/job/job.js'
import { decodeContent } from '../../store/event-record.js'
import { decodeBucket, type BallotRow, type CountRow } from '../../store/rows.js'
import { bucketKey, timeKey, timeOfValue } from '../../store/tables.js'
import { consensusName, stateOf } from '../../actor/votes/ballots.js'
import type { ConsensusView } from '../../api/consensus-service.js'
import type { Reads } from '../../actor/event-table.js'

/** What a view is made of, in one snapshot. */
export interface ViewGround {
  readonly reads: Reads
  /** What a bucket of the job counts to, by its id, one character a byte, and its number. */
  readonly countOf: (id: string, number: number) => CountRow
}

/** The view of a bucket or an event; `ballot` is null where nobody has voted. With what was written beside votes, or without. */
export function ballotView(
  ground: ViewGround,
  job: JobSettings,
  subject: Uint8Array,
  ballot: BallotRow | null,
  trainedThroughSeq: number,
  withNotes: boolean,
): ConsensusView {
  const nameOf = (label: number): string => job.labels[label]?.name ?? ''
  const override = ballot?.override ?? null
  return {
    ...subjectView(ground, job, subject),
    consensus: ballot === null ? null : consensusName(job.labels, ballot.consensus),
    bucketState: stateOf(ballot, trainedThroughSeq),
    override:
      override === null ? null : { label: nameOf(override.label), by: override.by, atMicros: override.atMicros },
    votes: (ballot?.votes ?? []).map(
      ({ analyst, label, atMicros, eventMicros, closingNotes = null, indicators = null }) => ({
        analyst,
        label: nameOf(label),
        atMicros,
        eventId: eventIdAt(ground.reads, job.id, eventMicros),
        ...(withNotes ? { notes: { closingNotes, indicators } } : {}),
      }),
    ),
  }
}

type SubjectView = Pick<ConsensusView, 'bucketId' | 'eventId' | 'events' | 'values'>

function subjectView({ reads, countOf }: ViewGround, job: JobSettings, subject: Uint8Array): SubjectView {
  if (subject.length !== BUCKET_ID_BYTES) {
    return { bucketId: null, eventId: eventIdAt(reads, job.id, timeOfValue(subject)), events: 1, values: null }
  }
  const bucketId = Buffer.from(subject).toString('hex')
  const bytes = reads.get('buckets', bucketKey(job.id, subject))
  if (bytes === undefined) return { bucketId, eventId: null, events: 0, values: null }
  const row = decodeBucket(bytes)
  const isOfToday = row.fingerprint === new DecisionPoints(job.decisionPoints).fingerprint
  return {
    bucketId,
    eventId: null,
    events: countOf(bucketIdText(subject), row.number).events,
    values: isOfToday
      ? Object.fromEntries(job.decisionPoints.map((point, at) => [point, row.values[at] ?? null]))
      : null,
  }
}

/** The id of the event that came in at that time; null where another version has taken its place. */
function eventIdAt(reads: Reads, jobId: number, micros: number): string | null {
  const record = reads.get('events', timeKey(jobId, micros))
  return record === undefined ? null : (decodeContent(record).clientId ?? eventIdOf(micros))
}

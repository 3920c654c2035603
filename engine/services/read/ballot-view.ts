/**
 * A ballot as people see it: who voted what and when, the consensus, and whether the model in use knows it.
 *
 * Owns: the view, from the rows of one snapshot. Leaves out: which ballots (job-reader.ts, consensus/disagreements.ts).
 */
import { limits } from '../../limits.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
import type { JobSettings } from '../../domain/job/job.js'
import { clientIdOf, RECORD_HEAD_BYTES_MAX } from '../../store/event-record.js'
import type { Environment } from '../../store/environment.js'
import type { BallotRow, StoredVote } from '../../store/ballot-row.js'
import { decodeBucket, type CountRow } from '../../store/bucket-row.js'
import { readBucket } from '../../store/bucket-table.js'
import { timeKey, timeOfValue } from '../../store/tables.js'
import { consensusName, stateOf } from '../../actor/votes/ballots.js'
import { isMixedBallot } from '../../actor/votes/ballot-counts.js'
import { splitOf } from '../../actor/votes/vote-effect.js'
import { noChange, votesOn } from '../../actor/votes/vote-rows.js'
import type { ConsensusView } from '../../api/consensus-service.js'
import type { Reads } from '../../actor/event-table.js'
import { pointsFingerprint } from '../../domain/job/job-points.js'

/** What views of a job's ballots are made from, in one snapshot. */
export interface BallotContext {
  readonly reads: Reads & Pick<Environment, 'range' | 'read'>
  readonly job: JobSettings
  /** The counters of a bucket of the job, by its id (one character for each byte) and its number. */
  readonly countOf: (id: string, number: number) => CountRow
  /** The feedback sequence that the model in use was trained through. */
  readonly trainedThroughSeq: number
}

export interface ViewedBallot {
  /** The id of a bucket, or the time of an event. */
  readonly subject: Uint8Array
  /** Null where nobody has voted. */
  readonly ballot: BallotRow | null
  /** Whether to show what analysts wrote beside their votes. */
  readonly withNotes: boolean
}

/** The view of the ballot on a bucket or an event. */
export function ballotView(context: BallotContext, { subject, ballot, withNotes }: ViewedBallot): ConsensusView {
  const { reads, job, trainedThroughSeq } = context
  const nameOf = (label: number): string => job.labels[label]?.name ?? ''
  return {
    ...subjectView(context, subject),
    ...ballotFigures(job, ballot, trainedThroughSeq),
    votes: (ballot === null ? [] : latestVotes(reads, job.id, subject)).map(
      ({ analyst, label, atMicros, eventMicros, events, pickedBy, closingNotes = null, indicators = null }) => ({
        analyst,
        label: nameOf(label),
        atMicros,
        eventId: eventIdAt(reads, job.id, eventMicros),
        ...(pickedBy === undefined ? {} : { pickedBy }),
        ...(events === undefined ? {} : { countsForEvents: events }),
        ...(withNotes ? { notes: { closingNotes, indicators } } : {}),
      }),
    ),
  }
}

/** What a ballot says, without the single votes. `trainedThroughSeq` is that of the model in use. */
export function ballotFigures(
  job: Pick<JobSettings, 'labels'>,
  ballot: BallotRow | null,
  trainedThroughSeq: number,
): Omit<ConsensusView, keyof SubjectView | 'votes'> {
  const override = ballot?.override ?? null
  return {
    consensus: ballot === null ? null : consensusName(job.labels, ballot.consensus),
    bucketState: stateOf(ballot, trainedThroughSeq),
    override:
      override === null
        ? null
        : { label: job.labels[override.label]?.name ?? '', by: override.by, atMicros: override.atMicros },
    split: splitOf(job, ballot ?? noChange(job.labels.length)),
    tiedEvents: ballot?.ties ?? 0,
    mixed: isMixedBallot(ballot),
    votesCount: ballot === null ? 0 : ballot.votes.reduce((sum, count) => sum + count, 0),
  }
}

/** The latest votes on a subject, oldest first. */
function latestVotes(reads: BallotContext['reads'], jobId: number, subject: Uint8Array): StoredVote[] {
  const votes = [...votesOn(reads, jobId, subject)].flatMap((row) => row.votes)
  return votes.sort((a, b) => a.atMicros - b.atMicros).slice(-limits.votesShownMax)
}

type SubjectView = Pick<ConsensusView, 'bucketId' | 'eventId' | 'events' | 'values'>

function subjectView({ reads, countOf, job }: BallotContext, subject: Uint8Array): SubjectView {
  if (subject.length !== BUCKET_ID_BYTES) {
    return { bucketId: null, eventId: eventIdAt(reads, job.id, timeOfValue(subject)), events: 1, values: null }
  }
  const bucketId = Buffer.from(subject).toString('hex')
  const bytes = readBucket(reads, job.id, subject)
  if (bytes === undefined) return { bucketId, eventId: null, events: 0, values: null }
  const row = decodeBucket(bytes)
  const hasCurrentPoints = row.fingerprint === pointsFingerprint(job)
  return {
    bucketId,
    eventId: null,
    events: countOf(bucketIdText(subject), row.number).events,
    values: hasCurrentPoints
      ? Object.fromEntries(job.decisionPoints.map((point, at) => [point, row.values[at] ?? null]))
      : null,
  }
}

const head = Buffer.alloc(RECORD_HEAD_BYTES_MAX)

/** The id of the event with that ingest time; null where a later version has replaced it. The body is not read. */
export function eventIdAt(reads: Pick<Environment, 'read'>, jobId: number, micros: number): string | null {
  if (reads.read('events', timeKey(jobId, micros), head) < 0) return null
  return clientIdOf(head) ?? eventIdOf(micros)
}

/**
 * First answers: the decision that an event had when it was first voted on. Prequential quality is measured on them
 * (S26).
 *
 * Owns: their rows, and the truth in them. Leaves out: votes (voting.ts), the figures (domain/metrics/quality.ts).
 *
 * 1. The row is made before the first vote on the event is cast, and its decision never changes. It goes with its
 *    event. An event without a decision has a row too: what is decided later had been told.
 * 2. The truth is what most analysts say of the event, by the votes that were given on it, also by those on its whole
 *    bucket. It follows every vote and withdrawal. A tie, or no vote, is no truth. An override is about a bucket, not
 *    about an event.
 * 3. The bucket was known if the knowledge base decided, or a model that was installed after the first vote on the
 *    bucket. What was decided by an earlier model was decided without any vote on the bucket.
 */
import { countVotes, majorityOf } from '../../domain/learn/consensus.js'
import type { BallotRow, StoredVote } from '../../store/ballot-row.js'
import { decodeFirstAnswer, encodeFirstAnswer, type FirstAnswerRow } from '../../store/first-answer-row.js'
import type { Environment } from '../../store/environment.js'
import { jobRange, timeKey } from '../../store/tables.js'
import type { ActorDeps } from '../actor-deps.js'
import { eventAt, subjectOf, type FoundEvent, type Reads } from '../event-table.js'
import { readVotes, WHOLE_BUCKET } from './vote-rows.js'

/** The first answer of the event ingested at `micros`, or null where nobody ever voted on it. */
export function readFirstAnswer(reads: Reads, jobId: number, micros: number): FirstAnswerRow | null {
  const bytes = reads.get('answers', timeKey(jobId, micros))
  return bytes === undefined ? null : decodeFirstAnswer(bytes)
}

/** The same for an event whose header is read. Most have no votes. An event that left its bucket may lack the flag. */
export function firstAnswerOf(
  reads: Reads,
  jobId: number,
  { header, micros }: Pick<FoundEvent, 'header' | 'micros'>,
): FirstAnswerRow | null {
  return header.hasFeedback || header.bucketId === null ? readFirstAnswer(reads, jobId, micros) : null
}

/** All first answers of a job. */
export function* firstAnswers(
  reads: Pick<Environment, 'range'>,
  jobId: number,
): Generator<FirstAnswerRow, void, undefined> {
  for (const { value } of reads.range('answers', jobRange(jobId))) yield decodeFirstAnswer(value)
}

/** Keeps the decision of an event that is voted on now; `ballot` is that of its bucket before the vote. */
export function keepFirstAnswer(
  { store, settings }: Pick<ActorDeps, 'store' | 'settings'>,
  { header, micros }: Pick<FoundEvent, 'header' | 'micros'>,
  ballot: BallotRow | null,
): void {
  if (readFirstAnswer(store, settings.id, micros) !== null) return
  const { label, confidence, modelVersion, source } = header
  const knownBucket = source === 'knowledge_base' || (ballot !== null && modelVersion > ballot.firstVersion)
  const row = { label, confidence, modelVersion, knownBucket, truth: -1 }
  store.put('answers', timeKey(settings.id, micros), encodeFirstAnswer(row))
}

/**
 * Writes what analysts say of the event now. To be called when votes that were given on it have changed, or when it has
 * moved to another bucket.
 */
export function settleTruth(
  { store, settings, trial }: Pick<ActorDeps, 'store' | 'settings' | 'trial'>,
  micros: number,
): void {
  const row = readFirstAnswer(store, settings.id, micros)
  const event = row === null ? null : eventAt(store, settings.id, micros)
  if (row === null || event === null) return
  const subject = subjectOf(event.header, micros)
  const truth = truthOf(store, { jobId: settings.id, subject, micros, labelCount: settings.labels.length })
  trial.told(micros, truth)
  if (truth !== row.truth) store.put('answers', timeKey(settings.id, micros), encodeFirstAnswer({ ...row, truth }))
}

/** An event, and the bucket that has its votes. */
export interface VotedEvent {
  readonly jobId: number
  readonly subject: Uint8Array
  readonly micros: number
  readonly labelCount: number
}

/** The label that most analysts give the event, or -1. Votes that stayed with a bucket that it has left say nothing. */
export function truthOf(reads: Reads, { jobId, subject, micros, labelCount }: VotedEvent): number {
  const given: StoredVote[] = [
    ...readVotes(reads, jobId, subject, micros),
    ...readVotes(reads, jobId, subject, WHOLE_BUCKET).filter(({ eventMicros }) => eventMicros === micros),
  ]
  return Math.max(-1, majorityOf(countVotes(given, labelCount)))
}

/** Deletes the first answer of an event that is deleted. */
export function dropFirstAnswer({ store, settings }: Pick<ActorDeps, 'store' | 'settings'>, micros: number): void {
  const key = timeKey(settings.id, micros)
  if (store.get('answers', key) !== undefined) store.delete('answers', key)
}

/** Counts all stored events of a job again from the rows alone, and compares the counters. */
import assert from 'node:assert/strict'
import { addEvidence, consensusOf, isLabel, isLowScore, UNDECIDED } from '../../../engine/domain/learn/consensus.js'
import { BucketCounts } from '../../../engine/actor/buckets/bucket-counts.js'
import { BodyCodec } from '../../../engine/store/body-codec.js'
import type { Entry, Environment } from '../../../engine/store/environment.js'
import { decodeContent, decodeHeader } from '../../../engine/store/event-record.js'
import {
  decodeBallot,
  decodeVotes,
  labelledBy,
  type BallotRow,
  type StoredVote,
} from '../../../engine/store/ballot-row.js'
import { decodeRegistry } from '../../../engine/store/registry-row.js'
import { decodeBucket } from '../../../engine/store/bucket-row.js'
import { BucketTable } from '../../../engine/store/bucket-table.js'
import { decodeStats, type StatsRow } from '../../../engine/store/rows.js'
import { isMixedBallot } from '../../../engine/actor/votes/ballot-counts.js'
import { subjectOf } from '../../../engine/actor/event-table.js'
import { truthOf } from '../../../engine/actor/votes/first-answers.js'
import { decodeFirstAnswer } from '../../../engine/store/first-answer-row.js'
import { evidenceOf, noChange, votesOn } from '../../../engine/actor/votes/vote-rows.js'
import {
  JOB_BYTES,
  jobKey,
  jobRange,
  modelKey,
  timeKey,
  timeOfKey,
  timeOfValue,
  type ShardTable,
} from '../../../engine/store/tables.js'
import { eventIdOf } from '../../../engine/domain/event/event-id.js'

export interface Recounted {
  /** Bodies by event id. */
  readonly events: ReadonlyMap<string, Record<string, unknown>>
  /** Ballots by bucket id or time of the event, in hexadecimal. */
  readonly ballots: ReadonlyMap<string, BallotRow>
  readonly votes: readonly StoredVote[]
  readonly stats: StatsRow
}

const LABELS = 3

/** Fails if a row is missing, left over or counted wrong. */
export function recount(environment: Environment, jobId: number): Recounted {
  const entries = (table: ShardTable): Entry[] => [...environment.range(table, jobRange(jobId))]
  const subject = ({ key }: Entry): string => Buffer.from(key.subarray(4)).toString('hex')
  const codec = new BodyCodec(environment)
  const events = new Map<string, Record<string, unknown>>()
  const perBucket = new Map<string, number>()
  const decisions = new Map<string, number[]>()
  const [ids, pending] = [new Map<string, number>(), new Set<number>()]
  for (const { key, value } of entries('ids')) ids.set(Buffer.from(key.subarray(4)).toString(), timeOfValue(value))
  for (const { key } of [...entries('pending'), ...entries('awaited')]) pending.add(timeOfKey(key))
  const enrichments = new Set(entries('lookups').map(({ key }) => timeOfKey(key)))
  let feedbackEvents = 0
  let undecided = 0
  for (const { key, value } of entries('events')) {
    const micros = timeOfKey(key)
    const header = decodeHeader(value)
    const { body, clientId } = decodeContent(value)
    assert.equal(header.hasClientId, clientId !== null)
    if (clientId !== null) assert.equal(ids.get(clientId), micros, `the index of event ${clientId}`)
    assert.equal(header.pending, pending.delete(micros), 'the pending mark of an event')
    assert.equal(header.enrichments === 'stored', enrichments.delete(micros), 'the enrichments of an event')
    events.set(clientId ?? eventIdOf(micros), codec.decode(body))
    if (header.hasFeedback) feedbackEvents++
    if (header.label < 0 && !header.pending) undecided++
    if (header.bucketId === null) continue
    const bucket = Buffer.from(header.bucketId).toString('hex')
    perBucket.set(bucket, (perBucket.get(bucket) ?? 0) + 1)
    const decided = decisions.get(bucket) ?? new Array<number>(LABELS).fill(0)
    if (header.label >= 0) decided[header.label] = (decided[header.label] as number) + 1
    decisions.set(bucket, decided)
  }
  assert.equal(events.size, entries('events').length, 'one event an id')
  assert.deepEqual([pending.size, enrichments.size], [0, 0], 'pending rows and enrichments without an event')
  for (const [id, micros] of ids) assert.ok(events.has(id), `an index without an event: ${id}, ${micros}`)
  const ballots = new Map(entries('ballots').map((entry) => [subject(entry), decodeBallot(entry.value)]))
  const buckets = entries('buckets').map(({ value }) => [hexOf(decodeBucket(value).id), value] as const)
  recountBuckets(environment, jobId, { buckets, perBucket, ballots, decisions })
  for (const { key } of entries('counts'))
    assert.ok(environment.get('buckets', key) !== undefined, 'counts without a bucket')
  const table = new BucketTable(environment, jobId)
  for (const { key } of entries('bucket_ids'))
    assert.ok(table.row(key.subarray(JOB_BYTES)) !== undefined, 'an id without a bucket')
  const stored = environment.get('stats', jobKey(jobId))
  assert.ok(stored !== undefined, 'counters')
  const stats = decodeStats(stored)
  for (const version of stats.modelVersions) {
    const registered = environment.get('registry', modelKey(jobId, version))
    assert.ok(registered !== undefined, `the registry's row of model ${version}`)
    const { isKept, spans } = decodeRegistry(registered)
    assert.equal(environment.get('models', modelKey(jobId, version)) !== undefined, isKept, `model ${version}`)
    assert.equal(spans.at(-1)?.toMicros === null, version === stats.modelVersion, `model ${version} is active`)
  }
  const consensus = [...ballots.values()].map((ballot) => ballot.consensus)
  assert.deepEqual(
    [
      stats.events,
      stats.buckets,
      stats.feedbackEvents,
      stats.undecided,
      stats.undecidedBallots,
      stats.lowScoreBallots,
      stats.mixedBallots,
      stats.consensusCounts,
      stats.labelledEvents,
    ],
    [
      events.size,
      perBucket.size,
      feedbackEvents,
      undecided,
      consensus.filter((one) => one === UNDECIDED).length,
      [...ballots.values()].filter((one) =>
        isLowScore(one, one.override === null ? null : one.override.label, one.consensus),
      ).length,
      [...ballots.values()].filter(isMixedBallot).length,
      Array.from({ length: LABELS }, (_, label) => consensus.filter((one) => one === label).length),
      labelledIn(entries('ballots')),
    ],
    'counters: events, buckets, events with feedback, without a decision, and of ballots',
  )
  for (const { key, value } of entries('answers')) {
    const micros = timeOfKey(key)
    const record = environment.get('events', timeKey(jobId, micros))
    assert.ok(record !== undefined, 'a first answer without its event')
    const subject = subjectOf(decodeHeader(record), micros)
    const truth = truthOf(environment, { jobId, subject, micros, labelCount: LABELS })
    assert.equal(decodeFirstAnswer(value).truth, truth, 'what analysts say of an event')
  }
  const votes = entries('votes').flatMap(({ value }) => decodeVotes(value))
  return { events, ballots, votes, stats }
}

/** By label: the voted events that a training finds. */
function labelledIn(ballots: readonly Entry[]): number[] {
  const sums = new Array<number>(LABELS).fill(0)
  for (const { key, value } of ballots)
    for (const [label, count] of labelledBy(key.subarray(JOB_BYTES), decodeBallot(value)).entries())
      sums[label] = (sums[label] as number) + count
  return sums
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

interface Recounting {
  readonly buckets: readonly (readonly [id: string, row: Uint8Array])[]
  /** Number of events. */
  readonly perBucket: ReadonlyMap<string, number>
  readonly ballots: ReadonlyMap<string, BallotRow>
  readonly decisions: ReadonlyMap<string, number[]>
}

function recountBuckets(
  environment: Environment,
  jobId: number,
  { buckets, perBucket, ballots, decisions }: Recounting,
): void {
  const left = new Set(perBucket.keys())
  const counts = new BucketCounts(environment, jobId)
  for (const [id, value] of buckets) {
    const { number, hasBallot } = decodeBucket(value)
    assert.equal(new BucketTable(environment, jobId).numberOf(Buffer.from(id, 'hex')), number, 'the id of a bucket')
    const { events, decided } = counts.of(Buffer.from(id, 'hex').toString('latin1'), number)
    assert.equal(events, perBucket.get(id) ?? 0, 'events of a bucket')
    assert.deepEqual(decided, decisions.get(id) ?? new Array<number>(LABELS).fill(0), 'decisions of a bucket')
    assert.equal(hasBallot, ballots.has(id), 'the ballot of a bucket')
    assert.ok(left.delete(id) || hasBallot, 'a bucket without events and votes')
  }
  assert.equal(left.size, 0, 'events without a bucket')
  for (const [id, { votes, counts, ties, override, consensus }] of ballots) {
    assert.equal(
      consensus,
      consensusOf({ counts, ties }, override === null ? null : override.label),
      'the consensus of a ballot',
    )
    const key = Buffer.from(id, 'hex')
    let sum = noChange(LABELS)
    for (const row of votesOn(environment, jobId, key)) {
      assert.equal(new Set(row.votes.map(({ analyst }) => analyst)).size, row.votes.length, 'votes of one analyst')
      assert.ok(row.votes.every(({ label }) => isLabel(label)))
      const all = sum.votes.map((count, at) => count + row.votes.filter(({ label }) => label === at).length)
      sum = { ...addEvidence(sum, evidenceOf(key, row, LABELS), 1), votes: all }
    }
    assert.deepEqual({ votes, counts, ties }, { votes: sum.votes, counts: sum.counts, ties: sum.ties }, 'sums of votes')
  }
}

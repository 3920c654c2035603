/** Compares every row of a job with the oracle. */
import assert from 'node:assert/strict'
import { DecisionPoints } from '../../../engine/domain/event/decision-points.js'
import { hasClusters, type JobSettings } from '../../../engine/domain/job/job.js'
import { BucketCounts } from '../../../engine/actor/buckets/bucket-counts.js'
import { JobAt } from '../../../engine/services/explain/job-at.js'
import { computeAgain } from '../../../engine/services/explain/stored-decision.js'
import { JobReader } from '../../../engine/services/read/job-reader.js'
import { eventAt, type FoundEvent } from '../../../engine/actor/event-table.js'
import { viewOf } from '../../../engine/actor/event-reply.js'
import { BodyCodec } from '../../../engine/store/body-codec.js'
import type { Entry, Environment } from '../../../engine/store/environment.js'
import { readNotes } from '../../../engine/actor/notes.js'
import { decodeContent, decodePrevious, hasNotes } from '../../../engine/store/event-record.js'
import { decodeFirstAnswer } from '../../../engine/store/first-answer-row.js'
import { decodeTask } from '../../../engine/store/reprocess-row.js'
import { decodeBallot } from '../../../engine/store/ballot-row.js'
import { decodeBucket } from '../../../engine/store/bucket-row.js'
import type { StatsRow } from '../../../engine/store/rows.js'
import { jobRange, timeOfKey, timeOfValue, versionOfKey, type ShardTable } from '../../../engine/store/tables.js'
import { testAuthor } from '../author.js'
import {
  evidenceOf,
  UNDECIDED,
  type OracleBallot,
  type OracleBallotVote,
  type OracleEvent,
  type OracleJob,
} from './oracle.js'
import { votesOn } from '../../../engine/actor/votes/vote-rows.js'

const JOB_BYTES = 4

/** A store as it is now, seen by new readers. */
export interface StoreLook {
  readonly environment: Environment
  readonly codec: BodyCodec
  readonly reader: JobReader
}

export function lookAt(environment: Environment): StoreLook {
  return { environment, codec: new BodyCodec(environment), reader: new JobReader(environment) }
}

function entries(environment: Environment, table: ShardTable, jobId: number): Entry[] {
  return [...environment.range(table, jobRange(jobId))]
}

function hexOf({ key }: Entry): string {
  return Buffer.from(key.subarray(JOB_BYTES)).toString('hex')
}

/** Compares everything that is stored of a job with the oracle. */
export function compareJob(look: StoreLook, job: JobSettings, oracle: OracleJob): void {
  const { environment } = look
  const buckets = compareBuckets(environment, job, oracle)
  compareEvents(look, job, oracle, buckets)
  compareBallots(environment, job, oracle, buckets)
  compareFirstAnswers(environment, job, oracle)
  compareStats(look.reader, job, oracle)
  compareTasks(environment, job, oracle)
  oracle.causes?.compare(environment, job.id, oracle.events)
  const models = entries(environment, 'models', job.id).map(({ key }) => versionOfKey(key))
  assert.deepEqual(models, oracle.models, 'models')
}

/** Names of the oracle's buckets by their ids in the store. */
function compareBuckets(environment: Environment, job: JobSettings, oracle: OracleJob): ReadonlyMap<string, string> {
  const events = new Map<string, number>()
  for (const { bucket } of oracle.events.values())
    if (bucket !== null) events.set(bucket, (events.get(bucket) ?? 0) + 1)
  const wanted = new Map(events)
  for (const subject of oracle.ballots.keys())
    if (subject.startsWith('[') && !wanted.has(subject)) wanted.set(subject, 0)
  const names = new Map<string, string>()
  const numbers = new Set<number>()
  const stored = entries(environment, 'buckets', job.id).map(({ value }) => {
    const row = decodeBucket(value)
    return { id: Buffer.from(row.id).toString('hex'), row }
  })
  const placeOf = (fingerprint: number, values: unknown): string => `${fingerprint} ${JSON.stringify(values)}`
  const counts = new BucketCounts(environment, job.id)
  const byPlace = new Map(stored.map((each) => [placeOf(each.row.fingerprint, each.row.values), each]))
  assert.equal(byPlace.size, stored.length, 'a bucket that is there twice')
  for (const [name, count] of wanted) {
    const [points, values] = JSON.parse(name) as [string[], unknown[]]
    const found = byPlace.get(placeOf(new DecisionPoints(points).fingerprint, values))
    assert.ok(found !== undefined, `bucket ${name}`)
    const { id, row } = found
    names.set(id, name)
    numbers.add(row.number)
    const counted = counts.of(Buffer.from(id, 'hex').toString('latin1'), row.number)
    assert.equal(counted.events, count, `events of bucket ${name}`)
    assert.deepEqual(counted.decided, decisionsIn(oracle, name), `decisions of bucket ${name}`)
    assert.equal(row.hasBallot, oracle.ballots.has(name), `votes of bucket ${name}`)
  }
  assert.equal(stored.length, wanted.size, 'buckets')
  assert.equal(numbers.size, wanted.size, 'numbers of buckets')
  return names
}

/** A name for each world: opened models are known by it. */
const directories = new WeakMap<Environment, string>()
let worlds = 0

/** The job as explanations read it in this store. */
function jobAt({ environment, codec }: StoreLook, job: JobSettings): JobAt {
  let directory = directories.get(environment)
  if (directory === undefined) directories.set(environment, (directory = `world ${++worlds}`))
  return new JobAt(job, directory, environment, codec)
}

/** The stored decision follows from what is stored, to the byte. Alerts may have moved in their clusters since. */
function mustComeAgain(at: JobAt, event: FoundEvent): void {
  if (hasClusters(at.job.category)) return
  const again = computeAgain(at, event)
  if (again.inputs !== null) assert.deepEqual(again.differences, [], `the decision of ${event.micros}`)
  else assert.equal(again.isLost, false, again.reason)
}

/** How many events of the bucket have each label as their decision. */
function decisionsIn(oracle: OracleJob, name: string): number[] {
  const own = [...oracle.events.values()].filter(({ bucket }) => bucket === name)
  return [0, 1, 2].map((label) => own.filter(({ decision }) => decision.label === label).length)
}

function compareEvents(
  look: StoreLook,
  job: JobSettings,
  oracle: OracleJob,
  buckets: ReadonlyMap<string, string>,
): void {
  const { environment, codec, reader } = look
  const at = jobAt(look, job)
  const times = entries(environment, 'events', job.id).map(({ key }) => timeOfKey(key))
  assert.deepEqual(
    times,
    [...oracle.events.keys()].sort((a, b) => a - b),
    'times of events',
  )
  for (const [table, state] of [
    ['awaited', 'awaited'],
    ['lookups', 'stored'],
  ] as const) {
    const marked = [...oracle.events.values()]
      .filter(({ enrichments }) => enrichments === state)
      .map(({ micros }) => micros)
    assert.deepEqual(
      entries(environment, table, job.id).map(({ key }) => timeOfKey(key)),
      marked.sort((a, b) => a - b),
      table,
    )
  }
  for (const event of oracle.events.values()) {
    const stored = eventAt(environment as Parameters<typeof eventAt>[0], job.id, event.micros)
    assert.ok(stored !== null)
    const { header, record } = stored
    assert.deepEqual(codec.decode(decodeContent(record).body), event.body)
    assert.equal(
      header.bucketId === null ? null : buckets.get(Buffer.from(header.bucketId).toString('hex')),
      event.bucket,
    )
    const { bucketId: _, hasClientId, enrichments, autonomy, basis, ...rest } = header
    const { ruleOff = false, ...decision } = event.decision
    assert.equal(basis.ruleOff, ruleOff, `the rule of event ${event.id}`)
    // Contracts of the simulation are about the label 1 alone (world.ts).
    if (autonomy === 'settled') assert.deepEqual([header.label, header.pending], [1, false])
    assert.equal(enrichments, event.enrichments, `enrichments of event ${event.id}`)
    assert.deepEqual(
      rest,
      {
        ...decision,
        outlierScore: Math.fround(decision.outlierScore),
        pending: event.pending,
        lacksPoints: event.lacks,
        hasFeedback: event.hasFeedback,
      },
      `event ${event.id}`,
    )
    assert.equal(hasClientId, !event.ownId)
    mustComeAgain(at, stored)
    const previous =
      event.previous === null
        ? null
        : {
            ...event.previous.decision,
            outlierScore: Math.fround(event.previous.decision.outlierScore),
            reprocessedMicros: event.previous.atMicros,
          }
    assert.deepEqual(decodePrevious(record), previous, `what stood before, event ${event.id}`)
    assert.equal(hasNotes(record), event.notes.length > 0)
    assert.deepEqual(
      readNotes(environment, job.id, stored).map(({ notes }) => notes),
      event.notes,
      `notes on ${event.id}`,
    )
    assert.deepEqual({ ...reader.event(job, event.id), autonomy: 'none' }, expectedView(job, oracle, event))
  }
  const ids = entries(environment, 'ids', job.id)
  assert.deepEqual(
    new Map(ids.map(({ key, value }) => [Buffer.from(key.subarray(JOB_BYTES)).toString(), timeOfValue(value)])),
    oracle.ids,
  )
  const pending = entries(environment, 'pending', job.id).map(({ key }) => timeOfKey(key))
  assert.deepEqual(
    pending,
    [...oracle.events.values()]
      .filter(({ pending: waits, enrichments }) => waits && enrichments !== 'awaited')
      .map(({ micros }) => micros)
      .sort((a, b) => a - b),
  )
}

export function expectedView(job: JobSettings, oracle: OracleJob, event: OracleEvent): ReturnType<typeof viewOf> {
  return viewOf(job, event.id, {
    ...event.decision,
    pending: event.pending,
    micros: event.micros,
    bucketState: oracle.stateOf(event),
    autonomy: 'none',
  })
}

function compareBallots(
  environment: Environment,
  job: JobSettings,
  oracle: OracleJob,
  buckets: ReadonlyMap<string, string>,
): void {
  const rows = entries(environment, 'ballots', job.id)
  for (const entry of rows) {
    const hex = hexOf(entry)
    const subject =
      hex.length === 16 ? `event ${timeOfValue(entry.key.subarray(JOB_BYTES))}` : (buckets.get(hex) as string)
    const wanted = oracle.ballots.get(subject) as OracleBallot
    assert.ok(wanted !== undefined, `votes on ${subject}`)
    const { votes, counts, ties, override, consensus, firstVersion } = decodeBallot(entry.value)
    const stored = [...votesOn(environment, job.id, entry.key.subarray(JOB_BYTES))].flatMap((row) => row.votes)
    assert.deepEqual(
      override,
      wanted.override === null ? null : { ...wanted.override, by: testAuthor.name },
      `override on ${subject}`,
    )
    assert.deepEqual(
      stored.map(({ analyst, label, atMicros, eventMicros, events }) => {
        return { analyst, label, atMicros, eventMicros, ...(events === undefined ? {} : { events }) }
      }),
      [...wanted.votes].sort(byPlace),
      `votes on ${subject}`,
    )
    assert.deepEqual({ counts, ties }, evidenceOf(wanted), `evidence on ${subject}`)
    assert.deepEqual(
      votes,
      [0, 1, 2].map((label) => wanted.votes.filter((vote) => vote.label === label).length),
    )
    assert.equal(consensus, wanted.consensus, `consensus on ${subject}`)
    assert.equal(firstVersion, wanted.firstVersion, `the model before the first vote on ${subject}`)
  }
  assert.equal(rows.length, oracle.ballots.size, 'ballots')
}

function compareFirstAnswers(environment: Environment, job: JobSettings, oracle: OracleJob): void {
  const wanted = [...oracle.events.values()]
    .filter(({ first }) => first !== null)
    .sort((a, b) => a.micros - b.micros)
    .map((event) => {
      const { decision, knownBucket } = event.first as NonNullable<OracleEvent['first']>
      const { label, confidence, modelVersion } = decision
      return [event.micros, { label, confidence, modelVersion, knownBucket, truth: oracle.truthOf(event) }]
    })
  assert.deepEqual(
    entries(environment, 'answers', job.id).map(({ key, value }) => [timeOfKey(key), decodeFirstAnswer(value)]),
    wanted,
    'first answers',
  )
}

/** Votes on the whole bucket first, then by events. */
function byPlace(a: OracleBallotVote, b: OracleBallotVote): number {
  const place = ({ events, eventMicros }: OracleBallotVote): number => (events === undefined ? eventMicros : 0)
  return place(a) - place(b)
}

function compareTasks(environment: Environment, job: JobSettings, oracle: OracleJob): void {
  const noted = entries(environment, 'notes', job.id).map(({ key }) => timeOfKey(key))
  assert.deepEqual(
    noted,
    [...oracle.events.values()]
      .filter(({ notes }) => notes.length > 0)
      .map(({ micros }) => micros)
      .sort((a, b) => a - b),
  )
  const tasks = entries(environment, 'tasks', job.id).map(({ key, value }) => {
    const { cursor, updated, changed, state, isCatchUp } = decodeTask(value)
    return [timeOfKey(key), { cursor, updated, changed, state, ...(isCatchUp === true ? { isCatchUp } : {}) }]
  })
  assert.deepEqual(tasks, [...oracle.tasks], 'tasks')
}

function compareStats(reader: JobReader, job: JobSettings, oracle: OracleJob): void {
  const events = [...oracle.events.values()]
  const ballots = [...oracle.ballots.values()]
  const {
    trainedThroughSeq: _,
    bucketsMade: __,
    keepFromSeq: ___,
    ballotStates: ____,
    points,
    ...stats
  } = reader.stats(job)
  const caughtUp = oracle.caughtUp && {
    ...oracle.caughtUp,
    undecided: events.filter(
      ({ pending, decision, micros }) =>
        !pending && decision.label < 0 && micros <= (oracle.caughtUp?.throughMicros ?? 0),
    ).length,
  }
  const wanted: Omit<StatsRow, 'trainedThroughSeq' | 'bucketsMade' | 'keepFromSeq' | 'ballotStates' | 'points'> = {
    events: events.length,
    buckets: new Set(events.flatMap(({ bucket }) => (bucket === null ? [] : [bucket]))).size,
    feedbackEvents: events.filter(({ hasFeedback }) => hasFeedback).length,
    undecided: events.filter(({ pending, decision }) => !pending && decision.label < 0).length,
    pending: events.filter(({ pending }) => pending).length,
    lastEventMicros: oracle.lastEventMicros,
    lastFeedbackMicros: oracle.lastFeedbackMicros,
    feedbackSeq: oracle.feedbackSeq,
    modelVersion: oracle.modelVersion,
    modelVersions: oracle.models,
    ...(oracle.modelVotes === null ? {} : { modelVotes: oracle.modelVotes }),
    consensusCounts: [0, 1, 2].map((label) => ballots.filter(({ consensus }) => consensus === label).length),
    ...(caughtUp === null ? {} : { caughtUp }),
    labelledEvents: oracle.labelledEvents(),
    undecidedBallots: ballots.filter(({ consensus }) => consensus === UNDECIDED).length,
    lowScoreBallots: ballots.filter((ballot) => {
      const { counts } = evidenceOf(ballot)
      const all = counts.reduce((sum, count) => sum + count, 0)
      return ballot.override === null && ballot.consensus >= 0 && (counts[ballot.consensus] as number) / all < 0.6
    }).length,
    mixedBallots: ballots.filter((ballot) => {
      const { counts } = evidenceOf(ballot)
      const all = counts.reduce((sum, count) => sum + count, 0)
      return ballot.override === null && all >= 2 && Math.max(...counts) < 0.9 * all
    }).length,
    consensusFlipsSinceTraining: oracle.since.flips,
    outliersSinceTraining: oracle.since.outliers,
    consensusChangesSinceTraining: oracle.since.consensusChanges,
    lowConfidenceSinceTraining: oracle.since.lowConfidence,
    decidedSinceTraining: oracle.since.decided,
    watch: oracle.watch,
  }
  assert.deepEqual(stats, wanted, 'counters')
  const counted = points === undefined || points.events === 0 ? null : points
  const { fingerprint, events: seen, present } = counted ?? {}
  assert.deepEqual(counted && { fingerprint, events: seen, present }, oracle.points, 'counts of decision points')
}

/**
 * Verifies what is stored of a job: everything is counted again from the records alone.
 *
 * Owns: what must hold between the tables of one shard.
 *
 * 1. Every event can be read in full. Its id, its entries in `pending` and `awaited`, its bucket, its notes and its
 *    enrichments lead to each other, in both directions.
 * 2. The counters of a bucket and of a job match the rows. Those of a bucket are completed by deferred counters
 *    (bucket-counts.ts).
 * 3. A ballot's consensus follows from its votes, a gate's evidence from its audits. Every installed model can be read.
 */
import { limits } from '../../limits.js'
import { bucketIdText } from '../../domain/event/bucket-key.js'
import { consensusOf, isLowScore, UNDECIDED, type Consensus } from '../../domain/learn/consensus.js'
import type { Entry } from '../../store/environment.js'
import { decodeContent, decodeHeader, hasNotes, type RecordHeader } from '../../store/event-record.js'
import { decodeEnrichments } from '../../store/enrichment-row.js'
import { decodeFindings } from '../../store/finding-row.js'
import { decodeNotes } from '../../store/note-row.js'
import { decodeReplay } from '../../store/replay-row.js'
import { decodeHistory } from '../../store/history-row.js'
import { decodeTask } from '../../store/reprocess-row.js'
import { decodeBallot, labelledBy, type BallotRow } from '../../store/ballot-row.js'
import { decodeStats } from '../../store/rows.js'
import {
  idKey,
  isHistoryRow,
  JOB_BYTES,
  jobKey,
  timeKey,
  timeOfKey,
  timeOfValue,
  type ShardTable,
} from '../../store/tables.js'
import { countedThrough, UncountedEvents } from '../../actor/buckets/bucket-counts.js'
import { isMixedBallot } from '../../actor/votes/ballot-counts.js'
import type { ShardCheck } from './verify-shard.js'
import { checkAutonomy } from './verify-autonomy.js'
import { checkBuckets } from './verify-buckets.js'
import { checkModels } from './verify-models.js'
import { checkVotes } from './verify-votes.js'

/** Labels of a job. */
const LABELS = limits.labelsPerJob

export interface JobCount {
  readonly jobId: number
  readonly events: number
}

/** Checks every job with rows in the shard, in the order of ids. Of one that is deleted, events are only counted. */
export function checkJobs(shard: ShardCheck, isDeleted: (jobId: number) => boolean = () => false): JobCount[] {
  const ids = [...shard.jobIds()].sort((a, b) => a - b)
  return ids.map((jobId) => ({
    jobId,
    events: isDeleted(jobId) ? countEvents(shard, jobId) : new JobCheck(shard, jobId).run(),
  }))
}

function countEvents(shard: ShardCheck, jobId: number): number {
  let events = 0
  shard.scan('events', jobId, () => events++)
  return events
}

/** One job in one shard. */
class JobCheck {
  readonly #shard: ShardCheck
  readonly #jobId: number
  readonly #perBucket = new Map<string, number>()
  readonly #countedThrough: number
  readonly #uncounted = new UncountedEvents()
  #events = 0
  #withId = 0
  #pending = 0
  #awaited = 0
  #enriched = 0
  #noted = 0
  #feedback = 0
  #undecided = 0
  /** By label: voted events. */
  readonly #labelled = new Array<number>(LABELS).fill(0)

  constructor(shard: ShardCheck, jobId: number) {
    this.#shard = shard
    this.#jobId = jobId
    this.#countedThrough = countedThrough(shard)
  }

  run(): number {
    this.#shard.scan('events', this.#jobId, (entry) => this.#event(entry))
    this.#mustCount('ids', this.#withId, 'some ids lead to no event')
    this.#mustCount('pending', this.#pending, 'some are of no waiting event')
    this.#mustCount('awaited', this.#awaited, 'some are of no event that waits for enrichment')
    this.#mustCount('lookups', this.#enriched, 'some enrichments are of no event')
    this.#mustCount('notes', this.#noted, 'some notes are of no event')
    const ballots = this.#ballots()
    const recounted = { perBucket: this.#perBucket, uncounted: this.#uncounted, ballots }
    this.#mustCount('counts', checkBuckets(this.#shard, this.#jobId, recounted), 'some counts are of no bucket')
    this.#rest(ballots)
    return this.#events
  }

  #event(entry: Entry): void {
    const shard = this.#shard
    const header = shard.read('events', entry, decodeHeader)
    this.#events++
    if (header === null) return
    const micros = timeOfKey(entry.key)
    const content = shard.read('events', entry, (value) => {
      const read = decodeContent(value)
      shard.body(read.body)
      return read
    })
    const faults = impossible(header)
    if (faults !== null) shard.note('events', entry.key, faults)
    if (content !== null) this.#id(entry.key, micros, header, content.clientId)
    this.#waiting(entry.key, header)
    if (hasNotes(entry.value)) {
      this.#noted++
      if (shard.get('notes', timeKey(this.#jobId, micros)) === undefined)
        shard.note('events', entry.key, 'has notes that are missing')
    }
    if (header.hasFeedback) this.#feedback++
    if (header.label < 0 && !header.pending) this.#undecided++
    if (header.bucketId === null) return
    const bucket = bucketIdText(header.bucketId)
    this.#perBucket.set(bucket, (this.#perBucket.get(bucket) ?? 0) + 1)
    if (micros > this.#countedThrough) this.#uncounted.add(bucket, micros, header.label)
  }

  #waiting(key: Uint8Array, { pending, enrichments }: RecordHeader): void {
    const isAwaited = enrichments === 'awaited'
    if (isAwaited) this.#awaited++
    else if (pending) this.#pending++
    if (isAwaited && !pending) this.#shard.note('events', key, 'waits for enrichment, and is decided')
    else if (pending && this.#shard.get(isAwaited ? 'awaited' : 'pending', key) === undefined) {
      this.#shard.note('events', key, 'waits, and is not in the list of waiting events')
    }
    if (enrichments !== 'stored') return
    this.#enriched++
    if (this.#shard.get('lookups', key) === undefined)
      this.#shard.note('events', key, 'has enrichments that are missing')
  }

  #id(key: Uint8Array, micros: number, header: RecordHeader, clientId: string | null): void {
    if (header.hasClientId !== (clientId !== null))
      this.#shard.note('events', key, 'has a flag for its id that is wrong')
    if (clientId === null) return
    this.#withId++
    const time = this.#shard.get('ids', idKey(this.#jobId, Buffer.from(clientId, 'utf8')))
    if (time === undefined || timeOfValue(time) !== micros) this.#shard.note('events', key, 'is not found by its id')
  }

  /** The other direction: a table has as many entries as there are events with one. */
  #mustCount(table: ShardTable, expected: number, what: string): void {
    let count = 0
    for (const entry of this.#shard.entries(table, this.#jobId)) {
      count++
      if (table === 'notes') this.#shard.read(table, entry, decodeNotes)
      if (table === 'lookups') this.#shard.read(table, entry, decodeEnrichments)
    }
    if (count !== expected)
      this.#shard.note(
        table,
        null,
        `job ${this.#jobId}: ${count} entries instead of ${expected}; ${what}, or some are missing`,
      )
  }

  #ballots(): Map<string, BallotRow> {
    const ballots = new Map<string, BallotRow>()
    for (const entry of this.#shard.entries('ballots', this.#jobId)) {
      const ballot = this.#shard.read('ballots', entry, decodeBallot)
      if (ballot === null) continue
      const subject = entry.key.subarray(JOB_BYTES)
      ballots.set(bucketIdText(subject), ballot)
      for (const [label, count] of labelledBy(subject, ballot).entries())
        this.#labelled[label] = (this.#labelled[label] ?? 0) + count
      if (ballot.consensus !== consensusOf(ballot, labelOf(ballot)))
        this.#shard.note('ballots', entry.key, 'has a consensus that does not follow from its votes')
    }
    checkVotes(this.#shard, this.#jobId, ballots)
    checkAutonomy(this.#shard, this.#jobId)
    return ballots
  }

  #rest(ballots: ReadonlyMap<string, BallotRow>): void {
    const entries = (table: ShardTable): Iterable<Entry> => this.#shard.entries(table, this.#jobId)
    for (const entry of entries('replays')) this.#shard.read('replays', entry, decodeReplay)
    for (const entry of entries('findings')) this.#shard.read('findings', entry, decodeFindings)
    for (const entry of entries('history'))
      if (isHistoryRow(entry.key)) this.#shard.read('history', entry, decodeHistory)
    for (const entry of entries('tasks')) this.#shard.read('tasks', entry, decodeTask)
    const key = jobKey(this.#jobId)
    const value = this.#shard.get('stats', key)
    if (value === undefined) {
      if (this.#events > 0) this.#shard.note('stats', key, 'are missing')
      return
    }
    const stats = this.#shard.read('stats', { key, value }, decodeStats)
    if (stats === null) return
    checkModels(this.#shard, this.#jobId, stats)
    const all = [...ballots.values()]
    const consensus = (wanted: Consensus): number => all.filter((ballot) => ballot.consensus === wanted).length
    const counted: (readonly [string, unknown, unknown])[] = [
      ['events', stats.events, this.#events],
      ['buckets', stats.buckets, this.#perBucket.size],
      ['events with feedback', stats.feedbackEvents, this.#feedback],
      ['waiting events', stats.pending, this.#pending + this.#awaited],
      ['undecided ballots', stats.undecidedBallots, consensus(UNDECIDED)],
      ['mixed buckets', stats.mixedBallots, all.filter(isMixedBallot).length],
      ['ballots with a small majority', stats.lowScoreBallots, all.filter(isSmall).length],
      [
        'ballots by label',
        stats.consensusCounts.join(),
        Array.from({ length: LABELS }, (_, label) => consensus(label as Consensus)).join(),
      ],
    ]
    if (this.#shard.format >= 3)
      counted.push(
        ['events without a decision', stats.undecided, this.#undecided],
        ['voted events by label', stats.labelledEvents.join(), this.#labelled.join()],
      )
    for (const [what, says, is] of counted)
      if (says !== is) this.#shard.note('stats', key, `say ${String(says)} ${what} instead of ${String(is)}`)
  }
}

function labelOf({ override }: BallotRow): number | null {
  return override === null ? null : override.label
}

function isSmall(ballot: BallotRow): boolean {
  return isLowScore(ballot, labelOf(ballot), ballot.consensus)
}

/** What is impossible in a header, or null. */
function impossible({ label, confidence, source, pending, outlierScore }: RecordHeader): string | null {
  if (label >= LABELS) return 'has a label that does not exist'
  if (confidence > 10_000) return 'has a confidence over 100'
  if (pending && label >= 0) return 'waits, and is decided'
  if (label < 0 !== (source === 'none')) return 'has a decision without a source, or a source without a decision'
  if (!Number.isFinite(outlierScore)) return 'has an impossible outlier score'
  return null
}

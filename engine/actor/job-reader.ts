/**
 * Reading a shard's jobs from outside its thread: what is committed, never what is under way (design D12).
 *
 * Owns: views of events and counters for requests that only look. Leaves out: everything that changes.
 *
 * 1. Reads move to the latest commit when the shard's mailbox says that there is one; so whoever was answered sees what
 *    he wrote.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { BUCKET_ID_BYTES } from '../event/bucket-key.js'
import { microsOfEventId } from '../event/event-id.js'
import type { JobSettings } from '../job/job.js'
import type { AuditEntry } from '../resource/audit-trail.js'
import type { BucketState, EventExport, EventView } from '../service.js'
import { BodyCodec } from '../store/body-codec.js'
import type { Environment } from '../store/environment.js'
import { decodeContent, decodeHeader, decodePrevious, type RecordHeader } from '../store/event-record.js'
import { decodeTask, type ReprocessRow } from '../store/reprocess-row.js'
import { decodeStats, type StatsRow } from '../store/rows.js'
import { bucketKey, jobRange, TIME_KEY_BYTES, timeOfKey, timeOfValue, timeValue, writeIdKey, writeTimeKey } from '../store/tables.js'
import { ballotView } from './ballot-view.js'
import { ClusterReader, placeOf } from './cluster-reader.js'
import { readBallot, stateOf } from './ballots.js'
import type { ConsensusView } from './consensus-service.js'
import { hasTold, notedHead, untold } from './outbox.js'
import { findEvent, lastTime, subjectOf, type FoundEvent } from './event-table.js'
import { exportDocument } from './export.js'
import { readStats } from './job-stats.js'
import { readNotes } from './notes.js'
import { readLookUps } from './enriching.js'
import { readTask } from './tasks.js'
import { viewOf } from './turn.js'

const JOB_BYTES = 4
/** Of one UTF-16 unit. */
const UTF8_BYTES_MAX = 3
const RECORD_HEADER_BYTES = 32
/** Buckets whose state is remembered between two commits. */
const STATES_MAX = 20_000
const nothing = new Uint8Array(0)

export class JobReader {
  readonly #environment: Environment
  readonly #codec: BodyCodec
  readonly #stats = new Map<number, StatsRow>()
  /** By key in `ballots`, one character a byte, until the next commit: many events are in few buckets. */
  readonly #states = new Map<string, BucketState>()
  /** What a look writes over: keys of `ids`, `events` and `ballots`, a value of `ids`, a record's header. */
  readonly #idKey = Buffer.alloc(JOB_BYTES + UTF8_BYTES_MAX * limits.eventIdBytesMax)
  readonly #timeKey = Buffer.alloc(TIME_KEY_BYTES)
  readonly #bucketKey = Buffer.alloc(JOB_BYTES + BUCKET_ID_BYTES)
  readonly #time = timeValue(0)
  readonly #head = Buffer.alloc(RECORD_HEADER_BYTES)

  constructor(environment: Environment) {
    this.#environment = environment
    this.#codec = new BodyCodec(environment)
  }

  /** The shard has committed a turn. */
  refresh(): void {
    this.#environment.refresh()
    this.#stats.clear()
    this.#states.clear()
  }

  /** Ingest times of the job's oldest events. */
  oldest(jobId: number, count: number): number[] {
    return [...this.#environment.range('events', { ...jobRange(jobId), limit: count })].map(({ key }) => timeOfKey(key))
  }

  /** Ingest time of the job's oldest event that waits for look-ups, or null. */
  oldestAwaited(jobId: number): number | null {
    const [first] = this.#environment.range('awaited', { ...jobRange(jobId), limit: 1 })
    return first === undefined ? null : timeOfKey(first.key)
  }

  /** Gives back the memory that reads have mapped (Environment.unmap). */
  unmap(): boolean {
    return this.#environment.unmap()
  }

  /** Bytes of the shard on disk. */
  sizeBytes(): number {
    return this.#environment.sizeBytes()
  }

  /** Events of all jobs in the shard. */
  events(): number {
    let events = 0
    for (const { stats } of this.storedJobs()) events += stats.events
    return events
  }

  stats(job: JobSettings): StatsRow {
    let row = this.#stats.get(job.id)
    if (row === undefined) {
      row = readStats(this.#environment, job.id, job.labels.length)
      this.#stats.set(job.id, row)
    }
    return row
  }

  /** @throws Refusal event_not_found. */
  event(job: JobSettings, eventId: string): EventView {
    const micros = this.#look(job.id, eventId)
    if (micros < 0) throw notFound()
    return this.#view(job, eventId, micros, decodeHeader(this.#head))
  }

  /** @throws Refusal event_not_found. */
  exportEvent(job: JobSettings, eventId: string, serviceName: string): EventExport {
    return this.exportFound(job, this.#find(job, eventId), eventId, serviceName)
  }

  /** The same of an event that was found, and has that id. */
  exportFound(job: JobSettings, found: FoundEvent, eventId: string, serviceName: string): EventExport {
    const view = this.#view(job, eventId, found.micros, found.header)
    const content = decodeContent(found.record)
    const body = this.#codec.decode(content.body)
    const ballot = readBallot(this.#environment, job.id, subjectOf(found.header, found.micros))
    const parts = {
      job, view, header: found.header, body, extras: content.extras, ballot, serviceName,
      previous: decodePrevious(found.record), notes: readNotes(this.#environment, job.id, found),
      place: placeOf(this.#environment, job, found), lookUps: readLookUps(this.#environment, job.id, found),
    }
    return { view, document: exportDocument(parts) }
  }

  /** What is committed of the job's clusters. */
  clusters(job: JobSettings): ClusterReader {
    return new ClusterReader(this.#environment, job)
  }

  /** Reprocessing tasks of the job, in the order in which they were asked for. */
  tasks(jobId: number): ReprocessRow[] {
    return [...this.#environment.range('tasks', jobRange(jobId))].map(({ value }) => decodeTask(value))
  }

  task(jobId: number, id: number): ReprocessRow | null {
    return readTask(this.#environment, jobId, id)
  }

  /** The latest ingest time that any event of the shard was stored under, or 0. */
  lastMicros(): number {
    return lastTime(this.#environment)
  }

  /** What was said of an event's bucket, or of the event where there are no buckets. @throws Refusal event_not_found. */
  consensusOnEvent(job: JobSettings, eventId: string): ConsensusView {
    const { header, micros } = this.#find(job, eventId)
    return this.#consensus(job, subjectOf(header, micros))
  }

  /** What was said of a bucket. @throws Refusal bucket_not_found. */
  consensusOnBucket(job: JobSettings, bucketId: Uint8Array): ConsensusView {
    if (this.#environment.get('buckets', bucketKey(job.id, bucketId)) === undefined) {
      throw new Refusal('bucket_not_found', 'bucket not found')
    }
    return this.#consensus(job, bucketId)
  }

  #consensus(job: JobSettings, subject: Uint8Array): ConsensusView {
    const ballot = readBallot(this.#environment, job.id, subject)
    return ballotView(this.#environment, job, subject, ballot, this.stats(job).trainedThroughSeq, true)
  }

  /** What the audit log is to be told of the time after `after`, in order. */
  untold(after: number, limit: number): AuditEntry[] {
    return [...untold(this.#environment, after, limit)]
  }

  /** True where what the audit log was told up to that time is still here. */
  hasTold(through: number): boolean {
    return hasTold(this.#environment, through)
  }

  /** The head of the audit log that was noted last, or undefined. */
  notedHead(): Uint8Array | undefined {
    return notedHead(this.#environment)
  }

  *jobIds(): Iterable<number> {
    for (const { key } of this.#environment.range('stats', {})) yield Buffer.from(key).readUInt32BE(0)
  }

  /** The jobs that have anything stored here. */
  *storedJobs(): Iterable<{ jobId: number; stats: StatsRow }> {
    for (const { key, value } of this.#environment.range('stats', {})) {
      yield { jobId: Buffer.from(key).readUInt32BE(0), stats: decodeStats(value) }
    }
  }

  async close(): Promise<void> {
    await this.#environment.close()
  }

  #find(job: JobSettings, eventId: string): FoundEvent {
    const found = findEvent(this.#environment, job.id, eventId)
    if (found === null) throw notFound()
    return found
  }

  /**
   * The time of an event, or -1, by the rule of findEvent; the record's header is in `#head` until the next look. The
   * busiest read of all: a look takes no memory.
   */
  #look(jobId: number, eventId: string): number {
    if (eventId.length > limits.eventIdBytesMax) return -1
    const key = this.#idKey
    key.writeUInt32BE(jobId, 0)
    const idBytes = key.write(eventId, JOB_BYTES, 'utf8')
    // Longer than any id that was ever taken in; a store has bounds for keys of its own.
    if (idBytes > limits.eventIdBytesMax) return -1
    const id = new Uint8Array(key.buffer, key.byteOffset, JOB_BYTES + idBytes)
    if (this.#environment.read('ids', id, this.#time) >= 0) return this.#lookAt(jobId, timeOfValue(this.#time))
    const own = microsOfEventId(eventId)
    if (own === null) return -1
    const micros = this.#lookAt(jobId, own)
    return micros < 0 || decodeHeader(this.#head).hasClientId ? -1 : micros
  }

  #lookAt(jobId: number, micros: number): number {
    return this.#environment.read('events', writeTimeKey(this.#timeKey, jobId, micros), this.#head) < 0 ? -1 : micros
  }

  #view(job: JobSettings, eventId: string, micros: number, header: RecordHeader): EventView {
    const bucketState = this.#stateOf(job, subjectOf(header, micros))
    const { pending, label, confidence, outlier } = header
    // Field by field, in the order of a reply's: a spread, or another order, would slow down all that view events.
    return viewOf(job, eventId, { micros, pending, label, confidence, outlier, bucketState })
  }

  #stateOf(job: JobSettings, subject: Uint8Array): BucketState {
    if (subject.length !== BUCKET_ID_BYTES) return this.#readState(job, subject, bucketKey(job.id, subject))
    const key = writeIdKey(this.#bucketKey, job.id, subject)
    const name = key.toString('latin1')
    const known = this.#states.get(name)
    if (known !== undefined) return known
    const state = this.#readState(job, subject, key)
    if (this.#states.size >= STATES_MAX) this.#states.clear()
    this.#states.set(name, state)
    return state
  }

  #readState(job: JobSettings, subject: Uint8Array, key: Uint8Array): BucketState {
    const voted = this.#environment.read('ballots', key, nothing) >= 0
    const ballot = voted ? readBallot(this.#environment, job.id, subject) : null
    return stateOf(ballot, ballot === null ? 0 : this.stats(job).trainedThroughSeq)
  }
}

function notFound(): Refusal {
  return new Refusal('event_not_found', 'event not found')
}

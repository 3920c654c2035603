/**
 * Reads of a shard's jobs from outside its thread. They see committed state only (D12).
 *
 * Owns: views of events and counters for requests that only read. Leaves out: reading one event by its id
 * (event-reader.ts), everything that changes a job (actor/).
 *
 * 1. Reads move to the latest commit when the shard's mailbox reports it, so a caller sees what it has written.
 */
import { Refusal } from '../../errors.js'
import { hasClusters, type JobSettings } from '../../domain/job/job.js'
import type { PointCounts } from '../../domain/metrics/point-tally.js'
import type { EventExport, EventView } from '../../api/decision-service.js'
import type { ShardReader, Shards } from '../../runtime/shards.js'
import { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import { openShard } from '../../store/directory/environments.js'
import { decodeContent, decodePrevious } from '../../store/event-record.js'
import type { HistoryRow } from '../../store/history-row.js'
import { decodeTask, type ReprocessRow } from '../../store/reprocess-row.js'
import { decodeStats, type StatsRow } from '../../store/rows.js'
import { readBucket } from '../../store/bucket-table.js'
import { jobRange, timeOfKey } from '../../store/tables.js'
import { autonomyNow, type AutonomyNow } from '../../actor/autonomy/gate-state.js'
import { ballotView } from './ballot-view.js'
import { countOfBucket } from '../../actor/buckets/bucket-counts.js'
import { ClusterReader, placeOf } from './cluster-reader.js'
import { readBallot } from '../../actor/votes/ballots.js'
import type { ConsensusView } from '../../api/consensus-service.js'
import { hasTold, notedHead, untold } from '../../actor/audit-outbox.js'
import { EventReader } from './event-reader.js'
import { findEvent, mustFindEvent, hasIdsAhead, lastTime, subjectOf, type FoundEvent } from '../../actor/event-table.js'
import { readAppliedLog, type AppliedLog } from '../../actor/log/log-position.js'
import { CauseRows } from '../../actor/cause/cause-table.js'
import { ModelTimes } from '../../actor/model-times.js'
import { ModelReads } from '../../actor/models/model-reads.js'
import { storedFields, type FieldsRow } from '../../domain/cause/field-finder.js'
import { exportDocument } from './export.js'
import { sampleOfPoints } from './point-sample.js'
import { readStats } from '../../actor/job-stats.js'
import { readFindings } from '../../actor/findings.js'
import { readNotes } from '../../actor/notes.js'
import { readEnrichments } from '../../actor/enrichment-results.js'
import { EventTimes } from '../../actor/event-times.js'
import { historyJobs, readHistory } from '../../actor/history.js'
import { readTask } from '../../actor/reprocess-tasks.js'
import type { AuditEntry } from '../../api/audit-service.js'

/** Readers of the first `count` shards. */
export function openReaders(dataDir: string, count: number): JobReader[] {
  return Array.from({ length: count }, (_, shard) => new JobReader(openShard(dataDir, shard)))
}

/** The shards, with readers of what their jobs have stored. */
export type ReadableShards = Shards<JobReader>

export class JobReader implements ShardReader {
  readonly #environment: Environment
  readonly #codec: BodyCodec
  readonly #stats = new Map<number, StatsRow>()
  readonly #events: EventReader
  readonly #modelTimes: ModelTimes

  /** `codec` is of the same environment. */
  constructor(environment: Environment, codec = new BodyCodec(environment)) {
    this.#environment = environment
    this.#codec = codec
    this.#events = new EventReader(environment, (job) => this.stats(job))
    this.#modelTimes = new ModelTimes(environment)
  }

  /** The shard has committed a turn. */
  refresh(): void {
    this.#environment.refresh()
    this.#stats.clear()
    this.#events.forget()
  }

  /** The job's safety contract and its gates; null where there is none. */
  autonomy(jobId: number): AutonomyNow | null {
    return autonomyNow(this.#environment, jobId)
  }

  /** Ingest times of the job's oldest events. */
  oldest(jobId: number, count: number): number[] {
    return [...this.#environment.range('events', { ...jobRange(jobId), limit: count })].map(({ key }) => timeOfKey(key))
  }

  notes(job: JobSettings, eventId: string): ReturnType<typeof readNotes> {
    return readNotes(this.#environment, job.id, mustFindEvent(this.#environment, job.id, eventId))
  }

  /** The time of the oldest change of a decision that is kept, or of the oldest awaited event; or null. */
  oldestIn(table: 'changes' | 'awaited', jobId: number): number | null {
    for (const { key } of this.#environment.range(table, { ...jobRange(jobId), limit: 1 })) return timeOfKey(key)
    return null
  }

  /**
   * Gives back the memory that reads have mapped (Environment.unmap). Call it while no commit is under way: mapping
   * again would otherwise wait for the flush, and all readers with it.
   */
  unmap(): void {
    if (this.#environment.unmap()) this.#environment.map()
  }

  /** Bytes of the shard on disk. */
  sizeBytes(): number {
    return this.#environment.sizeBytes()
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
    return this.#events.event(job, eventId)
  }

  /** Bytes of all that an export reads of the event. @throws Refusal event_not_found. */
  storedBytes(job: JobSettings, eventId: string): number {
    return this.#events.storedBytes(job, eventId)
  }

  /** See actor/event-table.ts. */
  hasIdsAhead(jobId: number, micros: number): boolean {
    return hasIdsAhead(this.#environment, jobId, micros)
  }

  /** @throws Refusal event_not_found. */
  exportEvent(job: JobSettings, eventId: string, serviceName: string): EventExport {
    return this.exportFound(job, this.#find(job, eventId), eventId, serviceName)
  }

  /** The export of an event that was found, and has that id. */
  exportFound(job: JobSettings, found: FoundEvent, eventId: string, serviceName: string): EventExport {
    const view = this.#events.view(job, eventId, found.micros, found.header)
    const content = decodeContent(found.record)
    const body = this.#codec.decode(content.body)
    const ballot = readBallot(this.#environment, job.id, subjectOf(found.header, found.micros))
    const document = exportDocument({
      job,
      view,
      ownMicros: new EventTimes(this.#codec).of(found.record, found.micros),
      header: found.header,
      body,
      extras: content.extras,
      ballot,
      serviceName,
      previous: decodePrevious(found.record),
      notes: readNotes(this.#environment, job.id, found),
      trainedMicros: this.#modelTimes.trainedMicros(job.id, found.header.modelVersion),
      place: placeOf(this.#environment, job, found),
      enrichments: readEnrichments(this.#environment, job.id, found),
    })
    return { view, document }
  }

  /** The job's clusters, as committed. */
  clusters(job: JobSettings): ClusterReader {
    return new ClusterReader(this.#environment, job)
  }

  /** Reprocessing tasks of the job, in the order of their requests. */
  tasks(jobId: number): ReprocessRow[] {
    return [...this.#environment.range('tasks', jobRange(jobId))].map(({ value }) => decodeTask(value))
  }

  /** Requests with historic events that are not over, in their order. */
  history(jobId: number): HistoryRow[] {
    return readHistory(this.#environment, jobId)
  }

  /** The jobs that have such requests. */
  historyJobs(): number[] {
    return historyJobs(this.#environment)
  }

  /** What is known of the job's models. */
  models(jobId: number): ModelReads {
    return new ModelReads(this.#environment, jobId)
  }

  task(jobId: number, id: number): ReprocessRow | null {
    return readTask(this.#environment, jobId, id)
  }

  /** The latest ingest time of any event in the shard, or 0. */
  lastMicros(): number {
    return lastTime(this.#environment)
  }

  appliedLog(): AppliedLog {
    return readAppliedLog(this.#environment)
  }

  /** The consensus on an event's bucket, or on the event where it has none. @throws Refusal event_not_found. */
  consensusOnEvent(job: JobSettings, eventId: string): ConsensusView {
    const { header, micros } = this.#find(job, eventId)
    return this.#consensus(job, subjectOf(header, micros))
  }

  /** The consensus on a bucket. @throws Refusal bucket_not_found. */
  consensusOnBucket(job: JobSettings, bucketId: Uint8Array): ConsensusView {
    if (readBucket(this.#environment, job.id, bucketId) === undefined)
      throw new Refusal('bucket_not_found', 'bucket not found')
    return this.#consensus(job, bucketId)
  }

  #consensus(job: JobSettings, subject: Uint8Array): ConsensusView {
    const ballot = readBallot(this.#environment, job.id, subject)
    const reads = this.#environment
    const countOf = (id: string, number: number) => countOfBucket(reads, job.id, id, number)
    const { trainedThroughSeq } = this.stats(job)
    return ballotView({ reads, job, countOf, trainedThroughSeq }, { subject, ballot, withNotes: true })
  }

  /** Entries after the time `after` that the audit log is still to be told, in order. */
  untold(after: number, limit: number): AuditEntry[] {
    return [...untold(this.#environment, after, limit)]
  }

  /** True where entries up to that time, which the audit log was told, are still here. */
  hasTold(through: number): boolean {
    return hasTold(this.#environment, through)
  }

  /** The head of the audit log that was noted last, or undefined. */
  notedHead(): Uint8Array | undefined {
    return notedHead(this.#environment)
  }

  /** What the job's decision points say of some of its latest events, for points that were not counted yet. */
  sampleOfPoints(job: JobSettings): PointCounts {
    return sampleOfPoints(this.#environment, this.#codec, job)
  }

  /** What a root cause job knows of its fields; null for other jobs, and before its first alert. */
  causeFields({ id, category }: JobSettings): FieldsRow | null {
    return hasClusters(category) ? storedFields(new CauseRows(this.#environment, id)) : null
  }

  /** What was odd in the job's events. */
  findings(job: JobSettings): ReturnType<typeof readFindings> {
    return readFindings(this.#environment, job.id)
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
    if (found === null) throw new Refusal('event_not_found', 'event not found')
    return found
  }
}

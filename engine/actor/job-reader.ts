/**
 * Reading a shard's jobs from outside its thread: what is committed, never what is under way (design D12).
 *
 * Owns: views of events and counters for requests that only look. Leaves out: everything that changes.
 *
 * 1. Reads move to the latest commit when the shard's mailbox says that there is one; so whoever was answered sees what
 *    he wrote.
 */
import { Refusal } from '../errors.js'
import type { JobSettings } from '../job/job.js'
import type { EventExport, EventView } from '../service.js'
import { BodyCodec } from '../store/body-codec.js'
import type { Environment } from '../store/environment.js'
import { decodeContent } from '../store/event-record.js'
import { decodeStats, type StatsRow } from '../store/rows.js'
import { readBallot, stateOf } from './ballots.js'
import { findEvent, lastTime, subjectOf, type FoundEvent } from './event-table.js'
import { exportDocument } from './export.js'
import { readStats } from './job-stats.js'
import { viewOf } from './turn.js'

export class JobReader {
  readonly #environment: Environment
  readonly #codec: BodyCodec
  readonly #stats = new Map<number, StatsRow>()

  constructor(environment: Environment) {
    this.#environment = environment
    this.#codec = new BodyCodec(environment)
  }

  /** The shard has committed a turn. */
  refresh(): void {
    this.#environment.refresh()
    this.#stats.clear()
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
    const found = this.#find(job, eventId)
    return this.#view(job, eventId, found)
  }

  /** @throws Refusal event_not_found. */
  exportEvent(job: JobSettings, eventId: string, serviceName: string): EventExport {
    const found = this.#find(job, eventId)
    const view = this.#view(job, eventId, found)
    const content = decodeContent(found.record)
    const body = this.#codec.decode(content.body)
    const ballot = readBallot(this.#environment, job.id, subjectOf(found.header, found.micros))
    return { view, document: exportDocument({ job, view, header: found.header, body, extras: content.extras, ballot, serviceName }) }
  }

  /** The latest ingest time that any event of the shard was stored under, or 0. */
  lastMicros(): number {
    return lastTime(this.#environment)
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

  #view(job: JobSettings, eventId: string, found: FoundEvent): EventView {
    const { header, micros } = found
    const ballot = readBallot(this.#environment, job.id, subjectOf(found.header, found.micros))
    const bucketState = ballot === null ? 'new' : stateOf(ballot, this.stats(job).trainedThroughSeq)
    return viewOf(job, eventId, { ...header, micros, bucketState })
  }
}

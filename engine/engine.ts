/**
 * The engine: wiring, and one line or two for each thing that may be asked (service.ts). A table of contents.
 *
 * Owns: what starts and stops in which order. Leaves out: everything that does the work.
 *
 * 1. Nothing is answered before it is durable; a promise here resolves after the flush (design D1).
 * 2. The data directory belongs to one process from before the first read until after the last write.
 * 3. close(): refuse, finish, stop threads, close the store, give the lock back, in that order.
 */
import { systemClock } from './clock.js'
import { Refusal } from './errors.js'
import { limits } from './limits.js'
import { sectionNamesOf, SHARDS_DEFAULT, type EngineOptions } from './options.js'
import { systemRandom } from './random.js'
import type { JobSettings } from './job/job.js'
import { makeDataDir, openCatalog, openDataDir, sealingKey } from './store/data-dir.js'
import { lockDataDir, type DataLock } from './store/data-lock.js'
import type { Environment } from './store/environment.js'
import { theService } from './resource/audit-trail.js'
import { Catalog, catalogTables } from './resource/catalog.js'
import type { BootstrapOutcome } from './resource/bootstrap.js'
import { RetrainSchedule } from './resource/schedule.js'
import { Sealer } from './resource/sealing.js'
import { AuditLog } from './monitor/audit-log.js'
import { auditTables } from './monitor/audit-tables.js'
import { AuditCollector, lastTaken } from './actor/audit-collector.js'
import { AuditDesk } from './actor/audit-desk.js'
import { withAuthor } from './actor/authored.js'
import { ConsensusDesk } from './actor/consensus-desk.js'
import { encodeFeedback } from './actor/feedback.js'
import { IngestClock } from './actor/ingest-clock.js'
import { jobViewOf } from './actor/job-view.js'
import { Notes } from './actor/notes.js'
import { Reprocessing } from './actor/reprocessing.js'
import { Shards } from './actor/shards.js'
import { defaultThreads, LookThread, ReaderThreads, TrainingThreads } from './actor/threads.js'
import { TrainingLog, TRAININGS_TABLE } from './actor/training-log.js'
import { Trainings } from './actor/trainings.js'
import { Upkeep } from './actor/upkeep.js'
import type {
  ApplyOutcome, Author, Catalogue, DecisionService, EventExport, EventView, FeedbackInput, IngestReceiver, JobHandle, JobView,
  Principal, RemovalOutcome, RemovalQuery, ResourceQuery,
} from './service.js'

export type { EngineOptions }

/** Opens a data directory, or makes one. Rejects with Refusal data_dir_in_use, data_dir_newer, data_dir_invalid. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  makeDataDir(options.dataDir)
  const lock = await lockDataDir(options.dataDir)
  try {
    return new Engine(options, openDataDir(options.dataDir, options.shards ?? SHARDS_DEFAULT).shards, lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

export class Engine implements DecisionService {
  readonly name: string
  readonly threads: number
  /** Secrets that the first start made, to be shown once; null where there were none to make. */
  readonly firstStart: BootstrapOutcome | null
  readonly catalogue: Catalogue
  readonly reprocess: Reprocessing
  readonly notes: Notes
  readonly #lock: DataLock
  readonly #catalogStore: Environment
  readonly #catalog: Catalog
  readonly #shards: Shards
  readonly #trainings: Trainings
  readonly #trainingThreads: TrainingThreads
  readonly #schedule: RetrainSchedule
  readonly #upkeep: Upkeep
  readonly #collector: AuditCollector
  readonly #readerThreads: ReaderThreads
  readonly audit: AuditDesk
  readonly consensus: ConsensusDesk
  readonly #onFailure: (what: string, error: unknown) => void
  #accepting = true

  constructor(options: EngineOptions, shardCount: number, lock: DataLock) {
    const clock = options.clock ?? systemClock
    this.name = options.name
    this.threads = Math.min(shardCount, options.threads ?? defaultThreads(shardCount))
    this.#lock = lock
    this.#onFailure = options.onFailure ?? (() => {})
    this.#catalogStore = openCatalog(options.dataDir, [...catalogTables, TRAININGS_TABLE, ...auditTables])
    const audit = new AuditLog(this.#catalogStore)
    const sealer = new Sealer(sealingKey(options.dataDir), systemRandom)
    this.#catalog = Catalog.open(this.#catalogStore, { clock, random: systemRandom, shards: shardCount, sealer, audit })
    this.catalogue = this.#catalog.catalogue
    const made = this.#catalog.bootstrap({ adminPassword: options.adminPassword, managementKey: options.bootstrapKey })
    this.firstStart = made.adminPassword === null && made.managementKey === null ? null : made
    const readers = Shards.openReaders(options.dataDir, shardCount)
    const lastMicros = readers.reduce((last, reader) => Math.max(last, reader.lastMicros()), lastTaken(this.#catalogStore, shardCount))
    const serviceNames = sectionNamesOf(options.name)
    this.#shards = new Shards(
      shardCount, this.threads, { dataDir: options.dataDir, sectionNames: serviceNames },
      readers, new IngestClock(clock, lastMicros), this.#onFailure,
    )
    this.#trainingThreads = new TrainingThreads(options.trainers ?? 1, (error) => this.#onFailure('a training thread died', error))
    this.#trainings = new Trainings({
      dataDir: options.dataDir,
      threadsMax: options.trainers ?? 1,
      log: new TrainingLog(this.#catalogStore, audit),
      threads: this.#trainingThreads,
      clock,
      job: (id) => this.#catalog.job(id),
      install: async (job, model) => void (await this.#shards.insist(this.#current(job), 'install', model)),
    })
    const [catalog, shards, trainings] = [this.#catalog, this.#shards, this.#trainings]
    this.#upkeep = new Upkeep({ catalog, shards, trainings, accepting: () => this.#accepting, failed: this.#onFailure })
    const parts = {
      dataDir: options.dataDir, serviceNames, shards, failed: this.#onFailure, accepting: () => this.#accepting,
      mustAccept: () => this.#mustAccept(), current: (handle: JobHandle) => this.#current(handle), job: (id: number) => catalog.job(id),
    }
    this.reprocess = new Reprocessing({ ...parts, thread: new LookThread(this.#onFailure) })
    this.notes = new Notes(parts)
    this.#schedule = new RetrainSchedule(clock, (jobId) => this.#upkeep.trainBySchedule(jobId))
    this.#catalog.onJobChanged((job) => this.#schedule.put(job))
    this.#catalog.onJobChanged((job) => this.reprocess.wake(job.id))
    this.#catalog.onJobRemoved((jobId) => this.#schedule.remove(jobId))
    this.#catalog.onJobRemoved((jobId) => this.reprocess.wake(jobId))
    for (const job of this.#catalog.jobs()) this.#schedule.put(job)
    this.#readerThreads = new ReaderThreads(options.dataDir, (error) => this.#onFailure('a thread that answers questions died', error))
    const collector = new AuditCollector({ environment: this.#catalogStore, log: audit, shards, failed: this.#onFailure })
    this.#collector = collector
    this.audit = new AuditDesk(collector, this.#readerThreads, shards)
    this.consensus = new ConsensusDesk({
      shards, collector, readers: this.#readerThreads, current: (job) => this.#current(job), mustAccept: () => this.#mustAccept(),
    })
    collector.takeUp()
    this.#upkeep.takeUp()
    this.reprocess.takeUp()
    this.#trainings.resume()
  }

  get accepting(): boolean {
    return this.#accepting
  }

  authenticate(key: string): Principal | null {
    return this.#catalog.authenticate(key)
  }

  job(principal: Principal, id: number): JobHandle {
    const job = this.#catalog.job(id)
    if (job === undefined || !this.#catalog.canSee(principal, id)) throw new Refusal('job_not_found', 'job not found')
    return job
  }

  jobByTitle(principal: Principal, title: string): JobHandle {
    const job = this.#catalog.jobByTitle(title)
    if (job === undefined || !this.#catalog.canSee(principal, job.id)) throw new Refusal('job_not_found', 'job not found')
    return job
  }

  ingest(handle: JobHandle, eventId: string | null, idInBody: boolean, body: Uint8Array, receiver: IngestReceiver): void {
    this.#mustAccept()
    if (body.length > limits.eventBytesMax) {
      throw new Refusal('body_too_large', `an event has at most ${limits.eventBytesMax} bytes`)
    }
    if (eventId !== null && Buffer.byteLength(eventId) > limits.eventIdBytesMax) {
      throw new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`)
    }
    this.#shards.post(this.#current(handle), 'ingest', eventId, idInBody, body, receiver)
  }

  async ingestHistoric(handle: JobHandle, body: Uint8Array, by: Author = theService): Promise<number> {
    this.#mustAccept()
    return (await this.#collector.ask(this.#current(handle), 'historic', null, withAuthor(by, body), limits.historicEventsMax)) as number
  }

  event(handle: JobHandle, eventId: string): EventView {
    const job = this.#current(handle)
    return this.#shards.reader(job.shard).event(job, eventId)
  }

  exportEvent(handle: JobHandle, eventId: string): EventExport {
    const job = this.#current(handle)
    return this.#shards.reader(job.shard).exportEvent(job, eventId, this.name)
  }

  async giveFeedback(handle: JobHandle, eventId: string, feedback: FeedbackInput, by: Author = theService): Promise<void> {
    this.#mustAccept()
    if (Buffer.byteLength(eventId) > limits.eventIdBytesMax) throw new Refusal('event_not_found', 'event not found')
    await this.#collector.ask(this.#current(handle), 'feedback', eventId, encodeFeedback(feedback, by))
  }

  jobView(handle: JobHandle): JobView {
    const job = this.#current(handle)
    const stats = this.#shards.reader(job.shard).stats(job)
    const inputs = { restInput: this.#catalog.hasRestInput(job), dataType: this.#catalog.dataTypeOf(job) }
    return jobViewOf(job, stats, this.#trainings.view(job.id), inputs)
  }

  jobViews(principal: Principal, restInputOnly: boolean): JobView[] {
    const jobs = [...this.#catalog.jobs()].filter((job) => {
      return this.#catalog.canSee(principal, job.id) && (!restInputOnly || this.#catalog.hasRestInput(job))
    })
    return jobs.sort((a, b) => a.id - b.id).map((job) => this.jobView(job))
  }

  async train(handle: JobHandle, username: string | null, by: Author = theService): Promise<void> {
    this.#mustAccept()
    const job = this.#current(handle)
    const missing = this.#upkeep.missingForTraining(job)
    if (missing !== null) throw new Refusal('not_enough_feedback', missing)
    this.#trainings.request(job, username, by)
  }

  async startJob(handle: JobHandle, by: Author = theService): Promise<void> {
    this.#mustAccept()
    this.#catalog.setJobStatus(handle.id, 'STARTED', by)
    this.#upkeep.resume(handle.id)
  }

  async stopJob(handle: JobHandle, by: Author = theService): Promise<void> {
    this.#mustAccept()
    this.#catalog.setJobStatus(handle.id, 'STOPPED', by)
  }

  async applyResources(document: unknown, overwrite: boolean, by: Author = theService): Promise<ApplyOutcome> {
    this.#mustAccept()
    return this.#catalog.apply(document, overwrite, by)
  }

  listResources(query: ResourceQuery): unknown[] {
    return this.#catalog.list(query)
  }

  async deleteResource(query: RemovalQuery, by: Author = theService): Promise<RemovalOutcome> {
    this.#mustAccept()
    const outcome = this.#catalog.remove(query, by)
    for (const { type, internalId } of outcome.deleted) if (type === 'job') this.#upkeep.forget(internalId as number)
    return outcome
  }

  async close(): Promise<void> {
    if (!this.#accepting) return
    this.#accepting = false
    this.#schedule.close()
    this.#trainings.close()
    await this.#shards.whenIdle()
    await this.#collector.close()
    await this.#readerThreads.close()
    await this.#trainingThreads.close()
    await this.reprocess.close()
    await this.#shards.close()
    await this.#catalogStore.close()
    await this.#lock.release()
  }

  #mustAccept(): void {
    if (!this.#accepting) throw new Refusal('draining', 'the service is shutting down')
  }

  /** The job as it is now: a handle may be older than the latest change. */
  #current(handle: JobHandle): JobSettings {
    const job = this.#catalog.job(handle.id)
    if (job === undefined) throw new Refusal('job_not_found', 'job not found')
    return job
  }
}

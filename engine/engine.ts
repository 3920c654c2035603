/**
 * The engine: one line or two for each thing that may be asked (service.ts). A table of contents.
 *
 * Owns: who may see a job, and the bounds of what comes in. Leaves out: everything that does the work, and how it is
 * joined together (parts.ts).
 *
 * 1. Nothing is answered before it is durable; a promise here resolves after the flush (design D1).
 */
import { Refusal } from './errors.js'
import { limits } from './limits.js'
import { SHARDS_DEFAULT, type EngineOptions } from './options.js'
import { EngineParts } from './parts.js'
import { makeDataDir, openDataDir, type DataDir } from './store/data-dir.js'
import { lockDataDir, type DataLock } from './store/data-lock.js'
import { theService } from './resource/audit-trail.js'
import type { BootstrapOutcome } from './resource/bootstrap.js'
import { encodeFeedback, encodeHistoric } from './actor/feedback.js'
import { jobViewOf } from './actor/job-view.js'
import type {
  ApplyOutcome,
  Author,
  DecisionService,
  EventExport,
  EventView,
  FeedbackInput,
  IngestReceiver,
  JobHandle,
  JobView,
  Principal,
  RemovalOutcome,
  RemovalQuery,
  ResourceQuery,
} from './service.js'

/** Opens a data directory, or makes one. Rejects with Refusal data_dir_in_use, data_dir_newer, data_dir_invalid. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  makeDataDir(options.dataDir)
  const lock = await lockDataDir(options.dataDir)
  try {
    return new Engine(options, openDataDir(options.dataDir, options.shards ?? SHARDS_DEFAULT), lock)
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
  readonly catalogue: DecisionService['catalogue']
  readonly reprocess: DecisionService['reprocess']
  readonly erasure: DecisionService['erasure']
  readonly notes: DecisionService['notes']
  readonly audit: DecisionService['audit']
  readonly consensus: DecisionService['consensus']
  readonly clusters: DecisionService['clusters']
  readonly queries: DecisionService['queries']
  readonly users: DecisionService['users']
  readonly tokens: DecisionService['tokens']
  readonly metrics: DecisionService['metrics']
  readonly integrations: DecisionService['integrations']
  readonly monitor: DecisionService['monitor']
  readonly backups: DecisionService['backups']
  readonly #parts: EngineParts

  constructor(options: EngineOptions, directory: DataDir, lock: DataLock) {
    const parts = new EngineParts(options, directory, lock)
    this.#parts = parts
    this.name = options.name
    this.threads = parts.threads
    this.firstStart = parts.firstStart
    this.catalogue = parts.catalog.catalogue
    this.reprocess = parts.reprocess
    this.erasure = parts.erasure
    this.notes = parts.notes
    this.audit = parts.audit
    this.consensus = parts.consensus
    this.clusters = parts.clusters
    this.queries = parts.queries
    this.users = parts.catalog.users
    this.tokens = parts.catalog.tokens
    this.metrics = parts.metrics
    this.integrations = parts.integrations
    this.monitor = parts.monitor
    this.backups = parts.backups
  }

  get accepting(): boolean {
    return this.#parts.accepting()
  }

  authenticate(key: string): Principal | null {
    return this.#parts.catalog.authenticate(key)
  }

  job(principal: Principal, id: number): JobHandle {
    const job = this.#parts.catalog.job(id)
    if (job === undefined || !this.#parts.catalog.canSee(principal, id))
      throw new Refusal('job_not_found', 'job not found')
    return job
  }

  jobByTitle(principal: Principal, title: string): JobHandle {
    const job = this.#parts.catalog.jobByTitle(title)
    if (job === undefined || !this.#parts.catalog.canSee(principal, job.id))
      throw new Refusal('job_not_found', 'job not found')
    return job
  }

  ingest(
    handle: JobHandle,
    eventId: string | null,
    idInBody: boolean,
    body: Uint8Array,
    receiver: IngestReceiver,
  ): void {
    this.#parts.mustAccept()
    if (body.length > limits.eventBytesMax) {
      throw new Refusal('body_too_large', `an event has at most ${limits.eventBytesMax} bytes`)
    }
    if (eventId !== null && Buffer.byteLength(eventId) > limits.eventIdBytesMax) {
      throw new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`)
    }
    this.#parts.shards.post({ job: this.#parts.current(handle), kind: 'ingest', eventId, idInBody, body, receiver })
  }

  async ingestHistoric(handle: JobHandle, body: Uint8Array, by: Author = theService): Promise<number> {
    this.#parts.mustAccept()
    return (await this.#parts.audit.collector.ask(
      this.#parts.current(handle),
      'historic',
      null,
      encodeHistoric(body, by),
    )) as number
  }

  event(handle: JobHandle, eventId: string): EventView {
    const job = this.#parts.current(handle)
    return this.#parts.shards.event(job, eventId)
  }

  exportEvent(handle: JobHandle, eventId: string): EventExport {
    const job = this.#parts.current(handle)
    return this.#parts.shards.reader(job.shard).exportEvent(job, eventId, this.name)
  }

  async giveFeedback(
    handle: JobHandle,
    eventId: string,
    feedback: FeedbackInput,
    by: Author = theService,
  ): Promise<void> {
    this.#parts.mustAccept()
    if (Buffer.byteLength(eventId) > limits.eventIdBytesMax) throw new Refusal('event_not_found', 'event not found')
    await this.#parts.audit.collector.ask(
      this.#parts.current(handle),
      'feedback',
      eventId,
      encodeFeedback(feedback, by),
    )
  }

  jobView(handle: JobHandle): JobView {
    const job = this.#parts.current(handle)
    const stats = this.#parts.shards.reader(job.shard).stats(job)
    const inputs = { restInput: this.#parts.catalog.hasRestInput(job), dataType: this.#parts.catalog.dataTypeOf(job) }
    return jobViewOf(job, stats, this.#parts.trainings.view(job.id), inputs)
  }

  jobViews(principal: Principal, restInputOnly: boolean): JobView[] {
    const jobs = [...this.#parts.catalog.jobs()].filter((job) => {
      return this.#parts.catalog.canSee(principal, job.id) && (!restInputOnly || this.#parts.catalog.hasRestInput(job))
    })
    return jobs.sort((a, b) => a.id - b.id).map((job) => this.jobView(job))
  }

  async train(handle: JobHandle, username: string | null, by: Author = theService): Promise<void> {
    this.#parts.mustAccept()
    const job = this.#parts.current(handle)
    const missing = this.#parts.upkeep.missingForTraining(job)
    if (missing !== null) throw new Refusal('not_enough_feedback', missing)
    this.#parts.trainings.request(job, username, by)
  }

  async startJob(handle: JobHandle, by: Author = theService): Promise<void> {
    this.#parts.mustAccept()
    this.#parts.catalog.setJobStatus(handle.id, 'STARTED', by)
    this.#parts.upkeep.resume(handle.id)
  }

  async stopJob(handle: JobHandle, by: Author = theService): Promise<void> {
    this.#parts.mustAccept()
    this.#parts.catalog.setJobStatus(handle.id, 'STOPPED', by)
  }

  async applyResources(document: unknown, overwrite: boolean, by: Author = theService): Promise<ApplyOutcome> {
    this.#parts.mustAccept()
    return this.#parts.catalog.apply(document, overwrite, by)
  }

  listResources(query: ResourceQuery): unknown[] {
    return this.#parts.catalog.list(query)
  }

  async deleteResource(query: RemovalQuery, by: Author = theService): Promise<RemovalOutcome> {
    this.#parts.mustAccept()
    const outcome = this.#parts.catalog.remove(query, by)
    for (const { type, internalId } of outcome.deleted)
      if (type === 'job') this.#parts.upkeep.forget(internalId as number)
    return outcome
  }

  async close(): Promise<void> {
    await this.#parts.close()
  }
}

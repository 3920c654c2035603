/**
 * The engine: each operation of the contract (decision-service.ts) in a few lines.
 *
 * Owns: which jobs a caller may see, and the bounds of input. Leaves out: the parts that do the work, and their
 * construction (wiring.ts).
 *
 * 1. A promise resolves after the change is flushed, never before (D1).
 */
import { Refusal } from './errors.js'
import { SHARDS_DEFAULT, type EngineOptions } from './options.js'
import { wire, type Wired } from './wiring.js'
import type {
  ApplyOutcome,
  DecisionService,
  DeletionOutcome,
  DeletionQuery,
  EventView,
  FeedbackInput,
  HistoricOptions,
  VoteEffect,
  IngestReceiver,
  JobView,
  ResourceQuery,
} from './api/decision-service.js'
import type { Author, JobHandle, Principal, ScopedAuthor } from './api/principal.js'
import { makeDataDir, openDataDir, type DataDir } from './store/directory/data-dir.js'
import { openUpgraded } from './store/directory/upgrade.js'
import { lockDataDir, type DataLock } from './store/directory/data-lock.js'
import type { Finding } from './domain/event/finding.js'
import type { JobSettings } from './domain/job/job.js'
import type { BootstrapOutcome } from './resource/bootstrap.js'
import { mustBeNoNode } from './services/cluster/cluster-facts.js'
import { timeZoneOf } from './domain/job/time-zone.js'
import { jobViewOf } from './services/read/job-view.js'
import type { EngineLogs } from './services/start/engine-logs.js'

/**
 * Opens a data directory, and creates a new one. Rejects with Refusal data_dir_in_use, data_dir_newer,
 * data_dir_invalid. `logs`: of the owner in a cluster; absent: the store is the log.
 */
export async function openEngine(options: EngineOptions, logs?: EngineLogs): Promise<Engine> {
  const { dataDir, shards = SHARDS_DEFAULT } = options
  if (logs?.opened !== undefined) return new Engine(options, openDataDir(dataDir, shards), logs.opened.lock, logs)
  if (logs === undefined) mustBeNoNode(dataDir)
  makeDataDir(dataDir)
  const lock = await lockDataDir(dataDir)
  try {
    return new Engine(options, await openUpgraded(dataDir, shards), lock, logs)
  } catch (error) {
    await lock.release()
    throw error
  }
}

export class Engine implements DecisionService {
  readonly name: string
  readonly threads: number
  /** Secrets that this start generated; they are in a file, too (`firstStartPath`). Null where there were none. */
  readonly firstStart: BootstrapOutcome | null
  readonly integrationMetadata: DecisionService['integrationMetadata']
  readonly reprocess: DecisionService['reprocess']
  readonly erase: DecisionService['erase']
  readonly notes: DecisionService['notes']
  readonly audit: DecisionService['audit']
  readonly consensus: DecisionService['consensus']
  readonly autonomy: DecisionService['autonomy']
  readonly nextLabels: DecisionService['nextLabels']
  readonly clusters: DecisionService['clusters']
  readonly queries: DecisionService['queries']
  readonly explanations: DecisionService['explanations']
  readonly users: DecisionService['users']
  readonly tokens: DecisionService['tokens']
  readonly metrics: DecisionService['metrics']
  readonly models: DecisionService['models']
  readonly replays: DecisionService['replays']
  readonly integrations: DecisionService['integrations']
  readonly inbound: DecisionService['inbound']
  readonly monitor: DecisionService['monitor']
  readonly backups: DecisionService['backups']
  readonly live: DecisionService['live']
  readonly noteUses = (ids: readonly string[]): void => this.#resources.noteUses(ids)
  readonly #wired: Wired
  readonly #resources: Wired['stores']['resources']
  readonly #shards: Wired['runtime']['shards']
  readonly #services: Wired['services']

  constructor(options: EngineOptions, directory: DataDir, lock: DataLock, logs?: EngineLogs) {
    const wired = wire(options, directory, lock, logs)
    const { stores, runtime, services } = wired
    this.#wired = wired
    this.#resources = stores.resources
    this.#shards = runtime.shards
    this.#services = services
    this.name = options.name
    this.threads = runtime.shards.threads
    this.firstStart = stores.firstStart
    this.integrationMetadata = stores.resources.integrationMetadata
    this.reprocess = services.reprocess
    this.erase = services.erase
    this.notes = services.notes
    this.audit = services.audit
    this.consensus = services.consensus
    this.autonomy = services.autonomy
    this.nextLabels = services.nextLabels
    this.clusters = services.clusters
    this.queries = services.queries
    this.explanations = services.explanations
    this.users = stores.resources.users
    this.tokens = stores.resources.tokens
    this.metrics = services.metrics
    this.models = services.models
    this.replays = services.replays
    this.integrations = services.integrations
    this.inbound = services.inbound
    this.monitor = services.monitor
    this.backups = services.backups
    this.live = services
  }

  get accepting(): boolean {
    return this.#wired.admission.accepting()
  }

  authenticate(key: string): Principal | null {
    return this.#resources.authenticate(key)
  }

  job(principal: Principal, id: number): JobHandle {
    const job = this.#resources.job(id)
    if (job === undefined || !this.#resources.canSee(principal, id)) throw new Refusal('job_not_found', 'job not found')
    return job
  }

  /** As in services/cluster/node-deps.ts. */
  jobSettings(id: number): JobSettings | undefined {
    return this.#resources.job(id)
  }

  jobForPosts(principal: Principal, id: number): JobHandle {
    const job = this.job(principal, id)
    if (this.#resources.canPost(principal, id)) return job
    throw new Refusal('input_disabled', 'the input of the job is disabled: enable it in the pipeline of the job')
  }

  jobByTitle(principal: Principal, title: string): JobHandle {
    const job = this.#resources.jobByTitle(title)
    if (job === undefined || !this.#resources.canSee(principal, job.id))
      throw new Refusal('job_not_found', 'job not found')
    return job
  }

  // biome-ignore lint/complexity/useMaxParams: called for every event, so without an object for its arguments.
  ingest(
    handle: JobHandle,
    eventId: string | null,
    idInBody: boolean,
    body: Uint8Array,
    receiver: IngestReceiver,
  ): void {
    this.#services.intake.ingest(handle, eventId, idInBody, body, receiver)
  }

  ingestHistoric(handle: JobHandle, body: Uint8Array, by: Author, how?: HistoricOptions): Promise<number> {
    return this.#services.history.take(handle, body, by, how)
  }

  keepFindings(handle: JobHandle, findings: readonly Finding[]): Promise<void> {
    return this.#services.intake.keepFindings(handle, findings)
  }

  noteFindings(handle: JobHandle, findings: readonly Finding[]): void {
    this.#services.intake.noteFindings(handle, findings)
  }

  event(handle: JobHandle, eventId: string): EventView {
    const job = this.#wired.stores.current(handle)
    return this.#shards.event(job, eventId)
  }

  exportEvent(handle: JobHandle, eventId: string, gone: AbortSignal): string | Promise<Uint8Array> {
    return this.#services.exports.of(this.#wired.stores.current(handle), eventId, gone)
  }

  giveFeedback(handle: JobHandle, eventId: string, feedback: FeedbackInput, by: Author): Promise<VoteEffect> {
    return this.#services.intake.giveFeedback(handle, eventId, feedback, by)
  }

  jobView(handle: JobHandle): JobView {
    const job = this.#wired.stores.current(handle)
    const reader = this.#shards.reader(job.shard)
    const rows = {
      stats: reader.stats(job),
      training: this.#services.trainings.view(job.id),
      fields: reader.causeFields(job),
      findings: reader.findings(job),
      autonomy: reader.autonomy(job.id)?.row ?? null,
    }
    const inputs = {
      restInput: this.#resources.hasRestInput(job),
      dataType: this.#resources.dataTypeOf(job),
      stepWarnings: this.#services.warnings.ofSteps(job),
      timeZone: timeZoneOf(job.advancedSettings, this.#services.timeZone),
      nextTrainingMicros: this.#services.schedule.dueMicros(job.id),
    }
    return jobViewOf(job, rows, inputs)
  }

  jobViews(principal: Principal, restInputOnly: boolean): JobView[] {
    // What an input key sees has such an input, even if it is disabled.
    const all = !restInputOnly || principal.kind === 'input'
    const jobs = [...this.#resources.jobs()].filter((job) => {
      return this.#resources.canSee(principal, job.id) && (all || this.#resources.hasRestInput(job))
    })
    return jobs.sort((a, b) => a.id - b.id).map((job) => this.jobView(job))
  }

  async train(handle: JobHandle, username: string | null, by: Author): Promise<void> {
    this.#wired.admission.mustAccept()
    const job = this.#wired.stores.current(handle)
    const missing = this.#services.upkeep.missingForTraining(job)
    if (missing !== null) throw new Refusal('not_enough_feedback', missing)
    this.#services.trainings.request(job, username, by)
  }

  async startJob(handle: JobHandle, by: Author): Promise<void> {
    this.#wired.admission.mustAccept()
    this.#resources.setJobStatus(handle.id, 'STARTED', by)
    this.#services.upkeep.resume(handle.id)
  }

  async stopJob(handle: JobHandle, by: Author): Promise<void> {
    this.#wired.admission.mustAccept()
    this.#resources.setJobStatus(handle.id, 'STOPPED', by)
  }

  async applyResources(document: unknown, overwrite: boolean, by: ScopedAuthor): Promise<ApplyOutcome> {
    this.#wired.admission.mustAccept()
    const outcome = this.#resources.apply(document, overwrite, by)
    return { ...outcome, warnings: [...outcome.warnings, ...this.#services.warnings.ofApplied(outcome)] }
  }

  listResources(query: ResourceQuery): unknown[] {
    return this.#resources.list(query, (job) => this.#services.warnings.of(job))
  }

  async deleteResource(query: DeletionQuery, by: ScopedAuthor): Promise<DeletionOutcome> {
    this.#wired.admission.mustAccept()
    const outcome = this.#resources.delete(query, by)
    for (const { type, internalId } of outcome.deleted)
      if (type === 'job') this.#services.upkeep.forget(internalId as number)
    return outcome
  }

  /** Refuses changes and stops integrations (services/cluster/). */
  suspend(): Promise<void> {
    return this.#wired.suspend()
  }

  close(): Promise<void> {
    return this.#wired.close()
  }
}

/**
 * The parts of an engine: made in their order, joined with one another, taken up where the last process left them.
 *
 * Owns: what starts and stops in which order, and whether anything is accepted. Leaves out: what may be asked (engine.ts).
 *
 * 1. The data directory belongs to one process from before the first read until after the last write.
 * 2. Nothing runs on before all parts are made: what is taken up may need any of them.
 * 3. close(): refuse, finish, stop threads, close the store, give the lock back, in that order.
 */
import { systemClock } from './clock.js'
import { Refusal } from './errors.js'
import { limits } from './limits.js'
import { sectionNamesOf, type EngineOptions } from './options.js'
import { systemRandom } from './random.js'
import type { JobSettings } from './job/job.js'
import { LATE_COUNTS_FORMAT, sealingKey, type DataDir } from './store/data-dir.js'
import { openCatalog } from './store/environments.js'
import type { DataLock } from './store/data-lock.js'
import type { Environment } from './store/environment.js'
import type { BootstrapOutcome } from './resource/bootstrap.js'
import { Catalog } from './resource/catalog.js'
import { lostSecrets } from './resource/parameters.js'
import { RetrainSchedule } from './resource/schedule.js'
import { Sealer } from './resource/sealing.js'
import { allKinds } from './integration/kinds.js'
import { AuditLog } from './monitor/audit-log.js'
import { BatchBook } from './monitor/batch-book.js'
import { levelForAll } from './monitor/log-level.js'
import { Logs } from './monitor/log.js'
import { AuditDesk, lastTaken } from './actor/audit-desk.js'
import { answerBackup } from './actor/backup-command.js'
import { Backups } from './actor/backups.js'
import {
  ledgerIsLost,
  lossesAre,
  mustBeCurrent,
  mustBelongTogether,
  mustHaveDeleted,
  type OnLoss,
} from './actor/belonging.js'
import { ClusterDesk } from './actor/cluster-desk.js'
import { ConsensusDesk } from './actor/consensus-desk.js'
import { openReaders } from './actor/job-reader.js'
import type { TurnRan } from './actor/mailbox-contract.js'
import { Erasure } from './actor/erasure.js'
import { IngestClock } from './actor/ingest-clock.js'
import { MetricsDesk } from './actor/metrics-desk.js'
import { Marks } from './actor/marks.js'
import { LookUpWatch } from './actor/look-up-watch.js'
import { Integrations } from './actor/integrations.js'
import { MonitorDesk } from './actor/monitor-desk.js'
import { Notes } from './actor/event-notes.js'
import { Queries } from './actor/queries.js'
import { Reprocessing } from './actor/reprocessing.js'
import { RetentionSweep } from './actor/retention.js'
import { Shards } from './actor/shards.js'
import { BackupThread, LookThread, ReaderThreads, TrainingThreads } from './actor/helper-threads.js'
import { defaultThreads } from './actor/shard-threads.js'
import { allCatalogTables } from './actor/catalog-tables.js'
import { TrainingLog } from './actor/training-log.js'
import { Trainings } from './actor/trainings.js'
import { Upkeep } from './actor/upkeep.js'
import type { JobHandle } from './service.js'

export class EngineParts {
  readonly dataDir: string
  /** Names of the service in a client's body. */
  readonly serviceNames: readonly string[]
  /** Threads that decide events. */
  readonly threads: number
  /** Secrets that the first start made, to be shown once; null where there were none to make. */
  readonly firstStart: BootstrapOutcome | null
  readonly catalog: Catalog
  readonly shards: Shards
  readonly trainings: Trainings
  readonly upkeep: Upkeep
  readonly audit: AuditDesk
  readonly consensus: ConsensusDesk
  readonly monitor: MonitorDesk
  readonly backups: Backups
  /** Where backups go that are asked for by name; null: nowhere. */
  readonly backupDir: string | null
  readonly clusters: ClusterDesk
  readonly reprocess: Reprocessing
  readonly erasure: Erasure
  readonly retention: RetentionSweep
  readonly lookUps: LookUpWatch
  readonly notes: Notes
  readonly queries: Queries
  readonly integrations: Integrations
  readonly readers: ReaderThreads
  readonly trainingThreads: TrainingThreads
  readonly metrics: MetricsDesk
  readonly logs: Logs
  readonly batches: BatchBook
  /** Told of turns that failed and threads that died. */
  readonly failed: (what: string, error: unknown) => void
  readonly #catalogStore: Environment
  readonly #lock: DataLock
  readonly #schedule: RetrainSchedule
  readonly #marks: Marks
  #accepting = true

  constructor(options: EngineOptions, directory: DataDir, lock: DataLock) {
    const { shards: shardCount } = directory
    const clock = options.clock ?? systemClock
    this.dataDir = options.dataDir
    this.backupDir = options.backupDir ?? null
    this.serviceNames = sectionNamesOf(options.name)
    this.threads = Math.min(shardCount, options.threads ?? defaultThreads(shardCount))
    this.logs = new Logs(options.dataDir, options.logLevels ?? levelForAll('info'), options.logEcho ?? false)
    this.failed = this.logs.failures('actor', options.onFailure)
    const trainingFailed = this.logs.failures('trainer', options.onFailure)
    this.batches = new BatchBook(clock)
    this.#lock = lock
    this.#catalogStore = openCatalog(options.dataDir, allCatalogTables)
    const log = new AuditLog(this.#catalogStore)
    const sealer = new Sealer(sealingKey(options.dataDir), systemRandom)
    const ingestClock = new IngestClock(clock)
    this.catalog = Catalog.open(this.#catalogStore, {
      clock,
      stamp: () => ingestClock.take(),
      random: systemRandom,
      shards: shardCount,
      sealer,
      audit: log,
      passwordCost: options.passwordCost,
      kinds: allKinds,
    })
    const onLoss = lossesAre(options.acceptLoss === true, this.logs.of('store'))
    mustBelongTogether(options.dataDir, shardCount, this.catalog, onLoss)
    const stepsAreLost = ledgerIsLost(options.dataDir, this.catalog, this.#catalogStore, onLoss)
    const made = this.catalog.bootstrap({ adminPassword: options.adminPassword, managementKey: options.bootstrapKey })
    const lost = [...this.catalog.integrations()]
      .filter(({ connection }) => lostSecrets(connection, sealer).length > 0)
      .map(({ title }) => title)
    if (lost.length > 0)
      this.logs.of('store').warn('sealing.key is another one: secrets have to be given again', { integrations: lost })
    this.firstStart = made.adminPassword === null && made.managementKey === null ? null : made
    this.shards = this.#openShards(directory, ingestClock, log, onLoss)
    if (stepsAreLost) this.catalog.beginStepsAnew()
    this.#marks = new Marks(this.#catalogStore, options.dataDir, this.shards)
    this.trainingThreads = new TrainingThreads(options.trainers ?? 1, (error) =>
      trainingFailed('a training thread died', error),
    )
    this.trainings = new Trainings({
      dataDir: options.dataDir,
      threadsMax: options.trainers ?? 1,
      clock,
      log: new TrainingLog(this.#catalogStore, log),
      threads: this.trainingThreads,
      job: (id) => this.catalog.job(id),
      ended: (jobId, { state, message, startMicros, finishMicros }) => {
        const [seconds, isFailed] = [((finishMicros ?? 0) - (startMicros ?? 0)) / 1e6, state === 'RETRAIN_FAILED']
        this.batches.add({
          kind: 'training',
          container: 'trainer/main',
          jobId,
          items: 1,
          seconds,
          error: isFailed ? message : null,
        })
        this.logs
          .of('trainer')
          [isFailed ? 'error' : 'info']('a training ended', { job_id: jobId, state, outcome: message })
      },
      install: async (job, model) => void (await this.shards.insist(this.current(job), 'install', model)),
    })
    this.upkeep = new Upkeep(this)
    this.#schedule = new RetrainSchedule(clock, (jobId) => this.upkeep.trainBySchedule(jobId))
    this.readers = new ReaderThreads(options.dataDir, (error) =>
      this.failed('a thread that answers questions died', error),
    )
    this.audit = new AuditDesk(this, this.#catalogStore, log)
    this.consensus = new ConsensusDesk(this)
    this.clusters = new ClusterDesk(this)
    const looks = new LookThread(this.failed)
    this.reprocess = new Reprocessing(this, looks)
    this.erasure = new Erasure(this, { store: this.#catalogStore, audit: log, clock, looks })
    this.notes = new Notes(this)
    this.queries = new Queries(this, clock)
    this.metrics = new MetricsDesk(this, {
      store: this.#catalogStore,
      clock,
      random: systemRandom,
      minutesPerAlert: options.minutesPerAlert,
    })
    this.integrations = new Integrations(this, options.privateHosts)
    this.backups = new Backups(
      this,
      new BackupThread((error) => this.failed('a thread that makes backups died', error)),
    )
    this.retention = new RetentionSweep(this, { store: this.#catalogStore, clock })
    this.lookUps = new LookUpWatch(this, clock)
    this.monitor = new MonitorDesk(this, { store: this.#catalogStore, clock, audit: log })
    lock.serve((request) => answerBackup(this.backups, request))
    this.#followJobs()
    this.audit.takeUp()
    this.upkeep.takeUp()
    this.lookUps.takeUp()
    this.reprocess.takeUp()
    this.integrations.rewire()
    this.trainings.resume()
    this.metrics.resume()
  }

  /** Whether integrations have watchdogs to tell, or may get them. */
  get watchdogsTell(): boolean {
    return this.monitor.watchdogs.tell
  }

  /** False while the engine shuts down. */
  accepting(): boolean {
    return this.#accepting
  }

  /** @throws Refusal draining. */
  mustAccept(): void {
    if (!this.#accepting) throw new Refusal('draining', 'the service is shutting down')
  }

  job(id: number): JobSettings | undefined {
    return this.catalog.job(id)
  }

  /** The job as it is now: a handle may be older than the latest change. @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings {
    const job = this.catalog.job(handle.id)
    if (job === undefined) throw new Refusal('job_not_found', 'job not found')
    return job
  }

  readonly catalogBytes = (): number => {
    return this.#catalogStore.sizeBytes()
  }

  /** Drains: what was accepted is answered. */
  async close(): Promise<void> {
    if (!this.#accepting) return
    this.#accepting = false
    this.#schedule.close()
    this.trainings.close()
    await this.monitor.stop()
    await this.retention.close()
    this.lookUps.close()
    this.queries.close()
    this.metrics.close()
    await this.backups.close()
    await this.shards.whenIdle()
    await this.integrations.close()
    await this.audit.close()
    await this.readers.close()
    await this.trainingThreads.close()
    await this.reprocess.close()
    this.#marks.close()
    await this.shards.close()
    this.catalog.close()
    await this.#catalogStore.close()
    await this.monitor.close()
    await this.#lock.release()
  }

  #openShards({ shards: count, format }: DataDir, clock: IngestClock, log: AuditLog, onLoss: OnLoss): Shards {
    const { dataDir, serviceNames: sectionNames } = this
    const readers = openReaders(dataDir, count)
    mustHaveDeleted(dataDir, readers, this.catalog, log)
    mustBeCurrent(dataDir, readers, this.catalog, this.#catalogStore, onLoss)
    for (const reader of readers) clock.follow(reader.lastMicros())
    clock.follow(lastTaken(this.#catalogStore, count))
    for (const { pipeline } of this.catalog.jobs())
      for (const { outsideSince = 0 } of pipeline) clock.follow(outsideSince)
    const lateEventsMax = format >= LATE_COUNTS_FORMAT ? limits.countsLateEventsMax : 0
    const threadData = { dataDir, sectionNames, lateEventsMax }
    const { threads, failed } = this
    return new Shards({ threads, threadData, readers, clock, failed, ran: this.#turnRan })
  }

  readonly #turnRan = (shard: number, { messages, seconds }: TurnRan): void => {
    this.batches.add({
      kind: 'turn',
      container: `actor/${this.shards.threadOf(shard)}`,
      jobId: null,
      items: messages,
      seconds,
      error: null,
    })
  }

  #followJobs(): void {
    this.catalog.onJobChanged((job) => this.#schedule.put(job))
    this.catalog.onJobChanged((job) => this.reprocess.wake(job.id))
    this.catalog.onJobRemoved((jobId) => this.#schedule.remove(jobId))
    this.catalog.onJobRemoved((jobId) => this.reprocess.wake(jobId))
    this.catalog.onJobRemoved((jobId) => this.metrics.forget(jobId))
    this.catalog.onJobChanged((job) => this.integrations.jobChanged(job))
    this.catalog.onJobChanged((job) => this.monitor.watchdogs.followJob(job.id))
    this.catalog.onJobRemoved((jobId) => this.monitor.watchdogs.followJob(jobId))
    this.catalog.onJobChanged((job) => this.lookUps.jobChanged(job))
    this.catalog.onRewired(() => this.integrations.rewire())
    for (const job of this.catalog.jobs()) {
      this.#schedule.put(job)
      this.monitor.watchdogs.followJob(job.id)
    }
    // Of jobs that went in the last moment of the process before.
    for (const { jobId } of this.monitor.watchdogs.list()) {
      if (jobId !== null && this.catalog.job(jobId) === undefined) this.monitor.watchdogs.followJob(jobId)
    }
  }
}

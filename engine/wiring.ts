/**
 * Starts the engine in stages and closes it in order. Each stage takes the results of earlier stages and returns its
 * own. Nothing half-built is passed on.
 *
 * | stage         | what                                  | file                    |
 * |---------------|---------------------------------------|-------------------------|
 * | openReports   | the log, batches of work, failures    | start/reports.ts        |
 * | openStores    | stores, checked for consistency       | start/open-stores.ts    |
 * | startRuntime  | shards, threads, watermarks           | start/start-runtime.ts  |
 * | openServices  | all services                          | start/open-services.ts  |
 * | followChanges | what follows from changes of jobs     | this file               |
 * | resume        | work that the last process left       | this file               |
 *
 * Owns: the order of start and close. Leaves out: the operations (engine.ts).
 *
 * 1. One process owns the data directory, from before the first read until after the last write.
 * 2. All services exist before any work is resumed, because it may need any of them.
 * 3. close() refuses new work and finishes what runs. Then it stops threads, closes the store and releases the lock.
 * 4. A part reports its events and does not know its listeners. The resource store reports changes, shards report
 *    turns, and trainings report their end. This file, or the stage that builds the part, adds the listeners.
 */
import { systemClock } from './clock.js'
import { sectionNamesOf, type EngineOptions } from './options.js'
import type { DataDir } from './store/directory/data-dir.js'
import type { DataLock } from './store/directory/data-lock.js'
import { answerBackup } from './services/backup/backup-command.js'
import { Admission } from './services/start/admission.js'
import type { EngineLogs, OpenedParts } from './services/start/engine-logs.js'
import { openServices, type Services } from './services/start/open-services.js'
import { openStores, type Stores } from './services/start/open-stores.js'
import { openReports, type Reports } from './services/start/reports.js'
import { startRuntime, type Runtime } from './services/start/start-runtime.js'

/** All parts of a running engine. */
export interface Wired {
  readonly reports: Reports
  readonly stores: Stores
  readonly runtime: Runtime
  readonly services: Services
  readonly admission: Admission
  /** Refuses changes, and stops what reaches outside. */
  suspend(): Promise<void>
  /** Refuses new work, and answers what was accepted. */
  close(): Promise<void>
}

/**
 * `logs`: where turns and the catalog become durable; absent: in the store.
 * @throws Refusal data_dir_invalid, data_dir_newer, and those of a commit.
 */
export function wire(options: EngineOptions, directory: DataDir, lock: DataLock, logs?: EngineLogs): Wired {
  const clock = options.clock ?? systemClock
  const admission = new Admission()
  const reports = openReports(options, clock)
  const stores = openStores({ ...options, clustered: logs }, directory, { clock, logs: reports.logs })
  const ledgerWritten = logs?.catalog.appendLedger.bind(logs.catalog)
  const log = { log: logs?.turns, ledgerWritten }
  const settings = { ...options, ...log, serviceNames: sectionNamesOf(options.name), trainers: options.trainers ?? 1 }
  const runtime = startRuntime(settings, directory, { stores, reports }, logs?.opened)
  const services = openServices(settings, { stores, runtime, reports, admission })
  lock.serve((request) => answerBackup(services.backups, request))
  followChanges(stores, services)
  if (logs?.opened !== undefined) logs.opened.listeners.ranElsewhere = (shard) => services.collector.request(shard)
  resume(services)
  const wired = { reports, stores, runtime, services, admission }
  const suspend = async (): Promise<void> => {
    admission.suspend()
    await services.integrations.close()
  }
  return { ...wired, suspend, close: () => close(wired, lock, logs?.opened) }
}

function followChanges({ resources }: Stores, services: Services): void {
  const { schedule, reprocess, metrics, integrations, monitor, enrichments, warnings } = services
  const { watchdogs } = monitor
  resources.onJobChanged((job) => schedule.put(job))
  resources.onJobChanged((job) => reprocess.wake(job.id))
  // A model that begins to decide may bring a task for what was stored before it.
  services.trainings.onEnded((jobId) => reprocess.wake(jobId))
  services.models.onActivated((jobId) => reprocess.wake(jobId))
  resources.onJobDeleted((jobId) => schedule.remove(jobId))
  resources.onJobDeleted((jobId) => reprocess.wake(jobId))
  resources.onJobDeleted((jobId) => metrics.forget(jobId))
  resources.onJobDeleted((jobId) => warnings.forget(jobId))
  resources.onJobDeleted((jobId) => services.voteTasks.forget(jobId))
  resources.onJobDeleted((jobId) => services.handling.forget(jobId))
  resources.onJobChanged((job) => integrations.jobChanged(job))
  resources.onJobChanged((job) => watchdogs.followJob(job.id))
  resources.onJobDeleted((jobId) => watchdogs.followJob(jobId))
  resources.onJobChanged((job) => enrichments.jobChanged(job))
  resources.onRewired(() => integrations.rewire())
  for (const job of resources.jobs()) {
    schedule.put(job)
    watchdogs.followJob(job.id)
  }
  // The last process may have ended between the deletion of a job and that of its watchdogs.
  for (const { jobId } of watchdogs.list())
    if (jobId !== null && resources.job(jobId) === undefined) watchdogs.followJob(jobId)
}

function resume({
  collector,
  gateChecks,
  upkeep,
  enrichments,
  reprocess,
  history,
  integrations,
  trainings,
  metrics,
  replays,
  voteTasks,
}: Services): void {
  collector.takeUp()
  gateChecks.start()
  upkeep.takeUp()
  enrichments.takeUp()
  reprocess.takeUp()
  history.takeUp()
  replays.takeUp()
  integrations.rewire()
  trainings.resume()
  metrics.resume()
  voteTasks.takeUp()
}

async function close(
  { stores, runtime, services, admission }: Omit<Wired, 'close' | 'suspend'>,
  lock: DataLock,
  opened: OpenedParts | undefined,
): Promise<void> {
  if (admission.hasEnded) return
  admission.end()
  services.schedule.close()
  services.gateChecks.close()
  services.warnings.close()
  services.trainings.close()
  services.replays.close()
  await services.monitor.stop()
  await services.retention.close()
  await services.changesSweep.close()
  services.enrichments.close()
  services.streams.close()
  services.lists.close()
  services.samples.close()
  services.history.close()
  await services.voteTasks.close()
  services.queries.close()
  services.exports.close()
  services.explanations.close()
  services.metrics.close()
  await services.backups.close()
  // Other nodes send messages to shards that are open longer than this engine.
  if (opened === undefined) await runtime.shards.whenIdle()
  await services.integrations.close()
  await services.collector.close()
  await runtime.pageCheck.close()
  await runtime.readers.close()
  await runtime.streamThread.close()
  await runtime.listThread.close()
  await runtime.trainingThreads.close()
  await runtime.replayThreads.close()
  await services.reprocess.close()
  runtime.watermarks.close()
  if (opened === undefined) await runtime.shards.close()
  else Object.assign(opened.listeners, { failed: undefined, ran: undefined, ranElsewhere: undefined })
  services.sessions.close()
  stores.resources.close()
  if (opened === undefined) await stores.catalogStore.close()
  await services.monitor.close()
  if (opened === undefined) await lock.release()
}

/**
 * The third stage of a start: makes the services that answer requests, and those that work in the background.
 *
 * Owns: which service needs which, and so their order. Leaves out: what is stored (open-stores.ts), threads
 * (start-runtime.ts), reactions to changed jobs (wiring.ts).
 *
 * 1. Each service gets finished parts only.
 * 2. Watchdogs need the integrations, which deliver their alerts. The integrations need to know only whether there are
 *    alerts to deliver. The watchdogs' log says so, and it is made before both.
 */
import { systemRandom } from '../../rng.js'
import { WatchdogLog } from '../monitor/watchdog-log.js'
import { AgentNotes } from '../reprocess/agent-notes.js'
import { AuditCollector } from '../audit/audit-collector.js'
import { AuditQueries } from '../audit/audit.js'
import { Autonomies } from '../autonomy/autonomy.js'
import { GateChecks } from '../autonomy/gate-checks.js'
import { Backups } from '../backup/backups.js'
import { AlertClusters } from '../read/cluster-service.js'
import { ConsensusQueries } from '../consensus/consensus.js'
import { Explanations } from '../explain/explanations.js'
import { Exports } from '../read/exports.js'
import { EraseEvents } from '../erase/erase-events.js'
import { VoteTaskLog } from '../vote-tasks/vote-task-log.js'
import { VoteTasks } from '../vote-tasks/vote-tasks.js'
import { JobWarnings } from '../read/job-warning-service.js'
import { HistoryRequests } from '../history/history-requests.js'
import { Intake } from '../intake.js'
import type { Webhooks } from '../inbound/inbound.js'
import { openWebhooks } from '../inbound/open-webhooks.js'
import { NextLabels } from '../next/next-labels.js'
import { Integrations, type IntegrationsDeps } from '../integrations/integrations.js'
import { EnrichmentDeadlines } from '../integrations/enrichment-deadlines.js'
import { Lists } from '../lists/lists.js'
import { Models } from '../models/models.js'
import { MetricsReports } from '../report/metrics-reports.js'
import { Monitor } from '../monitor/monitor.js'
import { openTraining, type Training, type EarlierStages } from './open-training.js'
import { Queries } from '../query/query-service.js'
import { Replays } from '../replay/replays.js'
import { UTC } from '../../domain/job/time-zone.js'
import type { PeopleHours } from '../../domain/job/working-hours.js'
import { Reprocessing } from '../reprocess/reprocessing.js'
import { RetentionSweep } from '../erase/retention.js'
import { Handling } from '../handling/handling.js'
import { HandlingTables } from '../handling/handling-tables.js'
import { Samples } from '../sample/samples.js'
import { SessionTable } from '../sessions/session-table.js'
import { ChangesSweep } from '../stream/changes-sweep.js'
import { Streams } from '../stream/streams.js'

export interface ServiceSettings {
  /** Names of the service in a client's body. */
  readonly serviceNames: readonly string[]
  /** Trainings that run at once. */
  readonly trainers: number
  /** The folder of backups that are requested by name; absent where such requests are refused. */
  readonly backupDir?: string | undefined
  readonly privateHosts?: readonly string[] | undefined
  readonly minutesPerAlert?: number | undefined
  readonly timeZone?: string | undefined
  readonly workingHours?: string | undefined
  /** Told of rows of the ledger that are committed (services/cluster/). */
  readonly ledgerWritten?: IntegrationsDeps['ledgerWritten']
}

/** The services of the engine. */
export interface Services extends Training {
  /** SERVICE_TIME_ZONE. */
  readonly timeZone: string
  readonly intake: Intake
  readonly history: HistoryRequests
  readonly collector: AuditCollector
  readonly audit: AuditQueries
  readonly consensus: ConsensusQueries
  readonly autonomy: Autonomies
  readonly gateChecks: GateChecks
  readonly nextLabels: NextLabels
  readonly clusters: AlertClusters
  readonly reprocess: Reprocessing
  readonly erase: EraseEvents
  readonly notes: AgentNotes
  readonly queries: Queries
  readonly exports: Exports
  readonly explanations: Explanations
  readonly metrics: MetricsReports
  readonly models: Models
  readonly replays: Replays
  readonly integrations: Integrations
  readonly inbound: Webhooks
  readonly backups: Backups
  readonly retention: RetentionSweep
  readonly enrichments: EnrichmentDeadlines
  readonly monitor: Monitor
  readonly warnings: JobWarnings
  readonly streams: Streams
  readonly lists: Lists
  readonly voteTasks: VoteTasks
  readonly samples: Samples
  readonly handling: Handling
  readonly changesSweep: ChangesSweep
  readonly sessions: SessionTable
}

export function openServices(settings: ServiceSettings, earlier: EarlierStages): Services {
  const { stores, runtime, reports, admission } = earlier
  const { serviceNames, trainers, minutesPerAlert, privateHosts = [], backupDir = null } = settings
  const { timeZone = UTC, workingHours = '' } = settings
  const hours: PeopleHours = { timeZone, workingHours }
  const { dataDir, clock, ingestClock, resources, catalogStore: store, auditLog, current, catalogBytes } = stores
  const { shards, readers, eventSearch: thread, trainingThreads } = runtime
  const { logs, batches, failed } = reports
  const { accepting, mustAccept } = admission
  const job = (id: number) => resources.job(id)

  const collector = new AuditCollector({ environment: store, log: auditLog, shards, failed })
  const training = openTraining({ trainers, timeZone }, earlier, collector)
  const { trainings } = training
  const watchdogLog = new WatchdogLog(store, auditLog)
  const integrations = new Integrations({
    dataDir,
    serviceNames,
    timeZone,
    resources,
    shards,
    batches,
    privateHosts,
    job,
    failed,
    ledgerWritten: settings.ledgerWritten,
    hasAlerts: () => watchdogLog.tells(clock.nowMicros()),
  })
  const audit = new AuditQueries({ collector, readers, shards, log: auditLog, store, clock, job })
  const people = { shards, collector, readers, audit, clock: ingestClock, random: systemRandom }
  const tasks = { dataDir, serviceNames, shards, thread, current, mustAccept }
  const parts = { dataDir, resources, shards, trainings, trainingThreads, readers, integrations, logs, batches }
  const watched = { ...parts, hours }
  return {
    ...training,
    timeZone,
    ...openSweeps(earlier, collector),
    ...openLive(serviceNames, earlier, collector),
    collector,
    intake: new Intake({ shards, current, mustAccept, ask: collector.ask.bind(collector) }),
    history: new HistoryRequests({ ...people, serviceNames, job, current, mustAccept, accepting, failed }),
    sessions: new SessionTable(store, clock, stores.sealer),
    integrations,
    inbound: openWebhooks({ resources, sealer: stores.sealer, privateHosts, clock }),
    audit,
    autonomy: new Autonomies({ ...people, people: hours, current, mustAccept }),
    nextLabels: new NextLabels({ shards, readers, clock: ingestClock, current, failed }),
    consensus: new ConsensusQueries({ shards, collector, readers, current, mustAccept }),
    clusters: new AlertClusters({ shards, current }),
    reprocess: new Reprocessing({ ...tasks, collector, job, accepting, failed }),
    erase: new EraseEvents({ ...tasks, trainings, integrations, store, audit: auditLog, clock }),
    queries: new Queries({ serviceNames, readers, resources, clock: ingestClock }),
    explanations: new Explanations({ serviceNames, readers, clock: ingestClock, current }),
    exports: new Exports({ serviceNames, readers, shards, clock: ingestClock }),
    metrics: new MetricsReports({ ...people, ...tasks, resources, batches, store, minutesPerAlert, failed }),
    models: new Models({ shards, collector, readers, trainings, current, mustAccept }),
    replays: new Replays({ ...people, ...tasks, threads: runtime.replayThreads, resources, accepting, failed }),
    backups: new Backups({ dataDir, backupDir, shards, logs, thread: runtime.backupThread, catalogBytes, mustAccept }),
    warnings: new JobWarnings({ resources, shards, integrations, log: logs.of('actor') }),
    monitor: new Monitor({ ...watched, store, audit: auditLog, watchdogLog, clock, catalogBytes, accepting }),
  }
}

/** Lists, streams, and votes by filter. */
function openLive(
  serviceNames: readonly string[],
  { stores, runtime, reports, admission }: EarlierStages,
  collector: AuditCollector,
): Pick<Services, 'lists' | 'streams' | 'voteTasks' | 'samples' | 'notes' | 'handling'> {
  const { dataDir, ingestClock: clock, resources, catalogStore, auditLog, current } = stores
  const { shards, readers, listThread, streamThread } = runtime
  const { failed } = reports
  const { accepting, mustAccept } = admission
  const lists = new Lists({ serviceNames, readers: listThread, resources, clock })
  const voteTasks = new VoteTasks({
    log: new VoteTaskLog(catalogStore),
    lists,
    collector,
    audit: auditLog,
    clock,
    random: systemRandom,
    waiting: () => shards.messages,
    job: (id) => resources.job(id),
    current,
    mustAccept,
    accepting,
    failed,
  })
  const streams = new Streams({
    dataDir,
    serviceNames,
    resources,
    shards,
    auditLog,
    thread: streamThread,
    clock,
    failed,
  })
  const samples = new Samples({ serviceNames, readers, clock })
  const notes = new AgentNotes({ shards, current, mustAccept })
  const tables = new HandlingTables(catalogStore)
  // Of jobs whose deletion the last process did not finish.
  for (const jobId of tables.jobIds()) if (resources.job(jobId) === undefined) tables.forget(jobId)
  const handling = new Handling({ tables, audit: auditLog, notes, shards, clock, current, mustAccept })
  return { lists, streams, voteTasks, samples, notes, handling }
}

/** What is done from time to time, whoever asks. */
function openSweeps(
  { stores, runtime, reports, admission }: EarlierStages,
  collector: AuditCollector,
): Pick<Services, 'gateChecks' | 'retention' | 'enrichments' | 'changesSweep'> {
  const { clock, ingestClock, resources, catalogStore: store } = stores
  const { shards } = runtime
  const { logs, failed } = reports
  const { accepting } = admission
  return {
    gateChecks: new GateChecks({ resources, shards, collector, clock: ingestClock, accepting, failed }),
    retention: new RetentionSweep({ resources, logs, shards, store, clock, accepting, failed }),
    enrichments: new EnrichmentDeadlines({ resources, shards, clock, accepting, failed }),
    changesSweep: new ChangesSweep({ resources, shards, clock: ingestClock, accepting, failed }),
  }
}

/**
 * The first stage of a start: opens what is stored, checks that it is consistent, and makes what a first start needs.
 *
 * Owns: the order of the checks. Leaves out: the checks (verify/consistency-check.ts), threads and services (later
 * stages, see wiring.ts).
 *
 * 1. Nothing is deleted, and no job runs, before the catalog and all shards are known to be consistent.
 * 2. No job is changed before the ingest clock has passed every stored time.
 */
import { existsSync } from 'node:fs'
import type { Clock } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { systemRandom } from '../../rng.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { JobHandle } from '../../api/principal.js'
import { sealingKey, type DataDir } from '../../store/directory/data-dir.js'
import { firstStartPath, writeFirstStart } from '../../store/directory/first-start-file.js'
import type { Environment } from '../../store/environment.js'
import { openCatalog } from '../../store/directory/environments.js'
import type { BootstrapOutcome } from '../../resource/bootstrap.js'
import { ResourceStore } from '../../resource/resource-store.js'
import { lostSecrets } from '../../resource/registry/parameters.js'
import { Sealer } from '../../resource/access/sealing.js'
import { allKinds } from '../../integration/registry.js'
import { AuditLog } from '../audit/audit-log.js'
import { lastTaken } from '../audit/audit-collector.js'
import { mustHaveSoundPages } from '../verify/start-check.js'
import { ConsistencyCheck } from '../verify/consistency-check.js'
import { allCatalogTables } from '../catalog-tables.js'
import { IngestClock } from '../../runtime/ingest-clock.js'
import { openReaders, type JobReader } from '../read/job-reader.js'
import { loggedEnvironment } from '../../runtime/log/catalog/logged-environment.js'
import type { EngineLogs } from './engine-logs.js'
import type { Reports } from './reports.js'

export interface StoreSettings {
  readonly dataDir: string
  readonly adminPassword?: string | undefined
  readonly bootstrapKey?: string | undefined
  readonly passwordCost?: number | undefined
  readonly acceptLoss?: boolean | undefined
  /** Where the catalog is written to a log; absent: the store is enough. */
  readonly clustered?: EngineLogs | undefined
}

/** What is stored, open and checked. */
export interface Stores {
  readonly dataDir: string
  readonly clock: Clock
  readonly ingestClock: IngestClock
  /** The catalog's environment. */
  readonly catalogStore: Environment
  readonly auditLog: AuditLog
  readonly resources: ResourceStore
  readonly sealer: Sealer
  /** One for each shard. */
  readonly shardReaders: readonly JobReader[]
  /** Files of which the start has not looked at all pages. */
  readonly uncheckedFiles: readonly string[]
  /** Secrets that this start has made and left in a file of the data directory; null where it made none. */
  readonly firstStart: BootstrapOutcome | null
  /** The job as it is now: a handle may be older than the latest change. @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings
  catalogBytes(): number
}

/** @throws Refusal data_dir_invalid, data_dir_newer, and those of a commit. */
export function openStores(
  settings: StoreSettings,
  { shards }: DataDir,
  { clock, logs }: Pick<Reports, 'logs'> & { readonly clock: Clock },
): Stores {
  const { dataDir, clustered } = settings
  const opened = clustered?.opened
  const uncheckedFiles = opened === undefined ? mustHaveSoundPages(dataDir, shards) : []
  const catalogFile = opened?.catalog ?? openCatalog(dataDir, allCatalogTables)
  const catalogStore = clustered === undefined ? catalogFile : loggedEnvironment(catalogFile, clustered.catalog)
  const auditLog = new AuditLog(catalogStore)
  const sealer = new Sealer(sealingKey(dataDir), systemRandom)
  const ingestClock = opened?.clock ?? new IngestClock(clock)
  ingestClock.follow(clustered?.lastMicros ?? 0)
  const resources = ResourceStore.open(catalogStore, {
    clock,
    stamp: () => ingestClock.take(),
    random: systemRandom,
    shards,
    sealer,
    audit: auditLog,
    passwordCost: settings.passwordCost,
    kinds: allKinds,
  })
  const check = new ConsistencyCheck({
    dataDir,
    resources,
    catalog: catalogStore,
    acceptLoss: settings.acceptLoss === true,
    log: logs.of('store'),
  })
  check.mustHaveFiles(shards)
  const stepsAreLost = check.ledgerIsLost()
  const given = { adminPassword: settings.adminPassword, managementKey: settings.bootstrapKey }
  const firstStart = resources.bootstrap(given, (generated) => writeFirstStart(dataDir, generated))
  tellOfSecrets(firstStartPath(dataDir), logs)
  warnOfLostSecrets(resources, sealer, logs)
  const shardReaders = opened?.readers ?? openReaders(dataDir, shards)
  check.mustHaveDeleted(shardReaders, auditLog)
  check.mustBeCurrent(shardReaders)
  followStored(ingestClock, { resources, catalogStore, shardReaders })
  if (stepsAreLost) resources.restartSteps()
  return {
    dataDir,
    clock,
    ingestClock,
    catalogStore,
    auditLog,
    resources,
    sealer,
    shardReaders,
    uncheckedFiles,
    firstStart: firstStart.adminPassword === null && firstStart.managementKey === null ? null : firstStart,
    current: ({ id }) => {
      const job = resources.job(id)
      if (job === undefined) throw new Refusal('job_not_found', 'job not found')
      return job
    },
    catalogBytes: () => catalogStore.sizeBytes(),
  }
}

/** At each start, until somebody has deleted the file. */
function tellOfSecrets(file: string, logs: Reports['logs']): void {
  if (existsSync(file))
    logs.of('store').warn('the secrets of the first start are in a file: keep them elsewhere, then delete it', { file })
}

/** Secrets that were sealed with another key cannot be read. */
function warnOfLostSecrets(resources: ResourceStore, sealer: Sealer, logs: Reports['logs']): void {
  const integrations = [...resources.integrations()]
    .filter(({ connection }) => lostSecrets(connection, sealer).length > 0)
    .map(({ title }) => title)
  if (integrations.length > 0)
    logs.of('store').warn('sealing.key has changed: secrets have to be entered again', { integrations })
}

/** Makes every new stamp later than every stored one. */
function followStored(
  clock: IngestClock,
  { resources, catalogStore, shardReaders }: Pick<Stores, 'resources' | 'catalogStore' | 'shardReaders'>,
): void {
  for (const reader of shardReaders) clock.follow(reader.lastMicros())
  clock.follow(lastTaken(catalogStore, shardReaders.length))
  for (const { pipeline } of resources.jobs()) for (const { outsideSince = 0 } of pipeline) clock.follow(outsideSince)
}

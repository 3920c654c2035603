/** The options of an engine. */
import type { Clock } from './clock.js'
import type { LogLevels } from './api/log-level.js'

/** Number of shards in a new data directory. */
export const SHARDS_DEFAULT = 8

/** The names of the service's section in an event: the configured one, and a neutral one (C1.1). */
export function sectionNamesOf(name: string): string[] {
  return [...new Set([name, 'service'])]
}

export interface EngineOptions {
  readonly dataDir: string
  /** SERVICE_NAME. */
  readonly name: string
  /** For a new data directory; an existing one keeps its number. */
  readonly shards?: number | undefined
  /** Threads that decide events; default: one less than the number of cores, and at least one. */
  readonly threads?: number | undefined
  /** Megabytes that open models take at most, over all threads that decide events; default 256. */
  readonly modelMemoryMb?: number | undefined
  /** Threads that train; default 1. */
  readonly trainers?: number | undefined
  readonly adminPassword?: string | undefined
  readonly bootstrapKey?: string | undefined
  /** Base-2 logarithm of scrypt's cost for new passwords; default 14, as OWASP advises. */
  readonly passwordCost?: number | undefined
  readonly clock?: Clock | undefined
  /** The zone of people, for times that are told and schedules; default UTC. A job may have its own. */
  readonly timeZone?: string | undefined
  /** When people are there (domain/job/working-hours.ts); default: at any time. A job may have its own. */
  readonly workingHours?: string | undefined
  /** Minutes that an analyst spends on one alert (S18); default 10. */
  readonly minutesPerAlert?: number | undefined
  /** Hosts, addresses and networks that integrations may reach although they are not public. */
  readonly privateHosts?: readonly string[] | undefined
  /** Directory of the backups that clients request; without it they cannot. */
  readonly backupDir?: string | undefined
  /** Starts although a file of the data directory is missing or older than the others. The lost data stays lost. */
  readonly acceptLoss?: boolean | undefined
  /** Default: `info` for all components. */
  readonly logLevels?: LogLevels | undefined
  /** Writes the log to standard error, too, not only to the data directory. */
  readonly logEcho?: boolean | undefined
  /** Called for each failure in the log: a bug, or a thread that died. */
  readonly onFailure?: ((what: string, error: unknown) => void) | undefined
}

/** What an engine is opened with. */
import type { Clock } from './clock.js'
import type { LogLevels } from './api/log-level.js'

/** Storage units of a new data directory. */
export const SHARDS_DEFAULT = 8

/** Names of the service in a client's body: the configured one, and the neutral one beside it (C1.1). */
export function sectionNamesOf(name: string): string[] {
  return [...new Set([name, 'service'])]
}

export interface EngineOptions {
  readonly dataDir: string
  /** SERVICE_NAME. */
  readonly name: string
  /** For a new data directory; an old one keeps its number. */
  readonly shards?: number | undefined
  /** Threads that decide events; default: one less than there are cores, at least one. */
  readonly threads?: number | undefined
  /** Threads that train; default 1. */
  readonly trainers?: number | undefined
  readonly adminPassword?: string | undefined
  readonly bootstrapKey?: string | undefined
  /** Base-2 logarithm of scrypt's cost for new passwords; default 14, as OWASP advises. */
  readonly passwordCost?: number | undefined
  readonly clock?: Clock | undefined
  /** Minutes that an analyst spends on one alert (S18); default 10. */
  readonly minutesPerAlert?: number | undefined
  /** Hosts, addresses and networks that integrations may reach although they are not public. */
  readonly privateHosts?: readonly string[] | undefined
  /** Where backups go that are asked for by name; nowhere where absent. */
  readonly backupDir?: string | undefined
  /** Goes on without a file of the data directory that was lost, or with one that is older than the rest; what was in it stays lost. */
  readonly acceptLoss?: boolean | undefined
  /** How much goes into the log; by itself `info` and above. */
  readonly logLevels?: LogLevels | undefined
  /** The log goes to standard error too, and not only into the data directory. */
  readonly logEcho?: boolean | undefined
  /** Told of what went into the log as a failure: a bug, or a thread that died. */
  readonly onFailure?: ((what: string, error: unknown) => void) | undefined
}

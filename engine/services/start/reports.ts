/** Made before the first stage of a start: the log, the latest batches of work, and reports of background failures. */
import type { Clock } from '../../clock.js'
import { RecentBatches } from '../monitor/recent-batches.js'
import type { Component } from '../../api/components.js'
import { levelForAll, type LogLevels } from '../../api/log-level.js'
import { Logs } from '../monitor/log/log.js'

/** Called with failures that no caller waits for, such as a failed turn or a thread that died. */
export type Failed = (what: string, error: unknown) => void

export interface ReportSettings {
  readonly dataDir: string
  readonly logLevels?: LogLevels | undefined
  readonly logEcho?: boolean | undefined
  readonly onFailure?: Failed | undefined
}

export interface Reports {
  readonly logs: Logs
  readonly batches: RecentBatches
  /** Failures of the threads that decide events, and of all that has no component of its own. */
  readonly failed: Failed
  failuresOf(component: Component): Failed
}

export function openReports(settings: ReportSettings, clock: Clock): Reports {
  const { dataDir, logLevels = levelForAll('info'), logEcho = false, onFailure } = settings
  const logs = new Logs(dataDir, logLevels, logEcho)
  const failuresOf = (component: Component): Failed => logs.failures(component, onFailure)
  return { logs, batches: new RecentBatches(clock), failed: failuresOf('actor'), failuresOf }
}

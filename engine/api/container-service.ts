/** What operators may ask of the parts of the service, one by one (api/components.ts), and what they may have them do. */
import type { Component } from './components.js'
import type { LogLevel } from './log-level.js'

export const timeSelectors = ['5m', '15m', '1h', '6h', '24h', '7d'] as const
export type TimeSelector = (typeof timeSelectors)[number]

export function isTimeSelector(text: string): text is TimeSelector {
  return (timeSelectors as readonly string[]).includes(text)
}

/** The latest line of level error. */
export interface LastError {
  readonly at: string
  readonly message: string
}

export interface ContainerName {
  readonly component: Component
  readonly container: string
}

/** `idle`: it has a thread only while there is work; `stopped`: there is nothing that it should do. */
export type ContainerStatus = 'running' | 'idle' | 'starting' | 'stopped'

/** `degraded`: it works, and somebody should look at it. */
export type ContainerHealth = 'healthy' | 'degraded' | 'unhealthy'

export interface ContainerView extends ContainerName {
  /** For people. */
  readonly title: string
  readonly status: ContainerStatus
  readonly health: ContainerHealth
  /** Why; '' where it is healthy. */
  readonly reason: string
  /** When it was started, or started again. */
  readonly startedMicros: number
  readonly restarts: number
  /** What waits for it or is under way, and its bytes. */
  readonly waiting: number
  readonly waitingBytes: number
  /** On disk; null for what is no store. */
  readonly storeBytes: number | null
  readonly lastError: LastError | null
  readonly logLevel: LogLevel
  /** Percent of one core, over the latest interval of samples; null where it is not measured, or not yet. */
  readonly cpuPercent: number | null
  /** As null. */
  readonly memoryBytes: number | null
  /** False for what only the process as a whole can begin anew. */
  readonly restartable: boolean
}

/** What was found by going there. */
export interface HealthCheck extends ContainerName {
  readonly health: ContainerHealth
  readonly reason: string
  /** How long the answer took. */
  readonly milliseconds: number
  readonly atMicros: number
}

export interface RestartOutcome extends ContainerName {
  /** False where it failed; then `reason` says why. */
  readonly restarted: boolean
  readonly reason: string
}

export interface SeriesPoint {
  readonly atMicros: number
  readonly value: number
}

export interface ContainerService {
  all(): Promise<readonly ContainerView[]>
  /** Rejects with container_not_found; so with the others. */
  one(name: ContainerName): Promise<ContainerView>
  /** Percent of one core, or bytes, oldest first; empty where it is not measured. */
  series(name: ContainerName, what: 'cpu' | 'memory', selector: TimeSelector): Promise<readonly SeriesPoint[]>
  check(name: ContainerName): Promise<HealthCheck>
  /** Begins it anew; what it had under way is finished first, or taken up again. Rejects with not_restartable. */
  restart(name: ContainerName): Promise<void>
  /** All that can be restarted, one after the other. */
  restartAll(): Promise<readonly RestartOutcome[]>
  /** Until the next start, or until the settings are read again. */
  setLogLevel(name: ContainerName, level: LogLevel): Promise<void>
}

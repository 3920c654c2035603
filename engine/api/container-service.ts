/**
 * The contract of containers: the state of each part of the service (components.ts), and what operators may do to it.
 */
import type { Component } from './components.js'
import type { Author } from './principal.js'
import type { LogLevel } from './log-level.js'

export const timeSelectors = ['5m', '15m', '1h', '6h', '24h', '7d'] as const
export type TimeSelector = (typeof timeSelectors)[number]

export function isTimeSelector(text: string): text is TimeSelector {
  return (timeSelectors as readonly string[]).includes(text)
}

/** The latest log line of level error. */
export interface LastError {
  readonly at: string
  readonly message: string
}

export interface ContainerName {
  readonly component: Component
  readonly container: string
}

/** `idle`: it starts a thread when there is work; `stopped`: it has nothing to do as the service is set up. */
export type ContainerStatus = 'running' | 'idle' | 'starting' | 'stopped'

/** `degraded`: it works, but an operator should look at it. */
export type ContainerHealth = 'healthy' | 'degraded' | 'unhealthy'

export interface ContainerView extends ContainerName {
  /** For people. */
  readonly title: string
  readonly status: ContainerStatus
  readonly health: ContainerHealth
  /** Why; '' where it is healthy. */
  readonly reason: string
  /** When it last started, by itself or by an operator. */
  readonly startedMicros: number
  readonly restarts: number
  /** Items that wait or run, and their bytes. */
  readonly waiting: number
  readonly waitingBytes: number
  /** Bytes on disk; null where it is no store. */
  readonly storeBytes: number | null
  readonly lastError: LastError | null
  readonly logLevel: LogLevel
  /** Percent of one core over the latest sampling interval; null where it is not measured (yet). */
  readonly cpuPercent: number | null
  /** Null where it is not measured (yet). */
  readonly memoryBytes: number | null
  /** False where only a restart of the whole process helps. */
  readonly restartable: boolean
}

/** The result of an active check. */
export interface HealthCheck extends ContainerName {
  readonly health: ContainerHealth
  readonly reason: string
  /** How long the check took. */
  readonly milliseconds: number
  readonly atMicros: number
}

export interface RestartOutcome extends ContainerName {
  /** False where the restart failed; `reason` says why. */
  readonly restarted: boolean
  readonly reason: string
}

export interface SeriesPoint {
  readonly atMicros: number
  readonly value: number
}

export interface ContainerService {
  /** The containers: each can be restarted, and is measured. */
  all(): Promise<readonly ContainerView[]>
  /**
   * One container, or a part that is none: the HTTP server, a store, an integration, the process. Rejects with
   * container_not_found, as do the other methods that take a name.
   */
  one(name: ContainerName): Promise<ContainerView>
  /** Percent of one core, or bytes, oldest first; empty where nothing is measured. */
  series(name: ContainerName, what: 'cpu' | 'memory', selector: TimeSelector): Promise<readonly SeriesPoint[]>
  check(name: ContainerName): Promise<HealthCheck>
  /** Restarts it. Work under way is finished first, or resumed afterwards. Rejects with not_restartable. */
  restart(name: ContainerName, by: Author): Promise<void>
  /** Restarts every container that `all` lists, one after the other. */
  restartAll(by: Author): Promise<readonly RestartOutcome[]>
  /** The level lasts until the next start, or until the settings are read again. */
  setLogLevel(name: ContainerName, level: LogLevel, by: Author): Promise<void>
}

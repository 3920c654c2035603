/** The contract of monitoring: figures, logs, containers, watchdogs, batches of work. */
export type * from './backup-service.js'
export type * from './container-service.js'
export type * from './watchdog-service.js'
import type { ContainerName, ContainerService } from './container-service.js'
import type { WatchdogService } from './watchdog-service.js'
import type { Component } from './components.js'
import type { Author } from './principal.js'
import type { LogLevel, LogLevels } from './log-level.js'

export const batchKinds = ['turn', 'training', 'poll', 'recomputation', 'delivery', 'look_up'] as const
export type BatchKind = (typeof batchKinds)[number]

export interface Batch {
  readonly kind: BatchKind
  /** The container that did it, such as `actor/0`. */
  readonly container: string
  /** Null for turns, which hold messages of many jobs, and for work that concerns no job. */
  readonly jobId: number | null
  /** Number of messages, documents or events; 1 for a training. */
  readonly items: number
  readonly finishedMicros: number
  readonly seconds: number
  /** What went wrong, or null. */
  readonly error: string | null
}

/** A log file with the content that it had when it was opened. */
export interface LogFile {
  readonly name: string
  /** Can be read once. */
  readonly content: AsyncIterable<Buffer>
  close(): Promise<void>
}

/** Fields beside the message; `err` is an error, written with its stack. */
export type LogFields = Readonly<Record<string, unknown>>

/** The log of one container. */
export interface Log {
  enabled(level: LogLevel): boolean
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** Counts of values by size. */
export interface HistogramView {
  /** Upper bounds, ascending; a value counts for the first bound that is not below it. */
  readonly bounds: readonly number[]
  /** Not cumulative. One more than `bounds`: the last counts values above all bounds. */
  readonly counts: Float64Array
  readonly sum: number
  readonly count: number
}

/** The turns of one shard since the start. */
export interface TurnFigures {
  readonly turns: number
  readonly messages: number
  readonly failed: number
  readonly sizes: HistogramView
  readonly seconds: HistogramView
  readonly flushSeconds: HistogramView
}

/** `starting`: not all threads run yet; `closing`: new requests are refused. */
export type ServiceState = 'starting' | 'ready' | 'closing'

/** One shard, now and since the start. */
export interface ShardFigures {
  readonly shard: number
  /** Messages that wait or run, and their bytes. */
  readonly waiting: number
  readonly waitingBytes: number
  /** Bytes on disk. */
  readonly storeBytes: number
  readonly turns: TurnFigures
}

/** The figures of the service. Counters count from its start. */
export interface Figures {
  readonly shards: readonly ShardFigures[]
  readonly catalogBytes: number
  readonly eventsStored: number
  readonly outliers: number
  /** Models in memory: how many, their bytes, and how often one was opened. */
  readonly models: { readonly count: number; readonly bytes: number; readonly opened: number }
  /** Enrichments of decided events, by result. */
  readonly enrichments: ReadonlyMap<string, number>
  /** By name of the label and band of confidence. Labels beyond the first few hundred count as `other`. */
  readonly decisions: readonly { readonly label: string; readonly band: string; readonly count: number }[]
  readonly trainings: {
    readonly finished: number
    readonly failed: number
    readonly queued: number
    readonly running: number
    readonly seconds: HistogramView
  }
  /** Jobs by status, integrations by kind. */
  readonly jobs: ReadonlyMap<string, number>
  readonly integrations: ReadonlyMap<string, number>
  readonly logLinesDropped: number
  readonly watchdogs: readonly {
    readonly id: string
    readonly title: string
    readonly type: string
    readonly isFiring: boolean
  }[]
}

export interface MonitorService {
  figures(): Figures
  readonly state: ServiceState
  /** The log of a container. */
  log(component: Component, container?: string): Log
  /** Sets the levels of all components and containers. */
  setLogLevels(levels: LogLevels): void
  /** Writes the lines that wait to the log files. */
  flushLog(): void
  readonly containers: ContainerService
  readonly watchdogs: WatchdogService
  /** The log files as they are now, oldest first. The caller closes each. */
  logFiles(): Promise<LogFile[]>
  /** The lines of one container. Rejects with container_not_found. */
  logOf(name: ContainerName): Promise<LogFile>
  /** The free share of the disk: 0 to 1. */
  readonly diskFree: number
  /** What is wrong with the machine's clock, in a sentence; null where nothing is. */
  readonly clockTrouble: string | null
  /** The latest batches first. */
  batches(kinds: readonly BatchKind[], count: number): Batch[]
  /** Calls `follower` when a batch has finished. */
  followBatches(follower: (batch: Batch) => void): void
  /** Restarts sampling and watchdogs: the container `monitor/main`. */
  restart(by: Author): Promise<void>
}

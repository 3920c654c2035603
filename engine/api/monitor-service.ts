/** What operators may ask of the engine about itself, and what they may have it do. */
export type * from './backup-service.js'
export type * from './container-service.js'
export type * from './watchdog-service.js'
import type { ContainerName, ContainerService } from './container-service.js'
import type { WatchdogService } from './watchdog-service.js'
import type { Component } from './components.js'
import type { LogLevel, LogLevels } from './log-level.js'

export const batchKinds = ['turn', 'training', 'poll', 'recomputation', 'delivery', 'look_up'] as const
export type BatchKind = (typeof batchKinds)[number]

export interface Batch {
  readonly kind: BatchKind
  /** Which container did it, as `actor/0`. */
  readonly container: string
  /** null for turns, which hold messages of many jobs, and for what is of the service as a whole. */
  readonly jobId: number | null
  /** Messages, documents, events, or 1 for a training. */
  readonly items: number
  readonly finishedMicros: number
  readonly seconds: number
  /** What went wrong, or null. */
  readonly error: string | null
}

/** One file as it was when it was opened. */
export interface LogFile {
  readonly name: string
  /** To be read once. */
  readonly content: AsyncIterable<Buffer>
  close(): Promise<void>
}

/** What may be said beside the message; `err` is an error, shown with its stack. */
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
  /** Upper bounds, ascending; a value belongs to the first that is not below it. */
  readonly bounds: readonly number[]
  /** One more than bounds: the last is of what is over all of them. Not cumulative. */
  readonly counts: Float64Array
  readonly sum: number
  readonly count: number
}

/** Turns of one shard since the start. */
export interface TurnFigures {
  readonly turns: number
  readonly messages: number
  readonly failed: number
  readonly sizes: HistogramView
  readonly seconds: HistogramView
  readonly flushSeconds: HistogramView
}

/** `starting`: threads have yet to come up; `closing`: nothing new is taken. */
export type ServiceState = 'starting' | 'ready' | 'closing'

/** One storage unit, as it is now and since the start. */
export interface ShardFigures {
  readonly shard: number
  /** Messages that wait or run, and their bytes. */
  readonly waiting: number
  readonly waitingBytes: number
  /** On disk. */
  readonly storeBytes: number
  readonly turns: TurnFigures
}

/** Numbers for whoever draws them; counters count since the start. */
export interface Figures {
  readonly shards: readonly ShardFigures[]
  readonly catalogBytes: number
  readonly eventsStored: number
  readonly outliers: number
  /** Look-ups about events that were decided, by how they ended. */
  readonly enrichments: ReadonlyMap<string, number>
  /** By label's name and band of confidence. Labels beyond the first few hundred count as `other`. */
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
  /** The levels of all components and containers, at once. */
  setLogLevels(levels: LogLevels): void
  /** The parts of the service, one by one. */
  readonly containers: ContainerService
  readonly watchdogs: WatchdogService
  /** The files of the log as they are now, oldest first. Whoever asks closes each. */
  logFiles(): Promise<LogFile[]>
  /** The lines of a container in them. Rejects with container_not_found. */
  logOf(name: ContainerName): Promise<LogFile>
  /** Share of the disk that is free, from 0 to 1. */
  readonly diskFree: number
  /** The latest first. */
  batches(kinds: readonly BatchKind[], count: number): Batch[]
  /** Has each batch told when it has finished. */
  followBatches(follower: (batch: Batch) => void): void
  /** Begins samples and watchdogs anew. */
  restart(): Promise<void>
}

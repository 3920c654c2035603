/**
 * Whether the process may open as many files as the service needs, and how many are left for connections. Without the
 * check a start ends within a native library, which says nothing.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/**
 * How many files are open: those of any service, of a shard, of a thread that decides, of a thread of HTTP. Each shard
 * may take two more while its disk is nearly full.
 */
const [BASE, OF_SHARD, OF_THREAD, OF_HTTP_THREAD] = [64, 5, 6, 8]
/** Files that connections leave beside that: for integrations, backups, trainings. A part of it at a low limit. */
const ROOM = 128
/** Connections at most where nothing else is said. */
const CONNECTIONS_MAX = 50_000
/** Connections at the lowest limit with which a service starts. */
const LEAST = 16
/** Where the settings do not say. */
const SHARDS = 8

export interface OpenedFiles {
  readonly connectionsMax?: number | undefined
  readonly shards?: number | undefined
  readonly threads?: number | undefined
  readonly httpThreads?: number | undefined
}

/** The least limit with which a service of this size starts, with a few connections. */
export function openFilesNeeded({ shards = SHARDS, httpThreads = 1, ...files }: OpenedFiles): number {
  const threads = files.threads ?? Math.max(1, Math.min(shards, availableParallelism() - 1))
  return BASE + OF_SHARD * shards + OF_THREAD * threads + OF_HTTP_THREAD * httpThreads + LEAST
}

/** The limit in the text of `/proc/self/limits`; infinite where there is none. */
export function openFilesLimit(limits: string): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
}

/** The limit of this process; infinite where it is not known. */
function limitHere(): number {
  return openFilesLimit(process.platform === 'linux' ? readFileSync('/proc/self/limits', 'utf8') : '')
}

/** How many connections a limit of open files leaves room for. */
export function connectionsWithin(limit: number, files: OpenedFiles): number {
  const left = limit - openFilesNeeded(files) + LEAST
  return Math.max(LEAST, Math.min(CONNECTIONS_MAX, left - Math.min(ROOM, Math.floor(left / 2))))
}

/** Connections at most where no setting says it. */
export function connectionsMaxOf(files: OpenedFiles): number {
  return connectionsWithin(limitHere(), files)
}

/** What is wrong with the limit of this process; null where it is high enough, or not known. */
export function openFilesFault(files: OpenedFiles): string | null {
  const limit = limitHere()
  const needed = openFilesNeeded(files)
  const { connectionsMax = 0 } = files
  const each = 'and one more for each connection'
  if (limit < needed) return `the limit of open files is ${limit} (ulimit -n); it must be at least ${needed}, ${each}`
  const least = needed - LEAST + connectionsMax
  if (limit >= least) return null
  return (
    `SERVICE_CONNECTIONS_MAX is ${connectionsMax}, and the limit of open files is ${limit} (ulimit -n); ` +
    `it must be at least ${least}`
  )
}

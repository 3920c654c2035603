/**
 * Whether the process may open as many files as the service needs. Without this check a start ends within a native
 * library, which says nothing.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** How many files are open: those of any service, of a shard, of a thread that decides, of a thread of HTTP. */
const [BASE, OF_SHARD, OF_THREAD, OF_HTTP_THREAD] = [60, 3, 5, 8]
/** Where the settings do not say. */
const SHARDS = 8

export interface OpenedFiles {
  readonly shards?: number | undefined
  readonly threads?: number | undefined
  readonly httpThreads?: number | undefined
}

/** The least limit with which a service of this size starts; each connection takes one more. */
export function openFilesNeeded({ shards = SHARDS, httpThreads = 1, ...files }: OpenedFiles): number {
  const threads = files.threads ?? Math.max(1, Math.min(shards, availableParallelism() - 1))
  return BASE + OF_SHARD * shards + OF_THREAD * threads + OF_HTTP_THREAD * httpThreads
}

/** The limit in the text of `/proc/self/limits`; infinite where there is none. */
export function openFilesLimit(limits: string): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
}

/** What is wrong with the limit of this process; null where it is high enough, or not known. */
export function openFilesFault(files: OpenedFiles): string | null {
  const limit = openFilesLimit(process.platform === 'linux' ? readFileSync('/proc/self/limits', 'utf8') : '')
  const needed = openFilesNeeded(files)
  if (limit >= needed) return null
  const least = `it must be at least ${needed}, and one more for each connection`
  return `the limit of open files is ${limit} (ulimit -n); ${least}`
}

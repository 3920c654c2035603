/**
 * The threads that answer long queries, and the one that answers lists. A thread starts with the first query, and ends
 * when it has been idle.
 */
import { availableParallelism } from 'node:os'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { threadFile } from '../../runtime/thread-files.js'
import { OccasionalThreads, type ThreadDied } from '../../runtime/threads/threads.js'
import type { ReaderQueries, ReaderQuery, ReaderQueryKind } from './reader-protocol.js'

const kinds = {
  reader: {
    module: threadFile('reader-thread'),
    // More than one, so that a short query need not wait for a long one.
    threadsMax: Math.min(limits.readerThreadsMax, availableParallelism()),
    // A thread keeps the shapes and words of its shards, so that the next query need not read them again.
    idleMs: 60_000,
  },
  // One, because it keeps columns of events; every list is bounded in time.
  list: { module: threadFile('list-thread'), threadsMax: 1, idleMs: 900_000 },
}

export class ReaderThreads {
  readonly #dataDir: string
  readonly #threads: OccasionalThreads<ReaderQuery, unknown>

  constructor(dataDir: string, died: ThreadDied, kind: keyof typeof kinds = 'reader') {
    this.#dataDir = dataDir
    this.#threads = new OccasionalThreads<ReaderQuery, unknown>({ ...kinds[kind], nice: 5 }, died)
  }

  /** The answer. Rejects with Refusal queries_busy where too many queries are waiting. */
  async ask<K extends ReaderQueryKind>(ask: K, given: ReaderQueries[K]['given']): Promise<ReaderQueries[K]['answer']> {
    if (this.#threads.waiting >= limits.readerQueriesWaitingMax) {
      throw new Refusal('queries_busy', 'too many queries are waiting; try again shortly')
    }
    const query = { ask, dataDir: this.#dataDir, ...given } as unknown as ReaderQuery
    return (await this.#threads.run(query)) as ReaderQueries[K]['answer']
  }

  get underWay(): number {
    return this.#threads.underWay
  }

  get busyMs(): number {
    return this.#threads.busyMs
  }

  get memoryBytes(): number {
    return this.#threads.memoryBytes
  }

  get startedMicros(): number {
    return this.#threads.startedMicros
  }

  async restart(): Promise<void> {
    await this.#threads.restart()
  }

  async close(): Promise<void> {
    await this.#threads.close()
  }
}

/** The threads that answer long queries; there are none while nobody asks. */
import { availableParallelism } from 'node:os'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { threadFile } from '../../runtime/thread-files.js'
import { OccasionalThreads, type ThreadDied } from '../../runtime/threads/threads.js'
import type { ReaderQueries, ReaderQuery, ReaderQueryKind } from './reader-queries.js'

export class ReaderThreads {
  readonly #dataDir: string
  readonly #threads: OccasionalThreads<ReaderQuery, unknown>

  constructor(dataDir: string, died: ThreadDied) {
    this.#dataDir = dataDir
    this.#threads = new OccasionalThreads<ReaderQuery, unknown>(
      {
        module: threadFile('reader-thread'),
        // More than one, so that a short question need not wait for a long one.
        threadsMax: Math.min(limits.readerThreadsMax, availableParallelism()),
        // A thread knows shapes and words of the shards that it was asked about, which the next question need not read again.
        idleMs: 60_000,
        nice: 5,
      },
      died,
    )
  }

  /** The answer. Rejects with Refusal queries_busy where too many wait already. */
  async ask<K extends ReaderQueryKind>(ask: K, given: ReaderQueries[K]['given']): Promise<ReaderQueries[K]['answer']> {
    if (this.#threads.waiting >= limits.readerQueriesWaitingMax) {
      throw new Refusal('queries_busy', 'too many questions are waiting; try again shortly')
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

  async restart(): Promise<void> {
    await this.#threads.restart()
  }

  async close(): Promise<void> {
    await this.#threads.close()
  }
}

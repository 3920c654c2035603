/** The threads that work now and then: they train, look for events, make backups, answer long questions. */
import { availableParallelism } from 'node:os'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { BackupDone, BackupTask } from '../../services/backup/backup-thread.js'
import type { JsonReader, ReaderQuery, ReaderQueries } from '../../services/readers/reader-queries.js'
import type { EventSearchResult, EventSearchTask } from '../../services/reprocess/event-search.js'
import { OccasionalThreads, type ThreadDied } from './threads.js'
import type { TrainingTask, TrainingResult } from '../../services/training/training-task.js'

/** The thread that looks for events to decide again; none while nothing is to be found. */
export class EventSearchThread extends OccasionalThreads<EventSearchTask, EventSearchResult> {
  constructor(failed: (what: string, error: unknown) => void) {
    const settings = { module: '../../bundle/service/reprocess-thread.js', threadsMax: 1, idleMs: 10_000, nice: 10 }
    super(settings, (error) => failed('a thread that looks for events died', error))
  }
}

/** The threads that train; none while nothing trains. */
export class TrainingThreads extends OccasionalThreads<TrainingTask, TrainingResult> {
  constructor(threadsMax: number, died: ThreadDied) {
    super({ module: '../../bundle/service/training-thread.js', threadsMax, idleMs: 10_000, nice: 10 }, died)
  }
}

/** The thread that makes backups; none while there is none to make. */
export class BackupThread extends OccasionalThreads<BackupTask, BackupDone> {
  constructor(died: ThreadDied) {
    super({ module: '../../bundle/service/backup-thread.js', threadsMax: 1, idleMs: 1_000, nice: 10 }, died)
  }
}

/** The threads that answer long questions; none while nobody asks. */
export class ReaderThreads {
  readonly #dataDir: string
  readonly #threads: OccasionalThreads<ReaderQuery, unknown>

  constructor(dataDir: string, died: ThreadDied) {
    this.#dataDir = dataDir
    this.#threads = new OccasionalThreads<ReaderQuery, unknown>(
      {
        module: '../../bundle/service/reader-thread.js',
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
  async ask<K extends JsonReader>(ask: K, given: ReaderQueries[K]['given']): Promise<ReaderQueries[K]['answer']> {
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

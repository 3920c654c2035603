/**
 * Sends metrics queries to the reader threads.
 *
 * Owns: the queue of long queries. Leaves out: what is queried (metrics-reports.ts), the answers
 * (run-metrics-query.ts).
 *
 * 1. Long queries run one at a time, so that short queries, of metrics and of others, find a free thread.
 * 2. The time in the queue counts towards the time limit. A query that its client has given up does not run.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { ReaderTasks, type ReaderTasksDeps } from '../readers/reader-tasks.js'
import { nowMs } from '../readers/task-frame.js'
import type { MetricsAnswers, MetricsQuery } from './metrics-query.js'

/** A query of one kind. */
export type MetricsQueryOf<K extends keyof MetricsAnswers> = MetricsQuery & { readonly kind: K }

export class MetricsDispatcher {
  readonly #tasks: ReaderTasks
  #queue: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(deps: ReaderTasksDeps) {
    this.#tasks = new ReaderTasks(deps)
  }

  /** Runs a short query, for `forMs` milliseconds at most. Rejects with queries_busy, query_timeout, draining. */
  async ask<K extends keyof MetricsAnswers>(
    query: MetricsQueryOf<K>,
    forMs: number,
    gone?: AbortSignal,
  ): Promise<MetricsAnswers[K]> {
    const { answer } = await this.#tasks.ask('metrics', { query }, forMs, gone)
    // The thread answers with the type that the query names.
    return answer as MetricsAnswers[K]
  }

  /** Queues a client's long query. Rejects likewise, and with queries_busy where too many wait. */
  async askLong<K extends keyof MetricsAnswers>(
    query: MetricsQueryOf<K>,
    forMs: number,
    gone?: AbortSignal,
  ): Promise<MetricsAnswers[K]> {
    if (this.#waiting >= limits.metricsQueriesMax) {
      throw new Refusal('queries_busy', 'too many metrics queries are waiting; try again shortly')
    }
    return await this.runLong(query, forMs, gone)
  }

  /** Queues a long query of the service itself, which has one at a time. Rejects as `ask`. */
  async runLong<K extends keyof MetricsAnswers>(
    query: MetricsQueryOf<K>,
    forMs: number,
    gone?: AbortSignal,
  ): Promise<MetricsAnswers[K]> {
    this.#tasks.mustBeOpen()
    const until = nowMs() + forMs
    const work = (): Promise<MetricsAnswers[K]> => this.ask(query, until - nowMs(), gone)
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => {})
    this.#waiting++
    return await done.finally(() => this.#waiting--)
  }

  /** Gives up running queries and refuses new ones. */
  close(): void {
    this.#tasks.close()
  }
}

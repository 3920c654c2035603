/**
 * Questions about metrics on their way to a reader thread.
 *
 * Owns: the lane of what may take long. Leaves out: what is asked (metrics-reports.ts), the answers (run-metrics-query.ts).
 *
 * 1. What may take long runs one by one, so that short questions, of metrics and of others, find a thread.
 * 2. Time runs while a question waits, too; one that nobody waits for any more does not run.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { MetricsAnswers, MetricsQuery } from './metrics-query.js'
import { ReaderTasks, type ReaderTasksDeps } from '../readers/reader-tasks.js'
import { nowMs } from '../readers/task-frame.js'

/** A question of one kind. */
export type MetricsQueryOf<K extends keyof MetricsAnswers> = MetricsQuery & { readonly kind: K }

export class MetricsDispatcher {
  readonly #tasks: ReaderTasks
  #lane: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(deps: ReaderTasksDeps) {
    this.#tasks = new ReaderTasks(deps)
  }

  /** What is answered at once. Rejects with queries_busy, query_timeout, draining. */
  async ask<K extends keyof MetricsAnswers>(
    query: MetricsQueryOf<K>,
    forMs: number,
    gone?: AbortSignal,
  ): Promise<MetricsAnswers[K]> {
    const { answer } = await this.#tasks.ask('metrics', { query }, forMs, gone)
    // The thread answers what it was asked.
    return answer as MetricsAnswers[K]
  }

  /** What may take long, of a client. Rejects likewise. */
  async askLong<K extends keyof MetricsAnswers>(
    query: MetricsQueryOf<K>,
    forMs: number,
    gone?: AbortSignal,
  ): Promise<MetricsAnswers[K]> {
    if (this.#waiting >= limits.metricsQueriesMax) {
      throw new Refusal('queries_busy', 'too many questions about metrics are waiting; try again shortly')
    }
    return await this.runLong(query, forMs, gone)
  }

  /** The same, of the service itself, which asks for one thing at a time. */
  async runLong<K extends keyof MetricsAnswers>(
    query: MetricsQueryOf<K>,
    forMs: number,
    gone?: AbortSignal,
  ): Promise<MetricsAnswers[K]> {
    this.#tasks.mustBeOpen()
    const until = nowMs() + forMs
    const work = (): Promise<MetricsAnswers[K]> => this.ask(query, until - nowMs(), gone)
    const done = this.#lane.then(work)
    this.#lane = done.catch(() => {})
    this.#waiting++
    return await done.finally(() => this.#waiting--)
  }

  /** Gives up what runs; what is asked from now on is refused. */
  close(): void {
    this.#tasks.close()
  }
}

/**
 * Queries on reader threads. One is given up when its time is over, its caller has gone, or the service ends.
 *
 * Owns: when a query is given up. Leaves out: the fields that every query carries (task-frame.ts), the queries and
 * answers (reader-protocol.ts), how many wait (reader-threads.ts).
 *
 * 1. Time also runs while a query waits for a thread.
 */
import { Refusal } from '../../errors.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import type { ReaderQueries } from './reader-protocol.js'
import type { ReaderThreads } from './reader-threads.js'
import { CancelCell, isRefused, nowMs, type RefusedTask, type TaskFrame } from './task-frame.js'

/** The queries that carry a TaskFrame. */
type TaskKind = {
  [K in keyof ReaderQueries]: ReaderQueries[K]['given'] extends { readonly task: TaskFrame } ? K : never
}[keyof ReaderQueries]
type TaskOf<K extends TaskKind> = ReaderQueries[K]['given']['task']

export interface ReaderTasksDeps {
  readonly serviceNames: readonly string[]
  readonly readers: Pick<ReaderThreads, 'ask'>
  readonly clock: Pick<IngestClock, 'nowMicros' | 'systemMicros'>
}

export class ReaderTasks {
  readonly #deps: ReaderTasksDeps
  readonly #running = new Set<CancelCell>()
  #closed = false

  constructor(deps: ReaderTasksDeps) {
    this.#deps = deps
  }

  /**
   * The answer. The query is given up after `forMs` milliseconds, or once `gone` is aborted. Rejects with queries_busy,
   * draining, and the refusal of the answer.
   */
  async ask<K extends TaskKind>(
    kind: K,
    query: Omit<TaskOf<K>, keyof TaskFrame>,
    forMs: number,
    gone?: AbortSignal,
  ): Promise<Exclude<ReaderQueries[K]['answer'], RefusedTask>> {
    this.mustBeOpen()
    if (gone?.aborted === true) throw new Refusal('query_timeout', 'the query was given up')
    const cell = new CancelCell()
    const cancel = (): void => cell.cancel()
    this.#running.add(cell)
    gone?.addEventListener('abort', cancel, { once: true })
    try {
      const { serviceNames, readers, clock } = this.#deps
      const frame: TaskFrame = {
        serviceNames,
        nowMicros: clock.nowMicros(),
        clockMicros: clock.systemMicros,
        deadlineMs: nowMs() + forMs,
        cancelled: cell.memory,
      }
      const result: unknown = await readers.ask(kind, {
        task: { ...frame, ...query },
      } as unknown as ReaderQueries[K]['given'])
      if (isRefused(result)) throw new Refusal(result.refused.code, result.refused.message, result.refused.context)
      return result as Exclude<ReaderQueries[K]['answer'], RefusedTask>
    } catch (error) {
      // Where the service ends, that is the reason: the query was given up, or lost its thread.
      this.mustBeOpen()
      throw error
    } finally {
      this.#running.delete(cell)
      gone?.removeEventListener('abort', cancel)
    }
  }

  /** @throws Refusal draining. */
  mustBeOpen(): void {
    if (this.#closed) throw new Refusal('draining', 'the service is shutting down')
  }

  /** Gives up running queries, and refuses new ones. */
  close(): void {
    this.#closed = true
    for (const cell of this.#running) cell.cancel()
  }
}

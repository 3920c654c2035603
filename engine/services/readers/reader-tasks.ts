/**
 * Questions on reader threads that are given up when their time is over, nobody waits for them, or the service ends.
 *
 * Owns: when a query is given up. Leaves out: what goes with it to the thread (task-frame.ts), what is asked and answered,
 * how many wait (threads.ts).
 *
 * 1. Time runs while a question waits for a thread, too.
 */
import type { Clock } from '../../clock.js'
import { Refusal } from '../../errors.js'
import type { ReaderQueries } from './reader-queries.js'
import type { ReaderThreads } from './reader-threads.js'
import { CancelCell, isRefused, nowMs, type Refused, type TaskFrame } from './task-frame.js'

/** What may be asked so. */
type TaskKind = {
  [K in keyof ReaderQueries]: ReaderQueries[K]['given'] extends { readonly task: TaskFrame } ? K : never
}[keyof ReaderQueries]
type TaskOf<K extends TaskKind> = ReaderQueries[K]['given']['task']

export interface ReaderTasksDeps {
  readonly serviceNames: readonly string[]
  readonly readers: ReaderThreads
  readonly clock: Clock
}

export class ReaderTasks {
  readonly #deps: ReaderTasksDeps
  readonly #running = new Set<CancelCell>()
  #closed = false

  constructor(deps: ReaderTasksDeps) {
    this.#deps = deps
  }

  /** Asks. Rejects with queries_busy, draining, and what the answer was refused with; given up once `gone` is aborted. */
  async ask<K extends TaskKind>(
    kind: K,
    query: Omit<TaskOf<K>, keyof TaskFrame>,
    forMs: number,
    gone?: AbortSignal,
  ): Promise<Exclude<ReaderQueries[K]['answer'], Refused>> {
    this.mustBeOpen()
    if (gone?.aborted === true) throw new Refusal('query_timeout', 'the question was given up')
    const cell = new CancelCell()
    const cancel = (): void => cell.cancel()
    this.#running.add(cell)
    gone?.addEventListener('abort', cancel, { once: true })
    try {
      const { serviceNames, readers, clock } = this.#deps
      const frame: TaskFrame = {
        serviceNames,
        nowMicros: clock.nowMicros(),
        deadlineMs: nowMs() + forMs,
        cancelled: cell.memory,
      }
      const result: unknown = await readers.ask(kind, {
        task: { ...frame, ...query },
      } as unknown as ReaderQueries[K]['given'])
      if (isRefused(result)) throw new Refusal(result.refused.code, result.refused.message, result.refused.context)
      return result as Exclude<ReaderQueries[K]['answer'], Refused>
    } catch (error) {
      // What was given up, or lost its thread, because of that.
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

  /** Gives up what runs; what is asked from now on is refused. */
  close(): void {
    this.#closed = true
    for (const cell of this.#running) cell.cancel()
  }
}

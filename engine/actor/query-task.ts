/** A query as plain data: what a reader thread gets, and what it gives back. */
import type { RefusalCode, RefusalContext } from '../errors.js'
import type { JobSettings } from '../job/job.js'
import type { EventsQuestion, SearchQuestion } from './queries-service.js'

/** What a query knows of a job. */
export type QueriedJob = Pick<JobSettings, 'id' | 'shard' | 'title' | 'labels' | 'decisionPoints'>

export type QueryAsked =
  | { readonly kind: 'events'; readonly question: EventsQuestion }
  | { readonly kind: 'search'; readonly question: SearchQuestion }
  | { readonly kind: 'fields' }
  | { readonly kind: 'fieldTypes' }

export interface QueryTask {
  /** The configured name first, the neutral one behind it. */
  readonly serviceNames: readonly string[]
  readonly jobs: readonly QueriedJob[]
  readonly asked: QueryAsked
  /** What time it is to the question. */
  readonly nowMicros: number
  /** Until when it may run, milliseconds since 1970. */
  readonly deadlineMs: number
  readonly cancelled: SharedArrayBuffer
}

export type QueryResult =
  | { readonly json: Uint8Array }
  | { readonly refused: { readonly code: RefusalCode; readonly message: string; readonly context: RefusalContext } }

/** A shared cell through which a query hears that nobody waits for it any more. */
export class CancelCell {
  readonly memory: SharedArrayBuffer
  readonly #cell: Int32Array

  constructor(memory = new SharedArrayBuffer(4)) {
    this.memory = memory
    this.#cell = new Int32Array(memory)
  }

  cancel(): void {
    Atomics.store(this.#cell, 0, 1)
  }

  get isCancelled(): boolean {
    return Atomics.load(this.#cell, 0) === 1
  }
}

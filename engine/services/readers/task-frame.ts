/**
 * What every query on a reader thread carries: names, time, time limit and cancellation. It also defines how a refusal
 * comes back.
 *
 * Owns: the frame and its clock, refusals as data. Leaves out: sending the query and waiting for it (reader-tasks.ts).
 */
import { isRefusal, type RefusalCode, type RefusalContext } from '../../errors.js'

/** What every query carries beside its own fields. */
export interface TaskFrame {
  /** SERVICE_NAME, then the neutral name. */
  readonly serviceNames: readonly string[]
  /** The time that the query takes as now. */
  readonly nowMicros: number
  /** The system's clock. It is behind `nowMicros` where it was set back. */
  readonly clockMicros: number
  /** When its time is over, milliseconds since 1970. */
  readonly deadlineMs: number
  readonly cancelled: SharedArrayBuffer
}

/** A refusal as data: an error loses its class and code when it crosses threads. */
export interface RefusedTask {
  readonly refused: { readonly code: RefusalCode; readonly message: string; readonly context: RefusalContext }
}

/** A shared cell through which a query learns that it is cancelled. */
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

/** How long a query may run. */
export interface TaskClock {
  /** Milliseconds since 1970, as `deadlineMs`. */
  nowMs(): number
  readonly deadlineMs: number
  readonly cancelled: CancelCell
}

export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

/** The clock of a task, on its thread. */
export function clockOf({ deadlineMs, cancelled }: TaskFrame): TaskClock {
  return { nowMs, deadlineMs, cancelled: new CancelCell(cancelled) }
}

/** The result of the work, or its refusal as data. Any other error is a bug and is thrown. */
export function refusedAsData<T>(work: () => T): T | RefusedTask {
  try {
    return work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { refused: { code: error.code, message: error.message, context: error.context } }
  }
}

export function isRefused(result: unknown): result is RefusedTask {
  return typeof result === 'object' && result !== null && 'refused' in result
}

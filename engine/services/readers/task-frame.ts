/**
 * What each query on a reader thread carries beside what is asked: its time limit, its cancellation, and its refusal.
 *
 * Owns: the frame and its clock, refusals as data. Leaves out: sending the query and waiting for it (reader-tasks.ts).
 */
import { isRefusal, type RefusalCode, type RefusalContext } from '../../errors.js'

/** What every query carries beside what is asked. */
export interface TaskFrame {
  /** The configured name first, the neutral one behind it. */
  readonly serviceNames: readonly string[]
  /** What time it is to the question. */
  readonly nowMicros: number
  /** Until when it may run, milliseconds since 1970. */
  readonly deadlineMs: number
  readonly cancelled: SharedArrayBuffer
}

/** A refusal as data: a thread's boundary takes class and code from an error. */
export interface Refused {
  readonly refused: { readonly code: RefusalCode; readonly message: string; readonly context: RefusalContext }
}

/** A shared cell through which a question hears that nobody waits for it any more. */
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

/** Until when a question may run. */
export interface TaskClock {
  /** Milliseconds, of the same clock. */
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

/** What the work gives back, or the refusal that it ended with, as data; anything else is a bug and throws. */
export function refusedAsData<T>(work: () => T): T | Refused {
  try {
    return work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { refused: { code: error.code, message: error.message, context: error.context } }
  }
}

export function isRefused(result: unknown): result is Refused {
  return typeof result === 'object' && result !== null && 'refused' in result
}

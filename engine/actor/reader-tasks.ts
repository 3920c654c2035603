/**
 * Questions on reader threads that are given up when their time is over, nobody waits for them, or the service ends.
 *
 * Owns: time, giving up, refusals across threads. Leaves out: what is asked and answered, how many wait (threads.ts).
 *
 * 1. Time runs while a question waits for a thread, too.
 */
import type { Clock } from '../clock.js'
import { isRefusal, Refusal } from '../errors.js'
import type { RefusalCode, RefusalContext } from '../errors.js'
import type { Questions } from './questions.js'
import type { ReaderThreads } from './helper-threads.js'

/** What every such question says beside what is asked. */
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

/** What may be asked so. */
type TaskKind = {
  [K in keyof Questions]: Questions[K]['given'] extends { readonly task: TaskFrame } ? K : never
}[keyof Questions]
type TaskOf<K extends TaskKind> = Questions[K]['given']['task']

export interface ReaderTasksParts {
  readonly serviceNames: readonly string[]
  readonly readers: ReaderThreads
}

export class ReaderTasks {
  readonly #parts: ReaderTasksParts
  readonly #clock: Clock
  readonly #running = new Set<CancelCell>()
  #closed = false

  constructor(parts: ReaderTasksParts, clock: Clock) {
    this.#parts = parts
    this.#clock = clock
  }

  /** Asks. Rejects with queries_busy, draining, and what the answer was refused with; given up once `gone` is aborted. */
  async ask<K extends TaskKind>(
    kind: K,
    asked: Omit<TaskOf<K>, keyof TaskFrame>,
    forMs: number,
    gone?: AbortSignal,
  ): Promise<Exclude<Questions[K]['answer'], Refused>> {
    this.mustBeOpen()
    if (gone?.aborted === true) throw new Refusal('query_timeout', 'the question was given up')
    const cell = new CancelCell()
    const cancel = (): void => cell.cancel()
    this.#running.add(cell)
    gone?.addEventListener('abort', cancel, { once: true })
    try {
      const { serviceNames, readers } = this.#parts
      const frame: TaskFrame = {
        serviceNames,
        nowMicros: this.#clock.nowMicros(),
        deadlineMs: nowMs() + forMs,
        cancelled: cell.memory,
      }
      const result: unknown = await readers.ask(kind, {
        task: { ...frame, ...asked },
      } as unknown as Questions[K]['given'])
      if (isRefused(result)) throw new Refusal(result.refused.code, result.refused.message, result.refused.context)
      return result as Exclude<Questions[K]['answer'], Refused>
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

function isRefused(result: unknown): result is Refused {
  return typeof result === 'object' && result !== null && 'refused' in result
}

/** A replay as plain data: what its thread gets, and what it returns. */
import type { JobSettings } from '../../domain/job/job.js'
import type { ReplayReportRow, ReplayTerms } from '../../store/replay-row.js'

export interface ReplayTask {
  readonly dataDir: string
  readonly job: JobSettings
  readonly terms: ReplayTerms
  /** SERVICE_NAME, then the neutral name. */
  readonly serviceNames: readonly string[]
  readonly nowMicros: number
  readonly signals: SharedArrayBuffer
}

/** Null: it was cancelled. */
export type ReplayResult = ReplayReportRow | null

/** Shared cells: a replay reports its progress, and learns that it is cancelled, or that others wait for a core. */
export class ReplaySignals {
  readonly memory: SharedArrayBuffer
  readonly #cells: Int32Array

  constructor(memory = new SharedArrayBuffer(16)) {
    this.memory = memory
    this.#cells = new Int32Array(memory)
  }

  report(done: number): void {
    Atomics.store(this.#cells, 0, Math.round(done * 1000))
  }

  /** 0 to 100. */
  get percent(): number {
    return Math.min(99, Math.floor(Atomics.load(this.#cells, 0) / 10))
  }

  cancel(): void {
    Atomics.store(this.#cells, 1, 1)
  }

  get isCancelled(): boolean {
    return Atomics.load(this.#cells, 1) === 1
  }

  /** Messages wait for the shards, so the replay rests three times as long as it works. */
  setBusy(isBusy: boolean): void {
    Atomics.store(this.#cells, 2, Number(isBusy))
  }

  get isBusy(): boolean {
    return Atomics.load(this.#cells, 2) === 1
  }

  /** Sleeps. Called by the thread of the replay. */
  rest(ms: number): void {
    Atomics.wait(this.#cells, 3, 0, ms)
  }
}

/**
 * The committing thread beside one shard thread, as the main thread sees it. It starts with the first large turn.
 *
 * Owns: the life of the thread, and who waits for which commit. Leaves out: how turns are handed over (commit-slot.ts).
 */
import { CommitSlot, type CommitReport, type CommitTask } from '../../actor/commit-slot.js'
import { within } from '../within.js'

/** Reports kept for each shard until they are waited for. They never are if the shard's thread died meanwhile. */
const REPORTS_KEPT = 4

/** How long to wait for a starting thread before it is ended. */
export const START_MS = 5_000

/** Runs the task until the slot ends it, and calls `report` after each commit. */
export type RunCommits = (task: CommitTask, report: (report: CommitReport) => void) => Promise<void>

interface Waiting {
  readonly place: number
  resolve(report: CommitReport): void
  reject(error: unknown): void
}

export class Commits {
  readonly #dataDir: string
  readonly #run: RunCommits
  readonly #died: (error: unknown) => void
  readonly #slot = new CommitSlot(CommitSlot.memory())
  /** By shard: who waits, and reports that were not waited for yet. */
  readonly #waiting = new Map<number, Waiting[]>()
  readonly #reports = new Map<number, CommitReport[]>()
  #running: Promise<void> | null = null
  /** How often the thread has died. */
  deaths = 0

  constructor(dataDir: string, run: RunCommits, died: (error: unknown) => void) {
    this.#dataDir = dataDir
    this.#run = run
    this.#died = died
  }

  /** The memory of the slot, for the shard thread. */
  get memory(): SharedArrayBuffer {
    return this.#slot.memory
  }

  /** A large turn is coming: starts the thread, if it does not run. */
  expect(): void {
    const task = { dataDir: this.#dataDir, slot: this.#slot.memory }
    this.#running ??= this.#run(task, (report) => this.#take(report)).catch((error: unknown) => this.#lose(error))
  }

  /**
   * The commit of a turn that was handed over. Rejects where its outcome is unknown, because the thread died since
   * `deaths`.
   */
  of(shard: number, place: number, deaths: number): Promise<CommitReport> {
    const report = this.#reports.get(shard)?.find((one) => one.place === place)
    if (report !== undefined) return Promise.resolve(report)
    if (deaths !== this.deaths) return Promise.reject(new Error('the committing thread died'))
    return new Promise((resolve, reject) =>
      this.#waiting.set(shard, [...(this.#waiting.get(shard) ?? []), { place, resolve, reject }]),
    )
  }

  #take(report: CommitReport): void {
    const { shard, place } = report
    const waiting = this.#waiting.get(shard) ?? []
    const first = waiting.find((one) => one.place === place)
    if (first === undefined) {
      this.#reports.set(shard, [...(this.#reports.get(shard) ?? []), report].slice(-REPORTS_KEPT))
      return
    }
    this.#waiting.set(
      shard,
      waiting.filter((one) => one !== first),
    )
    first.resolve(report)
  }

  #lose(error: unknown): void {
    this.deaths++
    this.#running = null
    this.#slot.abandon()
    for (const { reject } of [...this.#waiting.values()].flat()) reject(error)
    this.#waiting.clear()
    this.#died(new Error('it was a committing thread', { cause: error }))
  }

  /** Ends the thread until the next large turn. No turn may be under way. */
  async rest(): Promise<void> {
    const running = this.#running
    if (running === null || !this.#slot.isServed) return
    this.#slot.end()
    await running
    this.#slot.abandon()
    this.#running = null
  }

  /** Ends the thread. No commit may be under way. */
  async close(): Promise<void> {
    if (this.#running === null) return
    this.#slot.end()
    // A thread that never started never ends.
    await within(START_MS, this.#running).catch(() => {})
  }
}

/**
 * The committing thread beside one shard thread, as the main thread sees it. It starts with the first large turn.
 *
 * Owns: when the thread lives, and who waits for which commit. Leaves out: how turns are handed over (commit-slot.ts).
 */
import { CommitSlot, type CommitReport, type CommitTask } from '../../actor/commit-slot.js'
import { within } from '../threads/within.js'

/** Reports kept for each shard until somebody waits for them. Nobody does where the shard's thread has died meanwhile. */
const REPORTS_KEPT = 4

/** How long to wait for a thread that is starting before it is ended. */
export const START_MS = 5_000

/** Runs the task, which ends when the slot says so; `report` is called after each commit. */
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
  /** By shard: who waits, and reports that nobody has waited for yet. */
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

  /** For the shard thread. */
  get memory(): SharedArrayBuffer {
    return this.#slot.memory
  }

  /** A large turn is on its way: the thread will be needed. */
  expect(): void {
    const task = { dataDir: this.#dataDir, slot: this.#slot.memory }
    this.#running ??= this.#run(task, (report) => this.#take(report)).catch((error: unknown) => this.#lose(error))
  }

  /** What became of a turn that was handed over. Rejects where nobody knows: the thread has died since `deaths`. */
  of(shard: number, place: number, deaths: number): Promise<CommitReport> {
    const report = this.#reports.get(shard)?.find((one) => one.place === place)
    if (report !== undefined) return Promise.resolve(report)
    if (deaths !== this.deaths) return Promise.reject(new Error('a thread that commits died'))
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
    this.#died(new Error('it committed what others had decided', { cause: error }))
  }

  /** Ends the thread. Nothing may be under way. */
  async close(): Promise<void> {
    if (this.#running === null) return
    this.#slot.end()
    // A thread that never started does not end either.
    await within(START_MS, this.#running).catch(() => {})
  }
}

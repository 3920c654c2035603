/**
 * The committing threads as the main thread sees them: one beside each shard thread, from the first large turn on.
 *
 * Owns: when such a thread lives, and who waits for which commit. Leaves out: how turns are handed over (commit-slot.ts).
 */
import type { RefusalExtra } from './message.js'
import { CommitSlot } from './commit-slot.js'
import type { CommitTask } from './commit-thread.js'
import { within } from './within.js'

/** What is said of each commit: milliseconds that it took, or why nothing was written. */
export interface CommitSaid {
  readonly shard: number
  readonly place: number
  readonly flushMs?: number
  readonly refusal?: RefusalExtra
}

/** A turn of each shard at most is committed while the next is decided; its shard's thread may have died meanwhile, and nobody ask. */
const SAID_KEPT = 4

/** How long a thread that is only starting is waited for before it is ended. */
export const START_MS = 5_000

/** Runs the task that ends when the slot says so; `said` is told of each commit. */
export type RunCommits = (task: CommitTask, said: (said: CommitSaid) => void) => Promise<void>

interface Waiting {
  readonly place: number
  resolve(said: CommitSaid): void
  reject(error: unknown): void
}

export class Commits {
  readonly #dataDir: string
  readonly #run: RunCommits
  readonly #died: (error: unknown) => void
  readonly #slot = new CommitSlot(CommitSlot.memory())
  /** By shard: who waits, and what was said before somebody did. */
  readonly #waiting = new Map<number, Waiting[]>()
  readonly #said = new Map<number, CommitSaid[]>()
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

  /** Large turns come: a thread will soon take their commits. */
  expect(): void {
    this.#running ??= this.#run({ dataDir: this.#dataDir, slot: this.#slot.memory }, (said) => this.#hear(said)).catch(
      (error: unknown) => this.#lose(error),
    )
  }

  /** What became of a turn that was handed over. Rejects where nobody can say: the thread died since `deaths`. */
  of(shard: number, place: number, deaths: number): Promise<CommitSaid> {
    const said = this.#said.get(shard)?.find((one) => one.place === place)
    if (said !== undefined) return Promise.resolve(said)
    if (deaths !== this.deaths) return Promise.reject(new Error('a thread that commits died'))
    return new Promise((resolve, reject) =>
      this.#waiting.set(shard, [...(this.#waiting.get(shard) ?? []), { place, resolve, reject }]),
    )
  }

  #hear(said: CommitSaid): void {
    const waiting = this.#waiting.get(said.shard) ?? []
    const one = waiting.find(({ place }) => place === said.place)
    if (one === undefined)
      return void this.#said.set(said.shard, [...(this.#said.get(said.shard) ?? []), said].slice(-SAID_KEPT))
    this.#waiting.set(
      said.shard,
      waiting.filter((other) => other !== one),
    )
    one.resolve(said)
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
    // One that never came up does not end either.
    await within(START_MS, this.#running).catch(() => {})
  }
}

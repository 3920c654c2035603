/**
 * The thread of one shard as its mailbox knows it: its turns, and whether it has opened the shard.
 *
 * Owns: the turns that have begun and are not over, in order; results that came early; the settings that the thread
 * has.
 * Leaves out: when a turn begins, and telling results (mailbox.ts).
 *
 * 1. Results are taken in the order of the turns. A turn that another thread commits may end after the turn behind it.
 * 2. A turn brings only settings that the thread lacks, and never older ones than the thread had.
 */
import type { JobSettings } from '../../domain/job/job.js'
import type { TurnResult, TurnTask } from '../../actor/turn-task.js'
import type { Turn } from '../turn/turn.js'

/** A turn that came back with a result. */
export interface FinishedTurn {
  readonly turn: Turn
  readonly result: TurnResult
  /** Milliseconds since it began. */
  readonly ms: number
}

export class ThreadState {
  /** Turns that have begun and are not over. */
  readonly #turns: Turn[] = []
  /** Those of them that run or wait on the thread. The others are only being committed. */
  readonly #deciding = new Set<Turn>()
  readonly #finished = new Map<Turn, FinishedTurn>()
  /** By job: the latest settings that any turn began with, and the revision that the thread has. */
  readonly #settings = new Map<number, JobSettings>()
  readonly #revisions = new Map<number, number>()
  #place = 0
  #isOpen = false

  /** Turns that have begun and are not over. */
  get count(): number {
    return this.#turns.length
  }

  /** Those of them that run or wait on the thread. The others are only being committed. */
  get deciding(): number {
    return this.#deciding.size
  }

  /** The thread has opened the shard, or a turn that has begun will. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The turn goes to the thread. Returns what the thread has to be told with it. */
  begin(turn: Turn): Pick<TurnTask, 'place' | 'opens' | 'settings'> {
    const settings = this.#lacking(turn.jobs().values())
    const opens = !this.#isOpen
    this.#isOpen = true
    this.#turns.push(turn)
    this.#deciding.add(turn)
    return { place: ++this.#place, opens, settings }
  }

  /** The thread is done with the turn; false where that was known. */
  decided(turn: Turn): boolean {
    return this.#deciding.delete(turn)
  }

  finished(finished: FinishedTurn): void {
    this.#finished.set(finished.turn, finished)
  }

  /** Takes the first turn if it has finished; otherwise null. */
  takeFirst(): FinishedTurn | null {
    const [turn] = this.#turns
    const finished = turn === undefined ? undefined : this.#finished.get(turn)
    if (turn === undefined || finished === undefined) return null
    this.#finished.delete(turn)
    this.#turns.shift()
    return finished
  }

  /** The turn has failed. */
  remove(turn: Turn): void {
    this.#turns.splice(this.#turns.indexOf(turn), 1)
  }

  /** The thread's state of the shard is void: the next turn opens the shard. */
  reset(): void {
    this.#isOpen = false
    this.#revisions.clear()
  }

  /** The latest settings of these jobs that the thread lacks. It has them from now on. */
  #lacking(jobs: Iterable<JobSettings>): JobSettings[] {
    const lacking: JobSettings[] = []
    for (const job of jobs) {
      const before = this.#settings.get(job.id)
      const latest = before === undefined || before.revision < job.revision ? job : before
      if ((this.#revisions.get(job.id) ?? -1) >= latest.revision) continue
      this.#settings.set(job.id, latest)
      this.#revisions.set(job.id, latest.revision)
      lacking.push(latest)
    }
    return lacking
  }
}

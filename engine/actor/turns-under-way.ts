/**
 * The turns of one mailbox that were started and are not over, in order.
 *
 * Owns: which of them the shard's thread has, and results that came before those of earlier turns. Leaves out: starting them, telling
 * (mailbox.ts).
 *
 * 1. Results are taken in the order of the turns: one that another thread commits may come behind that of the next.
 */
import type { TurnResult } from './turn-task.js'
import type { Turn } from './turn.js'

/** What a turn came back with, after so many milliseconds. */
export interface Come {
  readonly turn: Turn
  readonly result: TurnResult
  readonly ms: number
}

export class TurnsUnderWay {
  readonly #turns: Turn[] = []
  readonly #deciding = new Set<Turn>()
  readonly #come = new Map<Turn, Come>()

  get count(): number {
    return this.#turns.length
  }

  /** Those that are with the thread, or wait at its door; the others are being committed. */
  get deciding(): number {
    return this.#deciding.size
  }

  add(turn: Turn): void {
    this.#turns.push(turn)
    this.#deciding.add(turn)
  }

  /** The thread is done with it; false where that is known. */
  decided(turn: Turn): boolean {
    return this.#deciding.delete(turn)
  }

  came(come: Come): void {
    this.#come.set(come.turn, come)
  }

  /** The result of the first turn, which is over then; null where it has not come. */
  takeFirst(): Come | null {
    const [turn] = this.#turns
    const come = turn === undefined ? undefined : this.#come.get(turn)
    if (turn === undefined || come === undefined) return null
    this.#come.delete(turn)
    this.#turns.shift()
    return come
  }

  /** It failed. */
  remove(turn: Turn): void {
    this.#turns.splice(this.#turns.indexOf(turn), 1)
  }
}

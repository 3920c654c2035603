/** Empty turns of the shards of one thread, whose memory is used again; the one that was used last comes first. */
import { limits } from '../../limits.js'
import { Turn } from './turn.js'

export class SpareTurns {
  readonly #turns: Turn[] = []

  get count(): number {
    return this.#turns.length
  }

  /** An empty turn with room for a message of so many bytes. */
  take(bytes: number): Turn {
    const spare = this.#turns.pop()
    return spare?.fits(bytes) === true ? spare : new Turn(Math.max(bytes, limits.turnBytesMax))
  }

  /** The turn is over. */
  put(turn: Turn): void {
    turn.clear()
    if (turn.isReusable && this.#turns.length < limits.spareTurnsMax) this.#turns.push(turn)
  }

  forget(): void {
    this.#turns.length = 0
  }
}

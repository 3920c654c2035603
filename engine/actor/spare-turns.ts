/** Empty turns of one mailbox, whose memory is used again. */
import { limits } from '../limits.js'
import { Turn } from './turn.js'

export class SpareTurns {
  readonly #turns: Turn[] = []

  /** An empty turn with room for a message of so many bytes. */
  take(bytes: number): Turn {
    const spare = this.#turns.pop()
    return spare?.fits(bytes) === true ? spare : new Turn(Math.max(bytes, limits.turnBytesMax))
  }

  /** Nobody waits for the turn any more. */
  keep(turn: Turn): void {
    turn.clear()
    if (turn.isReusable && this.#turns.length < limits.spareTurnsMax) this.#turns.push(turn)
  }
}

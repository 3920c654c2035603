/** Turns of one mailbox that failed, until they run again: which are to blame, and what is done with those. */
import { limits } from '../limits.js'
import type { Turn } from './turn.js'

export class FailedTurns {
  readonly #turns: Turn[] = []

  get count(): number {
    return this.#turns.length
  }

  add(turn: Turn): void {
    this.#turns.push(turn)
  }

  /** Takes them all: those that run again, in order, and those that are given up. One that keeps failing is run message by message first. */
  take(): { readonly again: Turn[]; readonly givenUp: Turn[] } {
    const [again, givenUp]: [Turn[], Turn[]] = [[], []]
    for (const turn of this.#turns.splice(0).sort((a, b) => a.place - b.place)) {
      // Turned away because an earlier one failed, waiting when the thread died, or committed already: not to blame.
      if (!turn.failed()) again.push(turn)
      else if (++turn.attempts < limits.turnAttemptsMax) again.push(turn)
      else if (turn.count > 1) again.push(...turn.split())
      else givenUp.push(turn)
    }
    return { again, givenUp }
  }
}

/**
 * What becomes of turns where another writer has begun.
 *
 * Owns: how long they wait for the shard's next owner, and what they are refused with after that. Leaves out: how it is
 * noticed (logged-turns.ts), who the next owner is (services/cluster/owners/).
 *
 * 1. A shard is left soon after that (spread/seat.ts). Until then turns are turned away: the mailbox runs them again,
 *    and then at the next owner. Where nobody leaves the shard, they are refused at once.
 */
import { Refusal } from '../../errors.js'
import type { TurnResult, Unresolved } from '../../actor/turn-task.js'

/** Milliseconds until the shard has to be left; until a turn that was turned away runs again. */
const [LEAVE_MS, AGAIN_MS] = [5_000, 25]
/** Seconds after which a client should try again. */
const RETRY_AFTER_SECONDS = 5

export interface TurnedAway extends TurnResult {
  readonly turnedAway: true
}

/** The turn runs again, behind what has to come first. `unclearAt`: the log may have it. */
export const turnedAway: TurnedAway = { extras: [], turnedAway: true }
export const unclearAt = (mayBeLogged: Unresolved): TurnedAway => ({ ...turnedAway, mayBeLogged })

export class Fence {
  readonly #noticed: (() => void) | undefined
  readonly #leaveMs: number
  /** When it was noticed, milliseconds of this process; null: no other writer has begun. */
  #sinceMs: number | null = null

  /** `noticed` is told once, and leaves the shard; absent: nobody does. */
  constructor(noticed?: () => void, leaveMs = LEAVE_MS) {
    this.#noticed = noticed
    this.#leaveMs = leaveMs
  }

  /** Another writer has begun. */
  get isClosed(): boolean {
    return this.#sinceMs !== null
  }

  /** The same, and the shard is about to be left. */
  get isBeingLeft(): boolean {
    return this.#noticed !== undefined && this.#sinceMs !== null && performance.now() < this.#sinceMs + this.#leaveMs
  }

  close(): void {
    if (this.#sinceMs !== null) return
    this.#sinceMs = performance.now()
    this.#noticed?.()
  }

  /** A turn that comes while the shard is being left. The thread does nothing for it. */
  async turnAway(decided: () => void): Promise<TurnedAway> {
    decided()
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    return turnedAway
  }
}

/** What a turn is refused with that the log may have. */
export function unavailable(details: string): Refusal {
  const context = { details, retryAfterSeconds: RETRY_AFTER_SECONDS }
  return new Refusal('log_unavailable', 'the log does not answer; the request may take effect; try again', context)
}

export function fenced(): Refusal {
  const context = { retryAfterSeconds: RETRY_AFTER_SECONDS }
  return new Refusal('log_unavailable', 'another process writes this shard now; try again', context)
}

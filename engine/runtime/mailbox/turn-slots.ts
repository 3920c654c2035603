/**
 * The turn slots of one shard thread: how many turns it has at once, over all its shards.
 *
 * A turn that waits on a busy thread takes in no more messages. Where one thread owns several busy shards, turns would
 * be small, and each costs a flush. So messages wait in their mailbox until there is a slot.
 *
 * 1. Slots are granted in the order in which they were requested.
 */
import { assert } from '../../assert.js'
import { limits } from '../../limits.js'
import { SpareTurns } from '../turn/spare-turns.js'

/** Takes the slot that it waited for; false where it does not need one any more. */
type OnSlot = () => boolean

export class TurnSlots {
  /** Empty turns of the thread's shards. */
  readonly spares = new SpareTurns()
  #taken = 0
  readonly #waiting = new Set<OnSlot>()

  /** Takes a slot. If there is none, returns false and calls `onSlot` once when there is one. */
  acquire(onSlot: OnSlot): boolean {
    if (this.#taken >= limits.turnsUnderWayMax || this.#waiting.size > 0) {
      this.#waiting.add(onSlot)
      return false
    }
    this.#taken++
    return true
  }

  /** True where others have slots or wait for them; the caller has `own` slots. */
  isShared(own: number): boolean {
    return this.#taken + this.#waiting.size > own
  }

  /** Releases a slot. */
  release(): void {
    assert(this.#taken > 0, 'only a slot that was taken is released')
    this.#taken--
    while (this.#taken < limits.turnsUnderWayMax) {
      const [onSlot] = this.#waiting
      if (onSlot === undefined) return
      this.#waiting.delete(onSlot)
      this.#taken++
      if (!onSlot()) this.#taken--
    }
  }
}

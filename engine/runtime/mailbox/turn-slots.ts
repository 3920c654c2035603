/**
 * The slots of one shard thread: how many turns it has at once, over all shards that it owns.
 *
 * A turn that is sent to a busy thread waits there and takes in no more messages. Where one thread owns several busy
 * shards, turns would be small, and each costs a flush. So messages wait in their mailbox until there is a slot.
 *
 * 1. Slots are given in the order in which they were asked for.
 */
import { limits } from '../../limits.js'
import { assert } from '../../assert.js'

/** Takes the slot that it waited for; false where it has no use for it any more. */
type OnSlot = () => boolean

export class TurnSlots {
  #taken = 0
  readonly #waiting = new Set<OnSlot>()

  /** Takes a slot. Where there is none it is false, and `onSlot` is called once when there is one. */
  acquire(onSlot: OnSlot): boolean {
    if (this.#taken >= limits.turnsUnderWayMax || this.#waiting.size > 0) {
      this.#waiting.add(onSlot)
      return false
    }
    this.#taken++
    return true
  }

  /** Others than the caller, who has `own` slots, have one or wait for one. */
  isShared(own: number): boolean {
    return this.#taken + this.#waiting.size > own
  }

  /** Gives a slot back. */
  release(): void {
    assert(this.#taken > 0, 'only a slot that was taken is given back')
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

/**
 * The places at a thread's door: how many turns are with it at once, over all shards that it owns.
 *
 * A turn that is handed over early waits behind those of other shards and takes in nothing meanwhile: where one thread
 * owns several busy shards turns would be small, and each has a flush of its own. So a shard's messages gather in its
 * mailbox until there is a place.
 *
 * 1. Places are given in the order of asking.
 */
import { limits } from '../limits.js'
import { assert } from '../assert.js'

/** Takes the place that it asked for; false where it has no use for it any more. */
type Enter = () => boolean

export class ThreadDoor {
  #taken = 0
  readonly #waiting = new Set<Enter>()

  /** Takes a place; where there is none it is false, and `enter` is called once when there is. */
  take(enter: Enter): boolean {
    if (this.#taken >= limits.turnsUnderWayMax || this.#waiting.size > 0) {
      this.#waiting.add(enter)
      return false
    }
    this.#taken++
    return true
  }

  /** Others have a place, or wait for one, beside one who has so many. */
  isShared(own: number): boolean {
    return this.#taken + this.#waiting.size > own
  }

  /** Gives a place back. */
  leave(): void {
    assert(this.#taken > 0, 'a place that is left was taken')
    this.#taken--
    while (this.#taken < limits.turnsUnderWayMax) {
      const [enter] = this.#waiting
      if (enter === undefined) return
      this.#waiting.delete(enter)
      this.#taken++
      if (!enter()) this.#taken--
    }
  }
}

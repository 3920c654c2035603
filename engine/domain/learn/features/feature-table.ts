/**
 * The features that a model knows: from a hash to a number, counted from 0.
 *
 * Open addressing, at most half full. The key is the whole 32-bit hash, so an unknown value has no number. Two known
 * features share a number only where their hashes are equal.
 */

const EMPTY = 0

export class FeatureTable {
  #keys: Int32Array
  #numbers: Int32Array
  #mask: number
  #size = 0

  constructor(expected = 0) {
    let slots = 16
    while (slots < expected * 2) slots *= 2
    this.#keys = new Int32Array(slots)
    this.#numbers = new Int32Array(slots)
    this.#mask = slots - 1
  }

  get size(): number {
    return this.#size
  }

  /** The number of a feature, or -1. `hash` is not 0. */
  find(hash: number): number {
    const keys = this.#keys
    const mask = this.#mask
    let slot = hash & mask
    for (;;) {
      const key = keys[slot] as number
      if (key === hash) return this.#numbers[slot] as number
      if (key === EMPTY) return -1
      slot = (slot + 1) & mask
    }
  }

  /** The number of a feature; a new one has the next. */
  add(hash: number): number {
    let slot = hash & this.#mask
    for (;;) {
      const key = this.#keys[slot] as number
      if (key === hash) return this.#numbers[slot] as number
      if (key === EMPTY) break
      slot = (slot + 1) & this.#mask
    }
    const number = this.#size++
    this.#keys[slot] = hash
    this.#numbers[slot] = number
    if (this.#size * 2 > this.#keys.length) this.#grow()
    return number
  }

  /** The hashes in the order of their numbers. */
  hashes(): Int32Array {
    const hashes = new Int32Array(this.#size)
    for (let slot = 0; slot < this.#keys.length; slot++) {
      const key = this.#keys[slot] as number
      if (key !== EMPTY) hashes[this.#numbers[slot] as number] = key
    }
    return hashes
  }

  #grow(): void {
    const hashes = this.hashes()
    const slots = this.#keys.length * 2
    this.#keys = new Int32Array(slots)
    this.#numbers = new Int32Array(slots)
    this.#mask = slots - 1
    for (let number = 0; number < hashes.length; number++) {
      const hash = hashes[number] as number
      let slot = hash & this.#mask
      while (this.#keys[slot] !== EMPTY) slot = (slot + 1) & this.#mask
      this.#keys[slot] = hash
      this.#numbers[slot] = number
    }
  }
}

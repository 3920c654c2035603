/**
 * The features that a model knows: from a hash to a number, counted from 0.
 *
 * Open addressing, at most half full. The key is the whole 32-bit hash, so an unknown value has no number. Two known
 * features share a number only where their hashes are equal.
 */

const EMPTY = 0

export class FeatureTable {
  /** A key and its number for each slot: side by side, since both are read together. */
  #slots: Int32Array
  /** Of a place in `#slots`. */
  #mask: number
  #size = 0

  constructor(expected = 0) {
    let slots = 16
    while (slots < expected * 2) slots *= 2
    this.#slots = new Int32Array(2 * slots)
    this.#mask = 2 * slots - 1
  }

  get size(): number {
    return this.#size
  }

  /** The number of a feature, or -1. `hash` is not 0. */
  find(hash: number): number {
    const slots = this.#slots
    const mask = this.#mask
    let slot = (hash << 1) & mask
    for (;;) {
      const key = slots[slot] as number
      if (key === hash) return slots[slot + 1] as number
      if (key === EMPTY) return -1
      slot = (slot + 2) & mask
    }
  }

  /** The number of a feature; a new one has the next. */
  add(hash: number): number {
    const slots = this.#slots
    let slot = (hash << 1) & this.#mask
    for (;;) {
      const key = slots[slot] as number
      if (key === hash) return slots[slot + 1] as number
      if (key === EMPTY) break
      slot = (slot + 2) & this.#mask
    }
    const number = this.#size++
    slots[slot] = hash
    slots[slot + 1] = number
    if (this.#size * 4 > slots.length) this.#grow()
    return number
  }

  /** The hashes in the order of their numbers. */
  hashes(): Int32Array {
    const hashes = new Int32Array(this.#size)
    for (let slot = 0; slot < this.#slots.length; slot += 2) {
      const key = this.#slots[slot] as number
      if (key !== EMPTY) hashes[this.#slots[slot + 1] as number] = key
    }
    return hashes
  }

  #grow(): void {
    const hashes = this.hashes()
    const slots = new Int32Array(2 * this.#slots.length)
    this.#slots = slots
    this.#mask = slots.length - 1
    for (let number = 0; number < hashes.length; number++) {
      const hash = hashes[number] as number
      let slot = (hash << 1) & this.#mask
      while (slots[slot] !== EMPTY) slot = (slot + 2) & this.#mask
      slots[slot] = hash
      slots[slot + 1] = number
    }
  }
}

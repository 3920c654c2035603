/**
 * Numbers by the ids of buckets, in one block of memory.
 *
 * A map with ids as texts takes some 80 bytes for each, in several places of the memory; this takes 40 to 80 in one.
 *
 * 1. A place stands until `set` is called again, also that of an id that was deleted.
 * 2. Where an id lies depends on chance, so nobody can choose ids that lie in one place.
 */
import { systemRandom } from '../../rng.js'

/** An odd number: the upper half of its product with the first word of an id says where to look. */
const factor = systemRandom.bytes(4).reduce((bits, byte) => (bits << 8) | byte, 0) | 1

/** The id as four words, the first of them big-endian as its bytes are compared; then the number plus one. */
const STRIDE = 5
const NUMBER = 4
const FREE = 0
/** The id was deleted. */
const GONE = -1

/** Result of `get`: there is no such id. */
export const NO_NUMBER = -1

function wordAt(id: Uint8Array, at: number): number {
  return (
    ((id[at] as number) << 24) | ((id[at + 1] as number) << 16) | ((id[at + 2] as number) << 8) | (id[at + 3] as number)
  )
}

export class IdTable {
  #slots = new Int32Array(16 * STRIDE)
  #mask = 15
  #shift = 28
  #size = 0
  /** Places that are not free. */
  #taken = 0

  get size(): number {
    return this.#size
  }

  /** The number of this id, or NO_NUMBER. */
  get(id: Uint8Array): number {
    const at = this.#find(id)
    const number = this.#slots[at + NUMBER] as number
    return number > 0 ? number - 1 : NO_NUMBER
  }

  has(id: Uint8Array): boolean {
    return this.get(id) !== NO_NUMBER
  }

  /** `number` is from 0 on, below 2^31 - 1. */
  set(id: Uint8Array, number: number): void {
    let at = this.#find(id)
    if (this.#slots[at + NUMBER] === FREE) {
      if (2 * (this.#taken + 1) > this.#mask + 1) {
        this.#rebuild()
        at = this.#find(id)
      }
      this.#taken++
      for (let word = 0; word < NUMBER; word++) this.#slots[at + word] = wordAt(id, 4 * word)
    }
    if ((this.#slots[at + NUMBER] as number) <= 0) this.#size++
    this.#slots[at + NUMBER] = number + 1
  }

  /** True if it was there. */
  delete(id: Uint8Array): boolean {
    const at = this.#find(id)
    if ((this.#slots[at + NUMBER] as number) <= 0) return false
    this.#slots[at + NUMBER] = GONE
    this.#size--
    return true
  }

  /** The places of all ids in the order of these. */
  sortedPlaces(): Int32Array {
    // One number each, the first word first: numbers are sorted far faster than by a function.
    const capacity = this.#mask + 1
    const keys = new Float64Array(this.#size)
    let count = 0
    for (let place = 0; place < capacity; place++) {
      const at = place * STRIDE
      if ((this.#slots[at + NUMBER] as number) > 0)
        keys[count++] = ((this.#slots[at] as number) >>> 0) * capacity + place
    }
    const places = Int32Array.from(keys.sort(), (key) => key % capacity)
    for (let i = 1; i < count; i++) this.#sink(places, i)
    return places
  }

  /** Moves a place before those of greater ids, which begin with the same word. */
  #sink(places: Int32Array, from: number): void {
    for (let i = from; i > 0 && this.#isLess(places[i] as number, places[i - 1] as number); i--) {
      const less = places[i] as number
      places[i] = places[i - 1] as number
      places[i - 1] = less
    }
  }

  #isLess(place: number, other: number): boolean {
    for (let word = 0; word < NUMBER; word++) {
      const difference =
        ((this.#slots[place * STRIDE + word] as number) >>> 0) - ((this.#slots[other * STRIDE + word] as number) >>> 0)
      if (difference !== 0) return difference < 0
    }
    return false
  }

  /** The number of the id at a place, or NO_NUMBER where it was deleted. */
  numberAt(place: number): number {
    const number = this.#slots[place * STRIDE + NUMBER] as number
    return number > 0 ? number - 1 : NO_NUMBER
  }

  /** Writes the id at a place into these bytes. */
  copyId(place: number, into: Uint8Array): void {
    for (let word = 0; word < NUMBER; word++) {
      const bits = this.#slots[place * STRIDE + word] as number
      for (let byte = 0; byte < 4; byte++) into[4 * word + byte] = bits >>> (24 - 8 * byte)
    }
  }

  /** Where this id is, or would be. */
  #find(id: Uint8Array): number {
    const slots = this.#slots
    const [a, b, c, d] = [wordAt(id, 0), wordAt(id, 4), wordAt(id, 8), wordAt(id, 12)]
    let place = Math.imul(a, factor) >>> this.#shift
    for (;;) {
      const at = place * STRIDE
      if (slots[at + NUMBER] === FREE) return at
      if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c && slots[at + 3] === d) return at
      place = (place + 1) & this.#mask
    }
  }

  /** Makes room for as many ids again. */
  #rebuild(): void {
    const before = this.#slots
    let capacity = 16
    while (capacity < 4 * this.#size) capacity *= 2
    this.#slots = new Int32Array(capacity * STRIDE)
    this.#mask = capacity - 1
    this.#shift = 32 - Math.log2(capacity)
    this.#taken = this.#size
    for (let from = 0; from < before.length; from += STRIDE) {
      if ((before[from + NUMBER] as number) <= 0) continue
      let place = Math.imul(before[from] as number, factor) >>> this.#shift
      while (this.#slots[place * STRIDE + NUMBER] !== FREE) place = (place + 1) & this.#mask
      this.#slots.set(before.subarray(from, from + STRIDE), place * STRIDE)
    }
  }
}

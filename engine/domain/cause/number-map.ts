/**
 * A map from whole numbers of up to 53 bits. A Map boxes and hashes such a number on every call, and clustering mostly
 * finds rows by number.
 *
 * Open addressing with linear probing, at most half full. Single keys are never deleted.
 */
const CAPACITY_MIN = 64
const TWO_32 = 2 ** 32
/** An empty slot. It is no key: keys are whole. */
const FREE = -0.5

export class NumberMap<Value> {
  #keys = new Float64Array(CAPACITY_MIN).fill(FREE)
  #values = new Array<Value | undefined>(CAPACITY_MIN).fill(undefined)
  #mask = CAPACITY_MIN - 1
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: number): Value | undefined {
    const keys = this.#keys
    const mask = this.#mask
    for (let at = placeOf(key) & mask; ; at = (at + 1) & mask) {
      const found = keys[at]
      if (found === key) return this.#values[at]
      if (found === FREE) return undefined
    }
  }

  /** `key` is whole, and 0 or more. */
  set(key: number, value: Value): void {
    const keys = this.#keys
    const mask = this.#mask
    let at = placeOf(key) & mask
    while (keys[at] !== key && keys[at] !== FREE) at = (at + 1) & mask
    this.#values[at] = value
    if (keys[at] === key) return
    keys[at] = key
    if (++this.#size * 2 > keys.length) this.#resize(keys.length * 2)
  }

  /** Empties the map and keeps its capacity. */
  clear(): void {
    this.#keys.fill(FREE)
    this.#values.fill(undefined)
    this.#size = 0
  }

  /** In no particular order. */
  *entries(): Iterable<readonly [number, Value]> {
    const [keys, values] = [this.#keys, this.#values]
    for (let at = 0; at < keys.length; at++) if (keys[at] !== FREE) yield [keys[at] as number, values[at] as Value]
  }

  #resize(capacity: number): void {
    const [keys, values] = [this.#keys, this.#values]
    this.#keys = new Float64Array(capacity).fill(FREE)
    this.#values = new Array<Value | undefined>(capacity).fill(undefined)
    this.#mask = capacity - 1
    for (let from = 0; from < keys.length; from++) {
      const key = keys[from] as number
      if (key === FREE) continue
      let at = placeOf(key) & this.#mask
      while (this.#keys[at] !== FREE) at = (at + 1) & this.#mask
      this.#keys[at] = key
      this.#values[at] = values[from]
    }
  }
}

/** Spreads consecutive keys, so that a run of them makes no long probes. */
function placeOf(key: number): number {
  const high = Math.floor(key / TWO_32)
  const mixed = Math.imul((key - high * TWO_32) ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}

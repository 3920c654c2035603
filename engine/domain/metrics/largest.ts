/** Keeps the few largest of many items as they arrive. Memory does not grow with their number. */

export interface Sized {
  /** Unique. Among items of equal size the smaller id comes first. */
  readonly id: string
  readonly size: number
}

export class Largest<T extends Sized> {
  readonly #most: number
  #kept: T[] = []

  constructor(most: number) {
    this.#most = most
  }

  add(one: T): void {
    this.#kept.push(one)
    if (this.#kept.length >= 8 * this.#most + 64) this.#kept = this.sorted()
  }

  /** Largest first. */
  sorted(): T[] {
    return this.#kept.sort((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1)).slice(0, this.#most)
  }
}

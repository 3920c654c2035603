/** Who waits for something: owners take turns, and so do those of one owner, whoever has the most of them. */
export class FairQueue<T> {
  readonly #byOwner = new Map<string, Set<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Has no effect on one that waits already. */
  add(owner: string, waiting: T): void {
    let own = this.#byOwner.get(owner)
    if (own === undefined) this.#byOwner.set(owner, (own = new Set()))
    if (own.has(waiting)) return
    own.add(waiting)
    this.#size++
  }

  delete(owner: string, waiting: T): void {
    const own = this.#byOwner.get(owner)
    if (own === undefined || !own.delete(waiting)) return
    this.#size--
    if (own.size === 0) this.#byOwner.delete(owner)
  }

  /** Somebody waits whose owner `may` have it. */
  hasNext(may: (owner: string) => boolean): boolean {
    for (const owner of this.#byOwner.keys()) if (may(owner)) return true
    return false
  }

  /** Takes the next one whose owner `may` have it; null if nobody waits. */
  next(may?: (owner: string) => boolean): T | null {
    for (const [owner, own] of this.#byOwner) {
      if (may?.(owner) === false) continue
      this.#byOwner.delete(owner)
      for (const waiting of own) {
        own.delete(waiting)
        this.#size--
        if (own.size > 0) this.#byOwner.set(owner, own)
        return waiting
      }
    }
    return null
  }
}

/**
 * What waits for a counterpart that people read, counted: the newest are kept one by one, the older ones become one
 * message.
 *
 * Owns: which are kept, and the counts of the rest. Leaves out: reading what waits (the feeds), when it is summed up
 * (round.ts).
 */

/** An event that waits. */
export interface Waiting {
  readonly eventMicros: number
  /** Time of the decision change, 0 for the first decision. */
  readonly changeMicros: number
  /** What people are told of it: the name of its label. */
  readonly label: string
}

/** Events that are told of together. Times are those of the decisions, microseconds. */
export interface Summary {
  readonly count: number
  readonly fromMicros: number
  readonly throughMicros: number
  /** How many have each label, the most frequent first. */
  readonly labels: readonly (readonly [label: string, count: number])[]
}

export class Tally {
  readonly #keep: number
  readonly #newest: Waiting[] = []
  readonly #labels = new Map<string, number>()
  #count = 0
  #fromMicros = Infinity
  #throughMicros = 0

  /** `keep`: how many of the newest are kept one by one. */
  constructor(keep: number) {
    this.#keep = keep
  }

  add(waiting: Waiting): void {
    this.#newest.push(waiting)
    if (this.#newest.length <= this.#keep) return
    let oldest = 0
    for (let at = 1; at < this.#newest.length; at++)
      if (timeOf(this.#newest[at] as Waiting) < timeOf(this.#newest[oldest] as Waiting)) oldest = at
    const [old] = this.#newest.splice(oldest, 1) as [Waiting]
    this.#count++
    this.#labels.set(old.label, (this.#labels.get(old.label) ?? 0) + 1)
    this.#fromMicros = Math.min(this.#fromMicros, timeOf(old))
    this.#throughMicros = Math.max(this.#throughMicros, timeOf(old))
  }

  /** One of those that are kept is done. */
  drop({ eventMicros, changeMicros }: Pick<Waiting, 'eventMicros' | 'changeMicros'>): void {
    const at = this.#newest.findIndex((one) => one.eventMicros === eventMicros && one.changeMicros === changeMicros)
    if (at >= 0) this.#newest.splice(at, 1)
  }

  /** The others were told of. */
  told(): void {
    this.#labels.clear()
    this.#count = 0
    this.#fromMicros = Infinity
    this.#throughMicros = 0
  }

  /** Those that are kept, the newest first. */
  get newest(): readonly Waiting[] {
    return this.#newest.toSorted((a, b) => timeOf(b) - timeOf(a))
  }

  /** The others; null for none. */
  get summary(): Summary | null {
    if (this.#count === 0) return null
    return {
      count: this.#count,
      fromMicros: this.#fromMicros,
      throughMicros: this.#throughMicros,
      labels: [...this.#labels].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)),
    }
  }
}

function timeOf({ eventMicros, changeMicros }: Pick<Waiting, 'eventMicros' | 'changeMicros'>): number {
  return changeMicros || eventMicros
}

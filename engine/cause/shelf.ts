/**
 * Where the state of root cause analysis is kept: rows by part and number, and what of them is at hand.
 *
 * Owns: the contract towards the store (its implementation: actor/cause-shelf.ts), and rows that are changed in memory
 * during a turn. Leaves out: what is in a row.
 *
 * 1. What is at hand is a copy of the store plus what the turn has changed; it may be forgotten between turns.
 * 2. A row that was changed is written once, when the turn ends.
 */

/** Parts of a job's state; each has rows of its own by number. Their order is stored: only add at the end. */
export const shelfParts = ['global', 'kinds', 'pairs', 'entities', 'clusters', 'alerts'] as const
export type ShelfPart = (typeof shelfParts)[number]

/**
 * The fields of the rows of each part in the order in which they are stored; their names are not. Only add at the end, and
 * let whoever reads an older row cope without.
 */
export const shelfFields: Readonly<Record<Exclude<ShelfPart, 'global'>, readonly string[]>> = {
  kinds: ['name', 'count', 'listed', 'alone', 'starts'],
  pairs: ['n', 'r', 'sided', 'totals', 'count'],
  entities: ['seen', 'listers', 'recent'],
  clusters: ['epoch', 'size', 'firstMs', 'lastMs', 'arrivedMicros', 'into', 'merged', 'roots', 'cut'],
  alerts: [
    'cluster', 'timeMs', 'kind', 'entity', 'parent', 'parentKind', 'side', 'delayMs', 'belief', 'precedents', 'followers', 'followerKind',
    'followerSide', 'followerBelief', 'rank', 'sinceMs', 'lists', 'alone', 'assumed', 'history',
  ],
}

/** Reads rows. A row is plain data. */
export interface ShelfReads {
  get(part: ShelfPart, number: number): unknown
  /** All rows of a part, by number. For parts that are bounded. */
  all(part: ShelfPart): Iterable<{ readonly number: number; readonly row: unknown }>
}

export interface Shelf extends ShelfReads {
  put(part: ShelfPart, number: number, row: unknown): void
  /** An alert belongs to a cluster: what a listing of the cluster's members walks. */
  putMember(cluster: number, alert: number): void
  deleteMember(cluster: number, alert: number): void
}

/** Rows of one part that are at hand. */
export class Rows<Row> {
  readonly #shelf: Shelf
  readonly #part: ShelfPart
  /** null: the store has none, which is worth knowing too. */
  readonly #rows = new Map<number, Row | null>()
  readonly #changed = new Set<number>()

  constructor(shelf: Shelf, part: ShelfPart) {
    this.#shelf = shelf
    this.#part = part
  }

  get size(): number {
    return this.#rows.size
  }

  get(number: number): Row | null {
    const known = this.#rows.get(number)
    if (known !== undefined) return known
    const row = (this.#shelf.get(this.#part, number) as Row | undefined) ?? null
    this.#rows.set(number, row)
    return row
  }

  /** A new row, or one in the place of another. */
  set(number: number, row: Row): Row {
    this.#rows.set(number, row)
    this.#changed.add(number)
    return row
  }

  /** A row that is written only once it is touched. */
  hold(number: number, row: Row): Row {
    this.#rows.set(number, row)
    return row
  }

  /** The row with that number was changed in place. */
  touch(number: number): void {
    this.#changed.add(number)
  }

  /** Takes all of the part in hand; only for parts that are bounded. */
  loadAll(): void {
    for (const { number, row } of this.#shelf.all(this.#part)) this.#rows.set(number, row as Row)
  }

  *entries(): Iterable<readonly [number, Row]> {
    for (const [number, row] of this.#rows) if (row !== null) yield [number, row]
  }

  /** The turn ends. */
  flush(): void {
    for (const number of this.#changed) this.#shelf.put(this.#part, number, this.#rows.get(number))
    this.#changed.clear()
  }

  /** Forgets what is written; between turns only. */
  clear(): void {
    this.#rows.clear()
  }
}

/**
 * Where the state of root cause analysis is kept: rows by part and number, and what of them is at hand.
 *
 * Owns: the contract towards the store (its implementation: cause/cause-table.ts), and rows that are changed in memory
 * during a turn. Leaves out: what is in a row.
 *
 * 1. What is at hand is a copy of the store plus what the turn has changed; it may be forgotten between turns.
 * 2. A row that was changed is written once, when the turn ends.
 */
import { must } from '../../assert.js'
import { NumberMap } from './number-map.js'

/** Parts of a job's state; each has rows of its own by number. Their order is stored. */
export const causeParts = ['global', 'kinds', 'pairs', 'entities', 'clusters', 'alerts'] as const
export type CausePart = (typeof causeParts)[number]

/** The fields of the rows of each part in the order in which they are stored; their names are not. Alerts have a layout of their own. */
export const causeFields: Readonly<Record<Exclude<CausePart, 'global' | 'alerts'>, readonly string[]>> = {
  kinds: ['name', 'count', 'listed', 'alone', 'starts'],
  pairs: ['n', 'r', 'sided', 'totals', 'count', 'oneWay'],
  entities: ['seen', 'listers', 'recent'],
  clusters: ['epoch', 'size', 'firstMs', 'lastMs', 'arrivedMicros', 'into', 'merged', 'roots', 'cut'],
}

/** Reads rows. A row is plain data. */
export interface CauseReads {
  get(part: CausePart, number: number): unknown
  /** All rows of a part, by number. For parts that are bounded. */
  all(part: CausePart): Iterable<{ readonly number: number; readonly row: unknown }>
}

export interface CauseStore extends CauseReads {
  put(part: CausePart, number: number, row: unknown): void
  /** An alert belongs to a cluster: what a listing of the cluster's members walks. */
  putMember(cluster: number, alert: number): void
  deleteMember(cluster: number, alert: number): void
}

/** A row at hand. */
interface Slot<Row> {
  readonly number: number
  /** null: the store has none, which is worth knowing too. */
  row: Row | null
  changed: boolean
}

/** Rows of one part that are at hand. */
export class Rows<Row> {
  readonly #causeStore: CauseStore
  readonly #part: CausePart
  readonly #slots = new NumberMap<Slot<Row>>()
  /** In the order in which they were changed first. */
  readonly #changed: Slot<Row>[] = []

  constructor(causeStore: CauseStore, part: CausePart) {
    this.#causeStore = causeStore
    this.#part = part
  }

  get size(): number {
    return this.#slots.size
  }

  get(number: number): Row | null {
    const slot = this.#slots.get(number)
    if (slot !== undefined) return slot.row
    const row = (this.#causeStore.get(this.#part, number) as Row | undefined) ?? null
    this.#slots.set(number, { number, row, changed: false })
    return row
  }

  /** A new row, or one in the place of another. */
  set(number: number, row: Row): Row {
    this.hold(number, row)
    this.touch(number)
    return row
  }

  /** A row that is written only once it is touched. */
  hold(number: number, row: Row): Row {
    const slot = this.#slots.get(number)
    if (slot === undefined) this.#slots.set(number, { number, row, changed: false })
    else slot.row = row
    return row
  }

  /** The row with that number was changed in place; it is at hand. */
  touch(number: number): void {
    const slot = must(this.#slots.get(number), 'a row at hand')
    if (slot.changed) return
    slot.changed = true
    this.#changed.push(slot)
  }

  /** Takes all of the part in hand; only for parts that are bounded. */
  loadAll(): void {
    for (const { number, row } of this.#causeStore.all(this.#part)) this.hold(number, row as Row)
  }

  *entries(): Iterable<readonly [number, Row]> {
    for (const [number, { row }] of this.#slots.entries()) if (row !== null) yield [number, row]
  }

  /** The turn ends. */
  flush(): void {
    for (const slot of this.#changed) {
      this.#causeStore.put(this.#part, slot.number, slot.row)
      slot.changed = false
    }
    this.#changed.length = 0
  }

  /** Forgets what is written; between turns only. */
  clear(): void {
    this.#slots.clear()
  }
}

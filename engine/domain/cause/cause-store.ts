/**
 * The rows of root cause analysis: the contract with the store, and the rows of a job in memory.
 *
 * Owns: the contract (implemented in actor/cause/cause-table.ts), and rows that change in memory during a turn.
 * Leaves out: what is in a row.
 *
 * 1. Rows in memory are a copy of the store plus what the turn has changed. They may be dropped between turns.
 * 2. A changed row is written once, when the turn ends.
 */
import { must } from '../../assert.js'
import { NumberMap } from './number-map.js'

/** Parts of a job's state, each with its own rows by number. Keys hold a part's index: their order is fixed. */
export const causeParts = ['global', 'kinds', 'pairs', 'entities', 'clusters', 'alerts', 'samples'] as const
export type CausePart = (typeof causeParts)[number]

/**
 * The stored fields of the rows of each part, in order; their names are not stored. Alerts have a layout of their own
 * (store/cause-alert-row.ts).
 */
export const causeFields: Readonly<Record<Exclude<CausePart, 'global' | 'alerts'>, readonly string[]>> = {
  kinds: ['name', 'count', 'listed', 'alone', 'starts'],
  pairs: ['n', 'r', 'sided', 'totals', 'count', 'oneWay'],
  entities: ['seen', 'listers', 'recent'],
  samples: ['alerts'],
  clusters: ['epoch', 'size', 'firstMs', 'lastMs', 'arrivedMicros', 'into', 'merged', 'roots', 'cut'],
}

/** Reads rows. A row is plain data. */
export interface CauseReads {
  get(part: CausePart, number: number): unknown
  /** All rows of a part, by number. Only for bounded parts. */
  all(part: CausePart): Iterable<{ readonly number: number; readonly row: unknown }>
}

export interface CauseStore extends CauseReads {
  put(part: CausePart, number: number, row: unknown): void
  /** Notes an alert as a member of a cluster, for listings of the cluster. */
  putMember(cluster: number, alert: number): void
  deleteMember(cluster: number, alert: number): void
}

/** A row in memory. */
interface Slot<Row> {
  readonly number: number
  /** null: the store has none. */
  row: Row | null
  changed: boolean
}

/** Rows of one part in memory. */
export class PartRows<Row> {
  readonly #causeStore: CauseStore
  readonly #part: CausePart
  readonly #slots = new NumberMap<Slot<Row>>()
  /** In the order of their first change. */
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

  /** Adds or replaces a row. */
  set(number: number, row: Row): Row {
    this.hold(number, row)
    this.touch(number)
    return row
  }

  /** Keeps a row in memory; it is written only after `touch`. */
  hold(number: number, row: Row): Row {
    const slot = this.#slots.get(number)
    if (slot === undefined) this.#slots.set(number, { number, row, changed: false })
    else slot.row = row
    return row
  }

  /** Notes that the row was changed in place. @throws AssertionError unless it is in memory. */
  touch(number: number): void {
    const slot = must(this.#slots.get(number), 'a row in memory')
    if (slot.changed) return
    slot.changed = true
    this.#changed.push(slot)
  }

  /** Loads all rows of the part. Only for bounded parts. */
  loadAll(): void {
    for (const { number, row } of this.#causeStore.all(this.#part)) this.hold(number, row as Row)
  }

  *entries(): Iterable<readonly [number, Row]> {
    for (const [number, { row }] of this.#slots.entries()) if (row !== null) yield [number, row]
  }

  /** Writes what changed, at the end of a turn. */
  flush(): void {
    for (const slot of this.#changed) {
      this.#causeStore.put(this.#part, slot.number, slot.row)
      slot.changed = false
    }
    this.#changed.length = 0
  }

  /** Drops the copies; only between turns. */
  clear(): void {
    this.#slots.clear()
  }
}

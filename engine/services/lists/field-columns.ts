/**
 * Values of fields in memory, for fields that somebody filters by or counts: read once from the records, then looked
 * up.
 *
 * Owns: the columns of one job, what is kept of them. Leaves out: reading records (list-walk.ts), rows (event-rows.ts).
 *
 * 1. Only what never changes is kept: what the sender sent. A record keeps its body as long as its row has its place.
 * 2. Equal values have one number, so a condition is asked once for each different value. A field with too many
 *    different ones is not kept as values. Of it, and of texts anywhere in an event, verdicts are kept row by row.
 * 3. What is unknown of a row is 0.
 */
import type { ScalarValue } from '../../domain/event/point-value.js'
import type { EventFields } from '../../domain/query/condition.js'
import type { Field, OwnName } from '../../domain/query/field.js'
import type { EventRows } from './event-rows.js'

/** Different values of one field that are kept, and their characters together. */
const ENTRIES_MAX = 100_000
const CHARACTERS_MAX = 8 * 1024 * 1024
/** What an entry takes beside its characters. */
const ENTRY_BYTES = 120

/** Sent with the event, and never changed. */
const sent: ReadonlySet<OwnName> = new Set(['title', 'severity', 'storage_tag', 'event_id', 'job_id'])

/** True for a field whose values in a record never change. */
export function isSent(field: Field): boolean {
  if (field.kind === 'time') return true
  return field.kind === 'own' ? sent.has(field.own) : field.own === null || sent.has(field.own)
}

/** The key of what a field means in one job. */
function keyOf(field: Field): string {
  return `${field.kind} ${field.name}`
}

/** Numbers beside the rows of the columns of events. */
class Beside<A extends Int32Array | Uint8Array> {
  later: A
  earlier: A
  readonly #make: (length: number) => A

  constructor(make: (length: number) => A) {
    this.#make = make
    this.later = make(0)
    this.earlier = make(0)
  }

  get bytes(): number {
    return this.later.byteLength + this.earlier.byteLength
  }

  /** The numbers of these rows; there is one for each row. */
  of(rows: EventRows): A {
    const known = rows.isLater ? this.later : this.earlier
    if (known.length >= rows.length) return known
    const longer = this.#make(rows.times.length)
    longer.set(known)
    if (rows.isLater) this.later = longer
    else this.earlier = longer
    return longer
  }
}

/** A value of a field. */
export interface FieldEntry {
  readonly values: readonly ScalarValue[]
  readonly isThere: boolean
}

export const noEntry: FieldEntry = { values: [], isThere: false }

/** One value, as conditions see an event. */
export class EntryFields implements EventFields {
  entry: FieldEntry = noEntry

  values(): readonly ScalarValue[] {
    return this.entry.values
  }

  has(): boolean {
    return this.entry.isThere
  }
}

export class ValueColumn {
  readonly field: Field
  readonly entries: FieldEntry[] = [noEntry]
  readonly #numbers = new Beside((length) => new Int32Array(length))
  /** Numbers of single values, and of all else by its text. */
  readonly #ofOne = new Map<ScalarValue, number>()
  readonly #ofOther = new Map<string, number>()
  #characters = 0

  constructor(field: Field) {
    this.field = field
  }

  get bytes(): number {
    return this.#numbers.bytes + this.#characters * 2 + this.entries.length * ENTRY_BYTES
  }

  get isFull(): boolean {
    return this.entries.length >= ENTRIES_MAX || this.#characters >= CHARACTERS_MAX
  }

  /** By row: the number of its value. */
  numbers(rows: EventRows): Int32Array {
    return this.#numbers.of(rows)
  }

  /** The number of the value that `event` has at `field`, noted for the row; 0 where there are too many values. */
  note(rows: EventRows, at: number, event: EventFields, field: Field): number {
    const numbers = this.#numbers.of(rows)
    const known = numbers[at] as number
    if (known > 0) return known
    const values = event.values(field)
    const number = values.length === 1 ? this.#numberOfOne(values) : this.#numberOfOther(values, event.has(field))
    numbers[at] = number
    return number
  }

  #numberOfOne(values: readonly ScalarValue[]): number {
    const value = values[0] as ScalarValue
    const known = this.#ofOne.get(value)
    if (known !== undefined) return known
    const number = this.#add(values, true, typeof value === 'string' ? value.length : 0)
    if (number > 0) this.#ofOne.set(value, number)
    return number
  }

  #numberOfOther(values: readonly ScalarValue[], isThere: boolean): number {
    const key = textOf(values, isThere)
    const known = this.#ofOther.get(key)
    if (known !== undefined) return known
    const number = this.#add(values, isThere, key.length)
    if (number > 0) this.#ofOther.set(key, number)
    return number
  }

  #add(values: readonly ScalarValue[], isThere: boolean, characters: number): number {
    if (this.isFull) return 0
    this.#characters += characters
    return this.entries.push({ values: [...values], isThere }) - 1
  }
}

function textOf(values: readonly ScalarValue[], isThere: boolean): string {
  return `${isThere ? 1 : 0}${JSON.stringify(values.map((value) => [typeof value, String(value)]))}`
}

/** Verdicts of one condition, row by row. */
export class RowVerdicts {
  readonly #verdicts = new Beside((length) => new Uint8Array(length))

  get bytes(): number {
    return this.#verdicts.bytes
  }

  of(rows: EventRows): Uint8Array {
    return this.#verdicts.of(rows)
  }
}

type Kept = ValueColumn | RowVerdicts

/** The columns of one job. */
export class FieldColumns {
  /** The one that was used last is the last. */
  readonly #kept = new Map<string, Kept>()
  readonly #tooMany = new Set<string>()

  get bytes(): number {
    let sum = 0
    for (const one of this.#kept.values()) sum += one.bytes
    return sum
  }

  /** The column of the values of a field; null where they are not kept. */
  values(field: Field): ValueColumn | null {
    if (field.kind === 'time' || !isSent(field) || isWhole(field)) return null
    const key = keyOf(field)
    if (this.#tooMany.has(key)) return null
    const column = this.#take(key, () => new ValueColumn(field)) as ValueColumn
    if (!column.isFull) return column
    this.#tooMany.add(key)
    this.#kept.delete(key)
    return null
  }

  /** Verdicts of a condition with this key. */
  verdicts(key: string): RowVerdicts {
    return this.#take(`verdicts ${key}`, () => new RowVerdicts()) as RowVerdicts
  }

  /** Forgets what was not used lately, up to a bound. What one request uses stays. */
  bound(bytesMax: number, inUse: number): number {
    let sum = this.bytes
    for (const [key, one] of this.#kept) {
      if (sum <= bytesMax || this.#kept.size <= inUse) break
      sum -= one.bytes
      this.#kept.delete(key)
    }
    return sum
  }

  #take(key: string, make: () => Kept): Kept {
    const one = this.#kept.get(key) ?? make()
    this.#kept.delete(key)
    this.#kept.set(key, one)
    return one
  }
}

/** True for the field of every value of the event. */
function isWhole(field: Field): boolean {
  return field.kind === 'body' && field.name === '*'
}

/**
 * How many of the events that pass have which value of a field, in a bounded time.
 *
 * Owns: the counts. Leaves out: which events pass (list-walk.ts).
 *
 * 1. Events with the same label and flags, of the same bucket, or of the same ten percent of confidence are counted
 *    together, and one of them is asked for the value.
 * 2. When the time is over, the counts are those of the newest events, and `partial` says so.
 * 3. What the filters choose among the values of a field does not count for this field, so that its other values stay
 *    in sight. All else counts, what is excluded of the field too.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { limits } from '../../limits.js'
import { instantText } from '../../domain/query/instant.js'
import type { ScalarValue } from '../../domain/event/point-value.js'
import { everything, matches, withoutChoices, type Condition } from '../../domain/query/condition.js'
import { FieldSet, isSameField, type Field } from '../../domain/query/field.js'
import { parseFilters } from '../../domain/query/filter.js'
import type { FacetQuery } from '../../api/live/list-service.js'
import { readStats } from '../../actor/job-stats.js'
import { BucketTable } from '../../store/bucket-table.js'
import { timeKey } from '../../store/tables.js'
import type { QueryStore } from '../query/event-scan.js'
import type { RecordFields } from '../query/record-fields.js'
import { NO_BUCKET } from './event-columns.js'
import type { EventRows } from './event-rows.js'
import { EntryFields, noEntry, type FieldEntry, type ValueColumn } from './field-columns.js'
import { needOf, type Need } from './row-filter.js'
import { ListWalk, parseSelection, type FoundRow, type ListContext, type ParsedSelection } from './list-walk.js'

const VALUES = 10
const TENTH = 1_000

/** The counts of one field. */
class Facet {
  readonly name: string
  readonly field: Field
  readonly values = new Map<ScalarValue, number>()
  missing = 0
  isWhole = true
  /** What is chosen of its values. */
  choices: Condition = everything
  /** Beginnings of longer values. */
  readonly #cut = new Set<ScalarValue>()

  constructor(name: string, field: Field) {
    this.name = name
    this.field = field
  }

  /** An object that has no value of its own is neither a value nor missing. */
  add({ values, isThere }: FieldEntry, count: number): void {
    if (!isThere) {
      this.missing += count
      return
    }
    for (const value of new Set(values)) {
      const key = typeof value === 'string' ? cutText(value, limits.streamTextCharsMax, '') : value
      if (typeof value === 'string' && value.length > limits.streamTextCharsMax) this.#cut.add(key)
      if (!this.values.has(key) && this.values.size >= limits.facetValuesCounted) this.isWhole = false
      else this.values.set(key, (this.values.get(key) ?? 0) + count)
    }
  }

  #isChosen(value: ScalarValue): boolean {
    if (this.choices.kind === 'all') return false
    const entry = new EntryFields()
    entry.entry = { values: [value], isThere: true }
    return matches(this.choices, entry)
  }

  document(size: number): object {
    const sorted = [...this.values].sort((a, b) => b[1] - a[1] || (String(a[0]) < String(b[0]) ? -1 : 1))
    const isShort = this.field.kind === 'own' && this.field.own === 'confidence_score'
    // What is chosen stays in sight, however rare it is.
    const shown = sorted.filter(([value], at) => isShort || at < size || this.#isChosen(value))
    const isTime = this.field.kind === 'time'
    return {
      field: this.name,
      values: shown.map(([value, count]) => ({
        value: isTime ? instantText(value as number) : value,
        count,
        ...(this.#cut.has(value) ? { is_cut: true } : {}),
        ...(this.#isChosen(value) ? { is_chosen: true } : {}),
      })),
      missing: this.missing,
      different_values: this.values.size,
      different_values_is_exact: this.isWhole,
    }
  }
}

/** Events of one job that are counted together, by what they share: how many, and one of them. */
class Groups {
  #counts = new Uint32Array(1_024)
  #times = new Float64Array(1_024)

  add(key: number, micros: number): void {
    if (key >= this.#counts.length) this.#grow(key)
    if ((this.#counts[key] as number) === 0) this.#times[key] = micros
    this.#counts[key]!++
  }

  #grow(key: number): void {
    const [counts, times] = [this.#counts, this.#times]
    const length = Math.max(key + 1, 2 * counts.length)
    this.#counts = new Uint32Array(length)
    this.#counts.set(counts)
    this.#times = new Float64Array(length)
    this.#times.set(times)
  }

  each(visit: (micros: number, count: number, key: number) => void): void {
    for (let key = 0; key < this.#counts.length; key++) {
      const count = this.#counts[key] as number
      if (count > 0) visit(this.#times[key] as number, count, key)
    }
  }
}

/** The answer as JSON text. @throws Refusal. */
export function runFacets(context: ListContext, query: FacetQuery): string {
  const { task, stores } = context
  const fieldSet = new FieldSet(task.serviceNames)
  const facets = query.fields.map((name) => new Facet(name, fieldSet.field(name)))
  const selection = parseSelection(
    context,
    { filters: parseFilters(query.filters), dates: query, atLeast: limits.listRecordsMin },
    fieldSet,
  )
  const walks = walksOf(facets, selection)
  let [counted, events] = [0, 0]
  let isWhole = true
  for (const job of task.jobs) {
    for (const [at, walk] of walks.entries()) {
      const counts = countJob(new ListWalk(context, job, walk.selection), walk.facets, stores(job.shard))
      // The first one is of all that is asked for.
      if (at === 0) counted += counts.counted
      isWhole &&= counts.isWhole
    }
    events += readStats(stores(job.shard).environment, job.id, job.labels.length).events
  }
  const { size = VALUES } = query
  return JSON.stringify({
    facets: facets.map((facet) => facet.document(size)),
    counted,
    job_events: events,
    partial: !isWhole,
  })
}

interface FacetWalk {
  readonly selection: ParsedSelection
  readonly facets: readonly Facet[]
}

/** One walk for the events of the selection, and one for each field that values are chosen of. */
function walksOf(facets: readonly Facet[], selection: ParsedSelection): readonly FacetWalk[] {
  const others: FacetWalk[] = []
  const plain: Facet[] = []
  for (const facet of facets) {
    const { rest, choices } = withoutChoices(selection.condition, (field) => isSameField(field, facet.field))
    facet.choices = choices
    if (choices.kind === 'all') plain.push(facet)
    else others.push({ selection: { ...selection, condition: rest }, facets: [facet] })
  }
  const withinMs = selection.withinMs / (1 + others.length)
  return [{ selection, facets: plain }, ...others].map(({ selection, facets }) => ({
    selection: { ...selection, withinMs, noted: facets.map(({ field }) => field) },
    facets,
  }))
}

/** How one facet counts the events of a job. */
class Counter {
  readonly #facet: Facet
  readonly #need: Need
  readonly #walk: ListWalk
  readonly #store: QueryStore
  readonly #table: BucketTable
  readonly #column: ValueColumn | null
  /** By what events share: a label, a part of the confidence, a bucket. */
  readonly #groups = new Groups()
  /** By the number of their value. */
  readonly #byValue = new Groups()
  /** Buckets whose events may have nothing at the field, or an empty text. */
  readonly #unsure = new Map<number, boolean>()

  constructor(facet: Facet, walk: ListWalk, store: QueryStore) {
    this.#facet = facet
    this.#need = needOf(facet.field, walk.job)
    this.#walk = walk
    this.#store = store
    this.#table = new BucketTable(store.environment, walk.job.id)
    const hasColumn = this.#need === 'value' || this.#need === 'bucket'
    this.#column = hasColumn ? walk.fieldColumns.values(facet.field) : null
  }

  count(row: FoundRow): void {
    if (row.rows !== null && this.#countTogether(row, row.rows)) return
    const record = row.record()
    if (record !== null) this.#countRecord(row.micros, record, 1)
  }

  #countTogether({ micros, at }: FoundRow, rows: EventRows): boolean {
    const { filter, columns } = this.#walk
    switch (this.#need) {
      case 'code':
        this.#groups.add(rows.codes[at] as number, micros)
        return true
      case 'confidence':
        this.#groups.add(bandNumber((rows.confidences[at] as number) / 100), micros)
        return true
      case 'votes':
      case 'bucket': {
        const bucket = rows.buckets[at] as number
        if (bucket === NO_BUCKET) return false
        if (this.#need === 'bucket') {
          if (!columns.buckets.isCurrent(this.#table, bucket)) return false
          if (this.#isUnsure(bucket)) return this.#countValue(micros)
        }
        this.#groups.add(bucket, micros)
        return true
      }
      case 'work':
      case 'voters':
        if (filter.isTouched(this.#need, rows, at)) return false
        this.#facet.add(noEntry, 1)
        return true
      default:
        return this.#countValue(micros)
    }
  }

  /** By the value of the row that was asked about last. */
  #countValue(micros: number): boolean {
    const number = this.#column === null ? 0 : this.#walk.filter.numberIn(this.#column)
    if (number > 0) this.#byValue.add(number, micros)
    return number > 0
  }

  #isUnsure(bucket: number): boolean {
    let isUnsure = this.#unsure.get(bucket)
    if (isUnsure === undefined) {
      const { job, fields, columns } = this.#walk
      const micros = columns.buckets.times[bucket] as number
      const record = this.#store.environment.get('events', timeKey(job.id, micros))
      if (record !== undefined) fields.event(micros, record)
      isUnsure = record === undefined || fields.values(this.#facet.field).every((value) => value === '')
      this.#unsure.set(bucket, isUnsure)
    }
    return isUnsure
  }

  #countRecord(micros: number, record: Uint8Array, count: number): void {
    const { fields } = this.#walk
    fields.event(micros, record)
    const entry = entryOf(fields, this.#facet.field)
    this.#facet.add(this.#need === 'confidence' ? bandEntry(bandNumber(Number(entry.values[0]))) : entry, count)
  }

  /** Adds what was counted together. */
  finish(): void {
    this.#byValue.each((_, count, number) => this.#facet.add(this.#column?.entries[number] ?? noEntry, count))
    this.#groups.each((micros, count, key) => {
      if (this.#need === 'confidence') return this.#facet.add(bandEntry(key), count)
      const record = this.#store.environment.get('events', timeKey(this.#walk.job.id, micros))
      if (record !== undefined) this.#countRecord(micros, record, count)
    })
  }
}

function countJob(walk: ListWalk, facets: readonly Facet[], store: QueryStore): { counted: number; isWhole: boolean } {
  const counters = facets.map((facet) => new Counter(facet, walk, store))
  let counted = 0
  const { from } = walk.walk(Number.POSITIVE_INFINITY, (row) => {
    counted++
    for (const counter of counters) counter.count(row)
    return true
  })
  for (const counter of counters) counter.finish()
  return { counted, isWhole: from === 0 }
}

function bandNumber(percent: number): number {
  return Math.min(9, Math.floor((percent * 100) / TENTH))
}

function bandEntry(band: number): FieldEntry {
  return { values: [10 * band], isThere: true }
}

function entryOf(fields: RecordFields, field: Field): FieldEntry {
  return { values: fields.values(field), isThere: fields.has(field) }
}

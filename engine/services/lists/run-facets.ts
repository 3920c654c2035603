/**
 * How many of the events that pass have which value of a field, in a bounded time.
 *
 * Owns: the counts. Leaves out: which events pass (list-walk.ts).
 *
 * 1. Events with the same label and flags, of the same bucket, or of the same ten percent of confidence are counted
 *    together, and one of them is asked for the value.
 * 2. When the time is over, the counts are those of the newest events, and `partial` says so.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { limits } from '../../limits.js'
import { instantText } from '../../domain/query/instant.js'
import type { ScalarValue } from '../../domain/event/point-value.js'
import { FieldSet, undecidedFields, type Field } from '../../domain/query/field.js'
import { parseFilters } from '../../domain/query/filter.js'
import type { FacetQuery } from '../../api/live/list-service.js'
import { readStats } from '../../actor/job-stats.js'
import { BucketTable } from '../../store/bucket-table.js'
import { timeKey } from '../../store/tables.js'
import type { QueryStore } from '../query/event-scan.js'
import { NO_BUCKET } from './event-columns.js'
import type { Rows } from './event-rows.js'
import type { ValueColumn } from './field-columns.js'
import { needOf, type Need } from './row-filter.js'
import { ListWalk, parseSelection, type ListContext } from './list-walk.js'

const VALUES = 10
const TENTH = 1_000

/** The counts of one field. */
class Facet {
  readonly name: string
  readonly field: Field
  readonly values = new Map<ScalarValue, number>()
  missing = 0
  isWhole = true
  /** Beginnings of longer values. */
  readonly #cut = new Set<ScalarValue>()
  readonly #isDecision: boolean

  constructor(name: string, field: Field) {
    this.name = name
    this.field = field
    this.#isDecision = field.kind === 'own' && undecidedFields.has(field.own)
  }

  add(values: readonly ScalarValue[], count: number): void {
    if (values.length === 0 || (this.#isDecision && values[0] === '')) {
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

  document(size: number): object {
    const sorted = [...this.values].sort((a, b) => b[1] - a[1] || (String(a[0]) < String(b[0]) ? -1 : 1))
    const shown = this.field.kind === 'own' && this.field.own === 'confidence_score' ? sorted : sorted.slice(0, size)
    const isTime = this.field.kind === 'time'
    return {
      field: this.name,
      values: shown.map(([value, count]) => ({
        value: isTime ? instantText(value as number) : value,
        count,
        ...(this.#cut.has(value) ? { is_cut: true } : {}),
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
    {
      filters: parseFilters(query.filters),
      dates: query,
      atLeast: limits.listRecordsMin,
      noted: facets.map(({ field }) => field),
    },
    fieldSet,
  )
  let [counted, events] = [0, 0]
  let isWhole = true
  for (const job of task.jobs) {
    const counts = countJob(new ListWalk(context, job, selection), facets, stores(job.shard))
    counted += counts.counted
    isWhole &&= counts.isWhole
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

/** How one facet counts the events of a job. */
interface Counter {
  readonly facet: Facet
  readonly need: Need
  readonly groups: Groups
  readonly column: ValueColumn | null
}

function countJob(walk: ListWalk, facets: readonly Facet[], store: QueryStore): { counted: number; isWhole: boolean } {
  const { environment } = store
  const { job, fields, columns, filter, fieldColumns } = walk
  const table = new BucketTable(environment, job.id)
  const counters = facets.map((facet): Counter => {
    const need = needOf(facet.field, job)
    return { facet, need, groups: new Groups(), column: need === 'value' ? fieldColumns.values(facet.field) : null }
  })
  /** What the value of a field is the same for; -1 where the event has to be asked. */
  const groupOf = ({ need, column }: Counter, rows: Rows, at: number): number => {
    switch (need) {
      case 'code':
        return rows.codes[at] as number
      case 'confidence':
        return bandNumber((rows.confidences[at] as number) / 100)
      case 'bucket':
      case 'votes': {
        const bucket = rows.buckets[at] as number
        if (bucket === NO_BUCKET) return -1
        return need === 'votes' || columns.buckets.isCurrent(table, bucket) ? bucket : -1
      }
      default:
        return column === null ? -1 : filter.numberIn(column) || -1
    }
  }
  let counted = 0
  const { from } = walk.walk(Number.POSITIVE_INFINITY, (row) => {
    counted++
    for (const counter of counters) {
      const group = row.rows === null ? -1 : groupOf(counter, row.rows, row.at)
      if (group >= 0) {
        counter.groups.add(group, row.micros)
        continue
      }
      const record = row.record()
      if (record === null) continue
      fields.event(row.micros, record)
      const values = fields.values(counter.facet.field)
      counter.facet.add(counter.need === 'confidence' ? bandOf(values) : values, 1)
    }
    return true
  })
  for (const { facet, need, groups, column } of counters) {
    groups.each((micros, count, key) => {
      if (need === 'confidence') return facet.add([key * 10], count)
      if (column !== null) return facet.add(column.entries[key]?.values ?? [], count)
      const record = environment.get('events', timeKey(job.id, micros))
      if (record === undefined) return
      fields.event(micros, record)
      const values = fields.values(facet.field)
      // An empty text shares its bucket with events that lack the field.
      facet.add(need === 'bucket' && values.every((value) => value === '') ? [] : values, count)
    })
  }
  return { counted, isWhole: from === 0 }
}

function bandNumber(percent: number): number {
  return Math.min(9, Math.floor((percent * 100) / TENTH))
}

function bandOf([percent]: readonly ScalarValue[]): number[] {
  return [10 * bandNumber(Number(percent))]
}

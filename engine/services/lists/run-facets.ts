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
import { FieldSet, type Field } from '../../domain/query/field.js'
import { parseFilters } from '../../domain/query/filter.js'
import type { FacetQuery } from '../../api/live/list-service.js'
import { readStats } from '../../actor/job-stats.js'
import { BucketTable } from '../../store/bucket-table.js'
import { timeKey } from '../../store/tables.js'
import type { QueryStore } from '../query/event-scan.js'
import { NO_BUCKET } from './event-columns.js'
import { needOf, type Need } from './list-filter.js'
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

  constructor(name: string, field: Field) {
    this.name = name
    this.field = field
  }

  add(values: readonly ScalarValue[], count: number): void {
    if (values.length === 0 || (values.length === 1 && values[0] === '')) {
      this.missing += count
      return
    }
    for (const value of new Set(values)) {
      const key = typeof value === 'string' ? cutText(value, limits.streamTextCharsMax, '') : value
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
      values: shown.map(([value, count]) => ({ value: isTime ? instantText(value as number) : value, count })),
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
  const selection = parseSelection(context, { filters: parseFilters(query.filters), dates: query }, fieldSet)
  let [counted, events] = [0, 0]
  let isWhole = true
  for (const job of task.jobs) {
    const walk = new ListWalk(context, job, selection)
    const needs = facets.map(({ field, name }) => needOf(field, name, job))
    const counts = countJob(walk, facets, needs, stores(job.shard))
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

function countJob(
  walk: ListWalk,
  facets: readonly Facet[],
  needs: readonly Need[],
  store: QueryStore,
): { counted: number; isWhole: boolean } {
  const groups = facets.map(() => new Groups())
  const { environment } = store
  const { job, fields, columns } = walk
  const table = new BucketTable(environment, job.id)
  const recordOf = (micros: number): Uint8Array | undefined => environment.get('events', timeKey(job.id, micros))
  let counted = 0
  const { from } = walk.walk(Number.POSITIVE_INFINITY, (row, given) => {
    counted++
    let record = given
    for (let i = 0; i < facets.length; i++) {
      const need = needs[i] as Need
      const inGroup = groupOf(need, row)
      const isShared = need !== 'bucket' || inGroup < 0 || columns.buckets.isCurrent(table, inGroup)
      if (inGroup >= 0 && row.code >= 0 && isShared) {
        ;(groups[i] as Groups).add(inGroup, row.micros)
        continue
      }
      record ??= recordOf(row.micros) ?? null
      if (record === null) continue
      fields.event(row.micros, record)
      const facet = facets[i] as Facet
      facet.add(need === 'confidence' ? bandOf(fields.values(facet.field)) : fields.values(facet.field), 1)
    }
    return true
  })
  for (let i = 0; i < facets.length; i++) {
    const facet = facets[i] as Facet
    ;(groups[i] as Groups).each((micros, count, key) => {
      if (needs[i] === 'confidence') return facet.add([key * 10], count)
      const record = recordOf(micros)
      if (record === undefined) return
      fields.event(micros, record)
      facet.add(fields.values(facet.field), count)
    })
  }
  return { counted, isWhole: from === 0 }
}

/** What the value of a field is the same for; -1 where each event has to be asked. */
function groupOf(
  need: Need,
  row: { readonly bucket: number; readonly code: number; readonly confidence: number },
): number {
  switch (need) {
    case 'code':
      return row.code
    case 'confidence':
      return bandNumber(row.confidence / 100)
    case 'bucket':
    case 'votes':
      return row.bucket === NO_BUCKET ? -1 : row.bucket
    case 'record':
      return -1
  }
}

function bandNumber(percent: number): number {
  return Math.min(9, Math.floor((percent * 100) / TENTH))
}

function bandOf([percent]: readonly ScalarValue[]): number[] {
  return [10 * bandNumber(Number(percent))]
}

/**
 * The queries that read documents: pages in the order of a date, and numbers of documents.
 *
 * Two documents may have the same date. `_seq_no` counts up in each shard of an index, so at most one document of each
 * shard has the same date and the same number. A page includes the date and number of the last document of the page
 * before, and leaves out the documents there that were read. So no page loses a document, whatever is written
 * meanwhile. The search engine keeps nothing open, and a place is a few bytes that stay valid after a restart.
 */
import { HttpFailure } from '../http/http-client.js'
import type { SearchPage } from './search-page.js'

/** What to read. */
export interface SearchSelection {
  readonly dateField: string
  /** Date math of the search engine, or ''. */
  readonly startTime: string
  readonly endTime: string
  /** A query string, or ''. */
  readonly filter: string
  /** Fields; none for all. */
  readonly source: readonly string[]
  /** Fields that are never read. */
  readonly leftOut: readonly string[]
}

/** The last document that was read. */
export interface SearchPlace {
  /** Milliseconds since 1970. */
  readonly dateMs: number
  readonly seqNo: number
  /** Documents of exactly this date and number that were read, as `index/id`. */
  readonly names: readonly string[]
}

export interface Hit {
  /** `index/id`. */
  readonly name: string
  readonly index: string
  readonly id: string
  readonly dateMs: number
  readonly seqNo: number
  /** The document, as JSON; undefined where the index does not store it, null for one that is too large. */
  readonly source: Uint8Array | null | undefined
}

type Clause = Record<string, unknown>

/** From, including it, to, excluding it; milliseconds since 1970. Without an end it is open there. */
export interface DateRange {
  readonly fromMs?: number
  readonly toMs?: number
}

/** One page of documents. */
export interface PageRequest {
  /** The date field by which documents are ordered. */
  readonly order: string
  /** The last document before the page; null for the beginning. */
  readonly place: SearchPlace | null
  /** Within these dates of that field. */
  readonly within: DateRange
  /** And before this date of the selection's own field. */
  readonly datedBeforeMs?: number
  readonly size: number
}

/** The options of every search: a missing index is ignored, a missing shard is an error. */
const OPTIONS = 'ignore_unavailable=true&allow_partial_search_results=false'

/** The path of a search. */
export function searchPath(indexes: string): string {
  return `/${pathOf(indexes)}/_search?${OPTIONS}`
}

/** The path of a question for the types of fields in each index. */
export function fieldsPath(indexPattern: string, fields: readonly string[]): string {
  const names = encodeURIComponent(fields.join(','))
  return `/${pathOf(indexPattern)}/_field_caps?fields=${names}&include_unmapped=true&ignore_unavailable=true`
}

function pathOf(indexes: string): string {
  return encodeURIComponent(indexes).replaceAll('%2C', ',').replaceAll('%2A', '*')
}

function ranged(field: string, { fromMs, toMs }: DateRange): Clause {
  const bounds = { ...(fromMs === undefined ? {} : { gte: fromMs }), ...(toMs === undefined ? {} : { lt: toMs }) }
  return { range: { [field]: { ...bounds, format: 'epoch_millis' } } }
}

/** `silent`: indexes whose documents are not asked for. */
function chosen({ dateField, startTime, endTime, filter }: SearchSelection, silent: readonly string[]): Clause {
  const range = { ...(startTime === '' ? {} : { gt: startTime }), ...(endTime === '' ? {} : { lt: endTime }) }
  return {
    filter: [
      { exists: { field: dateField } },
      ...(startTime === '' && endTime === '' ? [] : [{ range: { [dateField]: range } }]),
      ...(filter === '' ? [] : [{ query_string: { query: filter } }]),
    ],
    ...(silent.length === 0 ? {} : { must_not: [{ terms: { _index: silent } }] }),
  }
}

function both(selection: Clause, clauses: readonly Clause[]): Clause {
  return { bool: { ...selection, filter: [...(selection.filter as Clause[]), ...clauses] } }
}

/** The query of a page. */
export function pageQuery(selection: SearchSelection, request: PageRequest, silent: readonly string[]): Clause {
  const { source, leftOut, dateField } = selection
  const { order, place, within, datedBeforeMs, size } = request
  return {
    size,
    track_total_hits: false,
    seq_no_primary_term: true,
    _source:
      leftOut.length > 0
        ? { ...(source.length === 0 ? {} : { includes: source }), excludes: leftOut }
        : source.length === 0
          ? true
          : source,
    // Dates in nanoseconds are cut to milliseconds, which fit into a JSON number.
    // An index without any document has no mapping at all, not even of its own fields.
    sort: [
      { [order]: { order: 'asc', numeric_type: 'date', unmapped_type: 'date' } },
      { _seq_no: { order: 'asc', unmapped_type: 'long' } },
    ],
    query: both(chosen(selection, silent), [
      ...(order === dateField ? [] : [{ exists: { field: order } }]),
      ...(within.fromMs === undefined && within.toMs === undefined ? [] : [ranged(order, within)]),
      ...(datedBeforeMs === undefined ? [] : [ranged(dateField, { toMs: datedBeforeMs })]),
      ...(place === null ? [] : [behind(order, place)]),
    ]),
  }
}

/** Documents after a place. */
function behind(order: string, { dateMs, seqNo, names }: SearchPlace): Clause {
  const later = ranged(order, { fromMs: dateMs + 1 })
  const same = {
    bool: {
      filter: [ranged(order, { fromMs: dateMs, toMs: dateMs + 1 }), { range: { _seq_no: { gte: seqNo } } }],
      must_not: namedOnes(names),
    },
  }
  return { bool: { should: [later, same], minimum_should_match: 1 } }
}

/** Documents of these names: an id may be in several indexes. */
function namedOnes(names: readonly string[]): Clause[] {
  const byIndex = new Map<string, string[]>()
  for (const name of names) {
    const slash = name.indexOf('/')
    const ids = byIndex.get(name.slice(0, slash)) ?? []
    byIndex.set(name.slice(0, slash), [...ids, name.slice(slash + 1)])
  }
  return [...byIndex].map(([index, ids]) => ({
    bool: { filter: [{ term: { _index: index } }, { ids: { values: ids } }] },
  }))
}

/** Numbers of documents in steps of `stepMs`, before `farMs`, and in steps of `farStepMs` from there on. */
export interface CountRequest {
  readonly ranges: readonly DateRange[]
  readonly stepMs: number
  readonly farMs: number
  readonly farStepMs: number
}

export function countQuery(selection: SearchSelection, request: CountRequest, silent: readonly string[]): Clause {
  const { dateField: field } = selection
  const { ranges, stepMs, farMs, farStepMs } = request
  const steps = (range: DateRange, ms: number): Clause => ({
    filter: ranged(field, range),
    aggs: { steps: { date_histogram: { field, fixed_interval: `${ms}ms`, min_doc_count: 1 } } },
  })
  return {
    size: 0,
    track_total_hits: false,
    query: both(chosen(selection, silent), [
      { bool: { should: ranges.map((range) => ranged(field, range)), minimum_should_match: 1 } },
    ]),
    aggs: { near: steps({ toMs: farMs }, stepMs), far: steps({ fromMs: farMs }, farStepMs) },
  }
}

function wrongAnswer(): HttpFailure {
  return new HttpFailure('the answer is not that of a search')
}

/** The hits of a page. @throws HttpFailure if the answer is not that of a search, or not from every shard. */
export function hitsIn({ answer, sources }: SearchPage): Hit[] {
  if (typeof answer !== 'object' || answer === null) throw wrongAnswer()
  const document = answer as Record<string, unknown>
  checkComplete(document)
  const { hits } = (document.hits ?? {}) as { hits?: unknown }
  if (!Array.isArray(hits)) throw wrongAnswer()
  return hits.map(
    (hit: { _index?: unknown; _id?: unknown; _source?: unknown; _seq_no?: unknown; sort?: unknown[] }): Hit => {
      const { _index: index, _id: id, _source: at, _seq_no: seqNo, sort } = hit
      const dateMs = Number(sort?.[0])
      const source = typeof at === 'number' ? sources[at] : undefined
      if (typeof index !== 'string' || typeof id !== 'string' || typeof seqNo !== 'number' || !Number.isFinite(dateMs))
        throw wrongAnswer()
      return { name: `${index}/${id}`, index, id, dateMs: Math.min(dateMs, Number.MAX_SAFE_INTEGER), seqNo, source }
    },
  )
}

/** The documents of a parsed answer. @throws HttpFailure if it is not that of a search. */
export function sourcesIn(document: Record<string, unknown>): Record<string, unknown>[] {
  const { hits } = (document.hits ?? {}) as { hits?: unknown }
  if (!Array.isArray(hits)) throw wrongAnswer()
  return hits.map(({ _source: source }: { _source?: unknown }) =>
    typeof source === 'object' && source !== null ? (source as Record<string, unknown>) : {},
  )
}

export interface Counts {
  /** Numbers of documents by the start of their step. */
  readonly near: ReadonlyMap<number, number>
  readonly far: ReadonlyMap<number, number>
}

/** @throws HttpFailure as hitsIn. */
export function countsIn(document: Record<string, unknown>): Counts {
  checkComplete(document)
  const { near, far } = (document.aggregations ?? {}) as Record<string, { steps?: { buckets?: unknown } } | undefined>
  return { near: stepsIn(near?.steps?.buckets), far: stepsIn(far?.steps?.buckets) }
}

function stepsIn(buckets: unknown): Map<number, number> {
  // An index pattern that matches no index has no aggregations to answer with.
  if (buckets === undefined) return new Map()
  if (!Array.isArray(buckets)) throw wrongAnswer()
  return new Map(buckets.map(({ key, doc_count: count }: { key: number; doc_count: number }) => [key, count]))
}

/** What the fields are in the indexes of a pattern. */
export interface IndexFields {
  readonly indexes: readonly string[]
  /** Indexes that have no field of the date field's name, and those where it is something else than a date. */
  readonly without: readonly string[]
  readonly otherwise: readonly string[]
  /** The field with the time of indexing is a date in some index. */
  readonly isIndexedDated: boolean
}

const dateTypes: ReadonlySet<string> = new Set(['date', 'date_nanos'])

/** @throws HttpFailure for another answer. */
export function fieldsIn(document: Record<string, unknown>, dateField: string, indexedField: string): IndexFields {
  const { indices, fields } = document as { indices?: unknown; fields?: Record<string, Record<string, unknown>> }
  const indexes = (typeof indices === 'string' ? [indices] : indices) as string[]
  if (!Array.isArray(indexes) || typeof fields !== 'object' || fields === null) throw wrongAnswer()
  const types = Object.entries(fields[dateField] ?? { unmapped: {} })
  // An answer that names no indexes is about all of them.
  const of = (isWanted: (type: string) => boolean): string[] =>
    types.flatMap(([type, about]) =>
      isWanted(type) ? ((about as { indices?: string[] | null }).indices ?? indexes) : [],
    )
  return {
    indexes,
    without: of((type) => type === 'unmapped'),
    otherwise: of((type) => type !== 'unmapped' && !dateTypes.has(type)),
    isIndexedDated: Object.keys(fields[indexedField] ?? {}).some((type) => dateTypes.has(type)),
  }
}

/** Refuses a partial answer: documents of a missing shard must not be skipped. @throws HttpFailure. */
export function checkComplete(document: Record<string, unknown>): void {
  const { failed = 0 } = (document._shards ?? {}) as { failed?: number }
  if (document.timed_out === true || failed > 0)
    throw new HttpFailure(`${failed} shards of the search engine did not answer`)
}

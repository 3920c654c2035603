/**
 * The queries that read documents: pages in the order of their date, and numbers of documents.
 *
 * Two documents may have the same date. `_seq_no` counts up in each shard of an index, so at most one document of each
 * shard has the same date and the same number. A page includes the last document of the page before; documents that
 * come again are recognised by name. So no page loses a document, whatever is written meanwhile. The search engine
 * keeps nothing open, and a place is a few bytes that stay valid after a restart.
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
  readonly id: string
  readonly dateMs: number
  readonly seqNo: number
  /** The document, as JSON. */
  readonly source: Uint8Array
}

type Clause = Record<string, unknown>

/** The path of queries. A missing index is ignored, a missing shard is an error. */
export function searchPath(indexPattern: string): string {
  const indexes = encodeURIComponent(indexPattern).replaceAll('%2C', ',').replaceAll('%2A', '*')
  return `/${indexes}/_search?ignore_unavailable=true&allow_partial_search_results=false`
}

function within(field: string, fromMs: number, toMs: number): Clause {
  return { range: { [field]: { gte: fromMs, lt: toMs, format: 'epoch_millis' } } }
}

function chosen({ dateField, startTime, endTime, filter }: SearchSelection): Clause[] {
  const range = { ...(startTime === '' ? {} : { gt: startTime }), ...(endTime === '' ? {} : { lt: endTime }) }
  return [
    { exists: { field: dateField } },
    ...(startTime === '' && endTime === '' ? [] : [{ range: { [dateField]: range } }]),
    ...(filter === '' ? [] : [{ query_string: { query: filter } }]),
  ]
}

function pageOf(selection: SearchSelection, clauses: readonly Clause[], size: number): Clause {
  const { dateField, source, leftOut } = selection
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
    sort: [{ [dateField]: { order: 'asc', numeric_type: 'date' } }, { _seq_no: { order: 'asc' } }],
    query: { bool: { filter: [...chosen(selection), ...clauses] } },
  }
}

/** The page from a place; null is the beginning. */
export function pageFrom(selection: SearchSelection, place: SearchPlace | null, size: number): Clause {
  if (place === null) return pageOf(selection, [], size)
  const { dateField } = selection
  const { dateMs, seqNo } = place
  const later = { range: { [dateField]: { gte: dateMs + 1, format: 'epoch_millis' } } }
  const same = { bool: { filter: [within(dateField, dateMs, dateMs + 1), { range: { _seq_no: { gte: seqNo } } }] } }
  return pageOf(selection, [{ bool: { should: [later, same], minimum_should_match: 1 } }], size + place.names.length)
}

/** The page of a span of time, from a place in it; null is its beginning. */
export function pageWithin(
  selection: SearchSelection,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  place: SearchPlace | null,
  size: number,
): Clause {
  const page = pageFrom(selection, place, size) as { query: { bool: { filter: Clause[] } } }
  page.query.bool.filter.push(within(selection.dateField, fromMs, toMs))
  return page as unknown as Clause
}

/** The number of documents in each step of a span of time. */
export function countsWithin(selection: SearchSelection, fromMs: number, toMs: number, stepMs: number): Clause {
  return {
    size: 0,
    track_total_hits: false,
    query: { bool: { filter: [...chosen(selection), within(selection.dateField, fromMs, toMs)] } },
    aggs: {
      steps: { date_histogram: { field: selection.dateField, fixed_interval: `${stepMs}ms`, min_doc_count: 1 } },
    },
  }
}

/** The document of a hit in an index that does not store `_source`. */
const NOTHING = Buffer.from('{}')

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
      const source = at === undefined ? NOTHING : sources[at as number]
      if (
        typeof index !== 'string' ||
        typeof id !== 'string' ||
        typeof seqNo !== 'number' ||
        source === undefined ||
        !Number.isFinite(dateMs)
      )
        throw wrongAnswer()
      return { name: `${index}/${id}`, id, dateMs, seqNo, source }
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

/** The counts by the start of their step. @throws HttpFailure as hitsIn. */
export function countsIn(document: Record<string, unknown>): Map<number, number> {
  checkComplete(document)
  const buckets = (document.aggregations as { steps?: { buckets?: unknown } } | undefined)?.steps?.buckets
  // An index pattern that matches no index has no aggregations to answer with.
  if (buckets === undefined) return new Map()
  if (!Array.isArray(buckets)) throw wrongAnswer()
  return new Map(buckets.map(({ key, doc_count: count }: { key: number; doc_count: number }) => [key, count]))
}

/** Refuses a partial answer: documents of a missing shard must not be skipped. @throws HttpFailure. */
export function checkComplete(document: Record<string, unknown>): void {
  const { failed = 0 } = (document._shards ?? {}) as { failed?: number }
  if (document.timed_out === true || failed > 0)
    throw new HttpFailure(`${failed} shards of the search engine did not answer`)
}

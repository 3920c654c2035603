/** Reads the body of a search. */
import { limits } from '../../limits.js'
import type { ClauseContext } from './clause-context.js'
import { compileClause } from './clause.js'
import { everything, type Condition } from './condition.js'
import type { JsonReader } from './json-reader.js'
import { parseSort, type SortOrder, type SortPosition } from './sort.js'
import { parseSource, type SourceFilter } from './source-filter.js'

/** How far an Elasticsearch search counts by default. */
const TRACKED_DEFAULT = 10_000
const SIZE_DEFAULT = 10

const names = [
  'query',
  'post_filter',
  'size',
  'from',
  'sort',
  'search_after',
  '_source',
  'track_total_hits',
  'aggs',
  'aggregations',
  'timeout',
  'track_scores',
  'version',
  'seq_no_primary_term',
] as const

export interface Search {
  readonly condition: Condition
  /** Hits must pass it, too; aggregations ignore it. */
  readonly postFilter: Condition
  readonly from: number
  readonly size: number
  /** Hits show the values that they were sorted by. */
  readonly isSorted: boolean
  readonly order: SortOrder
  readonly after: SortPosition | null
  readonly source: SourceFilter
  /** Hits are counted up to this number; 0 for no count. */
  readonly tracked: number
  readonly aggregations: JsonReader | undefined
  /** Milliseconds, or null. */
  readonly timeoutMs: number | null
}

/** @throws Refusal invalid_body with the place, query_too_large. */
export function parseSearch(json: JsonReader, context: ClauseContext): Search {
  const options = json.object(names)
  const order = parseSort(options.sort, context.fields)
  const size = options.size?.integer(0, limits.queryWindowMax) ?? SIZE_DEFAULT
  const from = options.from?.integer(0, limits.queryWindowMax) ?? 0
  if (from + size > limits.queryWindowMax)
    json.fail(`from and size together are at most ${limits.queryWindowMax}; search_after goes further`)
  const after = options.search_after
  if (after !== undefined && from > 0) after.fail('from must be 0 with search_after')
  return {
    condition: options.query === undefined ? everything : compileClause(options.query, context),
    postFilter: options.post_filter === undefined ? everything : compileClause(options.post_filter, context),
    from,
    size,
    isSorted: options.sort !== undefined,
    order,
    after: after === undefined ? null : order.after(after, context),
    source: parseSource(options._source, context.textBudget),
    tracked: trackedOf(options.track_total_hits),
    aggregations: options.aggs ?? options.aggregations,
    timeoutMs: timeoutOf(options.timeout),
  }
}

function trackedOf(json: JsonReader | undefined): number {
  if (json === undefined) return TRACKED_DEFAULT
  if (typeof json.value === 'number')
    return json.integer(-1, Number.MAX_SAFE_INTEGER) === -1
      ? Number.POSITIVE_INFINITY
      : json.integer(0, Number.MAX_SAFE_INTEGER)
  return json.boolean() ? Number.POSITIVE_INFINITY : 0
}

function timeoutOf(json: JsonReader | undefined): number | null {
  if (json === undefined || json.value === '-1' || json.value === -1) return null
  const parts = /^(\d{1,9})(ms|s|m)$/.exec(String(json.value))
  return parts === null
    ? json.fail('Input should be a duration such as 500ms or 2s')
    : Number(parts[1]) * { ms: 1, s: 1000, m: 60_000 }[parts[2] as 'ms' | 's' | 'm']
}

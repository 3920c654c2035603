/**
 * Searches that read events of Splunk in the order in which they were indexed.
 *
 * `_indextime` has whole seconds; within one, `_bkt` and `_cd` (the bucket, and the place in it) name an event and never change,
 * so `_indextime`, `_bkt/_cd` is an order in which every event has one place. A page begins behind the last event of the one
 * before; nothing is kept open on the other side.
 *
 * The fields of our own begin with `ds_`.
 */
import { HttpFailure } from '../http/http-client.js'
import type { SplunkRow, SplunkSearch } from './splunk-client.js'

/** What to read. */
export interface SplunkSelection {
  /** The search of the user, without a leading `search`. */
  readonly search: string
  /** Events that were older than that when they were indexed are not read, seconds. */
  readonly ageSeconds: number
}

/** Up to where was read: all that was indexed before the second `from`, and in it up to `key`; '' for nothing of it. */
export interface SplunkPlace {
  readonly from: number
  readonly key: string
}

export interface SplunkEvent {
  /** `_bkt/_cd`. */
  readonly key: string
  /** Seconds since 1970. */
  readonly indexed: number
  readonly row: SplunkRow
}

const AHEAD_SECONDS = 86_400
const safeKey = /^[\w~:./@+-]{1,512}$/

/** Events that were indexed in that span, from the place on; the modifiers only spare work, the comparison decides. */
function within(
  { search, ageSeconds }: SplunkSelection,
  from: number,
  to: number,
): { query: string; earliest: number; latest: number } {
  return {
    query: `search _index_earliest=${from - 1} _index_latest=${to + 1} ${search} | where _indextime>=${from} AND _indextime<${to}`,
    earliest: Math.max(0, from - ageSeconds),
    latest: to + AHEAD_SECONDS,
  }
}

/** The first `size` events from a place to before the second `to`. */
export function pageSearch(
  selection: SplunkSelection,
  { from, key }: SplunkPlace,
  to: number,
  size: number,
): SplunkSearch {
  const { query, ...times } = within(selection, from, to)
  const behind = key === '' ? '' : ` | where _indextime>${from} OR ds_key>"${key}"`
  return {
    query: `${query} | eval ds_key=_bkt."/"._cd, ds_indexed=_indextime${behind} | sort ${size} +num(ds_indexed) +str(ds_key)`,
    ...times,
  }
}

/** How many events were indexed in each step of a span. */
export function countSearch(selection: SplunkSelection, from: number, to: number, step: number): SplunkSearch {
  const { query, ...times } = within(selection, from, to)
  return {
    query: `${query} | eval ds_step=floor(_indextime/${step})*${step} | stats count AS ds_count BY ds_step`,
    ...times,
  }
}

/** @throws HttpFailure where a result is no event of such a search. */
export function eventsIn(rows: readonly SplunkRow[]): SplunkEvent[] {
  return rows.map((row): SplunkEvent => {
    const [key, indexed] = [row.ds_key, Number(row.ds_indexed)]
    if (typeof key !== 'string' || !safeKey.test(key) || !Number.isSafeInteger(indexed)) {
      throw new HttpFailure(
        'a result that does not say where it is stored: the search must give events, with _bkt, _cd and _indextime',
      )
    }
    return { key, indexed, row }
  })
}

export function countsIn(rows: readonly SplunkRow[]): Map<number, number> {
  return new Map(rows.map((row) => [Number(row.ds_step), Number(row.ds_count)]))
}

/**
 * Searches that read events of Splunk in the order in which they were indexed.
 *
 * `_indextime` has whole seconds. Within a second, `_bkt` and `_cd` (the bucket, and the position in it) identify an
 * event and never change. So `_indextime` and `_bkt/_cd` give every event one position in the order. A page begins
 * after the last event of the page before, and Splunk keeps nothing open between them.
 *
 * The names of our own fields begin with `ds_`.
 */
import { HttpFailure } from '../http/http-client.js'
import type { SplunkRow, SplunkSearch } from './splunk-client.js'

/** What to read. */
export interface SplunkSelection {
  /** The configured search, without a leading `search`. */
  readonly search: string
  /** Events that were older when they were indexed are not read, seconds. */
  readonly ageSeconds: number
}

/**
 * How far was read: everything indexed before the second `from`, and in that second up to `key`; '' for nothing of it.
 */
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

/** The latest second that Splunk knows: the date of an event may be years ahead of the clock. */
const LATEST_SECOND = 2_147_483_647
const safeKey = /^[\w~:./@+-]{1,512}$/

/** Selects events indexed in a span. The comparison is exact; the modifiers only save work. */
function within(
  { search, ageSeconds }: SplunkSelection,
  from: number,
  to: number,
): { query: string; earliest: number; latest: number } {
  return {
    query: `search _index_earliest=${from - 1} _index_latest=${to + 1} ${search} | where _indextime>=${from} AND _indextime<${to}`,
    earliest: Math.max(0, from - ageSeconds),
    latest: LATEST_SECOND,
  }
}

/** The first `size` events after a place and before the second `to`. */
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

/** Counts the events indexed in each step of a span. */
export function countSearch(selection: SplunkSelection, from: number, to: number, step: number): SplunkSearch {
  const { query, ...times } = within(selection, from, to)
  return {
    query: `${query} | eval ds_step=floor(_indextime/${step})*${step} | stats count AS ds_count BY ds_step`,
    ...times,
  }
}

/** The events in the results of `pageSearch`. @throws HttpFailure for any other result. */
export function eventsIn(rows: readonly SplunkRow[]): SplunkEvent[] {
  return rows.map((row): SplunkEvent => {
    const [key, indexed] = [row.fields.ds_key, Number(row.fields.ds_indexed)]
    if (typeof key !== 'string' || !safeKey.test(key) || !Number.isSafeInteger(indexed)) {
      throw new HttpFailure(
        'a result has no storage position: the search must return events with _bkt, _cd and _indextime',
      )
    }
    return { key, indexed, row }
  })
}

/** The counts in the results of `countSearch`, by the start of their step. */
export function countsIn(rows: readonly SplunkRow[]): Map<number, number> {
  return new Map(rows.map(({ fields }) => [Number(fields.ds_step), Number(fields.ds_count)]))
}

/** The walk over columns of events, by tables of what is refused. */
import type { EventRows } from './event-rows.js'

/** The flag of a row whose event was deleted. */
export const DELETED = 4
/** Rows between two looks at the clock. */
export const ROWS_AT_ONCE = 8_192
/** An entry of a table that refuses. */
export const REFUSED = 1

/** What is known of rows beforehand, by their code, confidence, bucket, and value of a field; null: nothing. */
export interface Tables {
  readonly byCode: Uint8Array | null
  readonly byConfidence: Uint8Array | null
  readonly byBucket: Uint8Array | null
  readonly byValue: Uint8Array | null
  /** By row: the number of the value, an entry of `byValue`. */
  numbers(rows: EventRows): Int32Array | Uint8Array | null
}

export interface ColumnWalk {
  readonly tables: Tables
  readonly visit: (rows: EventRows, at: number) => boolean
  readonly pause: (micros: number) => boolean
}

/** Rows of a walk between two looks at the clock: from `first` on, up or down to `end` without it. */
export interface ColumnSpan {
  readonly rows: EventRows
  readonly first: number
  readonly end: number
}

/**
 * What a walk before a time goes through, newest first: `later` has the newest row last, `earlier` first. Spans without
 * a row before that time are left out, so that a walk of one span always makes some way.
 */
export function spansBefore(before: number, later: EventRows, earlier: EventRows): readonly ColumnSpan[] {
  const spans: ColumnSpan[] = []
  for (let at = later.length - 1; at >= 0; at -= ROWS_AT_ONCE)
    spans.push({ rows: later, first: at, end: Math.max(-1, at - ROWS_AT_ONCE) })
  for (let at = 0; at < earlier.length; at += ROWS_AT_ONCE)
    spans.push({ rows: earlier, first: at, end: Math.min(earlier.length, at + ROWS_AT_ONCE) })
  return spans.filter((span) => oldestOf(span) < before)
}

/** The time of the oldest row. */
export function oldestOf({ rows, first, end }: ColumnSpan): number {
  return rows.times[first < end ? end - 1 : end + 1] as number
}

/**
 * The rows from `first` on, up to `end` without it: up or down. Returns how many were looked at, negative where the
 * visitor ended the walk.
 *
 * A walk of a million rows is this loop: tables are looked at here, without a call for each row.
 */
export function walkRows({ rows, first, end }: ColumnSpan, before: number, { tables, visit }: ColumnWalk): number {
  const { times, codes, confidences, buckets } = rows
  const { byCode, byConfidence, byBucket, byValue } = tables
  const numbers = byValue === null ? null : tables.numbers(rows)
  const step = first < end ? 1 : -1
  let looked = 0
  for (let at = first; at !== end; at += step) {
    const code = codes[at] as number
    const micros = times[at] as number
    if (micros >= before || (code & DELETED) !== 0) continue
    looked++
    if (byCode !== null && byCode[code] === REFUSED) continue
    if (byConfidence !== null && byConfidence[confidences[at] as number] === REFUSED) continue
    // Without a bucket there is no entry, which refuses nothing.
    if (byBucket !== null && byBucket[buckets[at] as number] === REFUSED) continue
    if (numbers !== null && byValue !== null && byValue[numbers[at] as number] === REFUSED) continue
    if (!visit(rows, at)) return -looked
  }
  return looked
}

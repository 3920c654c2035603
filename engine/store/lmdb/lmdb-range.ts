/** What a range of keys (environment.ts) is to lmdb-js. */
import type { KeyRange } from '../environment.js'

/** Before all keys. */
const LEAST_KEY = Buffer.of(0)

/**
 * The library starts a reverse walk at `start` and counts it in, where our bounds keep their meaning in both directions: whoever
 * walks in reverse leaves out what is at `to` or behind it, and ends before `from`.
 */
export function rangeOptions(range: KeyRange): Record<string, unknown> {
  const reverse = range.reverse === true
  const options: Record<string, unknown> = { reverse, snapshot: true }
  const start = reverse ? range.to : range.from
  const end = reverse ? undefined : range.to
  // Said where a bound is missing, too: with keys read in place the library would begin elsewhere.
  if (start !== undefined || !reverse) options.start = start ?? LEAST_KEY
  if (end !== undefined || reverse) options.end = end ?? LEAST_KEY
  return options
}

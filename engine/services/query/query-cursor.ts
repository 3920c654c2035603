/**
 * The cursor of a query: the place of a page's last event in the query's order, opaque to clients.
 *
 * 1. A cursor comes from a client, so anything may be in it. What is no place in the order is refused.
 * 2. A value may be a text of any length. A place whose cursor would be too long has none.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { SortPosition, SortOrder, SortValues } from '../../domain/query/sort.js'

/** Null where the place is too long for a cursor. */
export function cursorOfPlace({ values, micros }: SortPosition): string | null {
  const cursor = Buffer.from(JSON.stringify([...values, micros])).toString('base64url')
  return cursor.length > limits.queryCursorCharsMax ? null : cursor
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** The place in a cursor. @throws Refusal invalid_cursor. */
export function placeOfCursor(cursor: string, order: SortOrder): SortPosition {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    // The same answer as for a cursor of another form.
  }
  if (Array.isArray(parts) && parts.length === order.length + 1) {
    const micros: unknown = parts.pop()
    if (Number.isSafeInteger(micros) && parts.every(isScalar))
      return { values: parts as unknown as SortValues, micros: micros as number }
  }
  throw new Refusal('invalid_cursor', '`after` is not the `next` of a page in this order')
}

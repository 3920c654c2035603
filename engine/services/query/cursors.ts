/**
 * Cursors of lists: the place where a page ended, opaque to clients.
 *
 * 1. A cursor begins with a mark of its list, its jobs, its order and the place itself. So the cursor of another list
 *    and a damaged one are refused, and none leads to a wrong place without a word.
 * 2. Filters, columns and sizes are not marked: they may differ from page to page.
 * 3. A mark is no signature: anybody can make one. So what is read from a place is checked as well.
 */
import { createHash } from 'node:crypto'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSelection } from '../../api/query-service.js'
import type { SortPosition, SortOrder, SortValues } from '../../domain/query/sort.js'

const MARK_CHARS = 8

/** What a cursor belongs to: the name of the list, and all that tells its order and its jobs from others. */
export type ListName = readonly [name: string, ...rest: (string | number)[]]

/** The cursor of a place. It is eight characters longer. */
export function cursorAt(listing: ListName, place: string): string {
  return markOf(listing, place) + place
}

/** The place in a cursor of that list. @throws Refusal invalid_cursor. */
export function placeIn(listing: ListName, cursor: string): string {
  const place = cursor.slice(MARK_CHARS)
  if (cursor.slice(0, MARK_CHARS) !== markOf(listing, place)) throw notACursor()
  return place
}

export function notACursor(): Refusal {
  const what = 'it is damaged, or it belongs to another list, job or order'
  return new Refusal(
    'invalid_cursor',
    `\`after\` is not the \`next\` of a page of this list: ${what}; begin without it`,
  )
}

/** A list takes the number of a page or a cursor. `where` says which part of the request has them. */
export function pageBesideCursor(where: 'body' | 'query'): Refusal {
  const msg = 'a page has a number or follows a cursor: leave out either `page` or `after`'
  return new Refusal('invalid_body', `page: ${msg}`, { issues: [{ loc: [where, 'page'], msg, type: 'value_error' }] })
}

/** The jobs of a selection as a client named them. */
export function jobsNamed({ jobIds = [], jobTitles = [] }: JobSelection): string {
  return JSON.stringify([[...jobIds].sort((a, b) => a - b), [...jobTitles].sort()])
}

/** The list of events, by their arrival or by their own times. */
export function eventList(selection: JobSelection, isByOwnTime = false): ListName {
  return ['events/list', jobsNamed(selection), Number(isByOwnTime)]
}

function markOf(listing: ListName, place: string): string {
  return createHash('sha256')
    .update(JSON.stringify([...listing, place]))
    .digest('base64url')
    .slice(0, MARK_CHARS)
}

/** The cursor of a place in the order of a query; null where it would be too long, since a value may be any text. */
export function cursorInOrder(listing: ListName, { values, micros }: SortPosition): string | null {
  const cursor = cursorAt(listing, Buffer.from(JSON.stringify([...values, micros])).toString('base64url'))
  return cursor.length > limits.queryCursorCharsMax ? null : cursor
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** The place in a cursor of a query with that order. @throws Refusal invalid_cursor. */
export function placeInOrder(listing: ListName, cursor: string, order: SortOrder): SortPosition {
  const place = placeIn(listing, cursor)
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(place, 'base64url').toString())
  } catch {
    // The same answer as for a cursor of another form.
  }
  if (Array.isArray(parts) && parts.length === order.length + 1) {
    const micros: unknown = parts.pop()
    if (Number.isSafeInteger(micros) && parts.every(isScalar))
      return { values: parts as unknown as SortValues, micros: micros as number }
  }
  throw notACursor()
}

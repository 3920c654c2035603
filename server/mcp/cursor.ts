/**
 * Cursors of listings whose operation counts pages, or needs more than its own cursor: opaque to the agent, and of no
 * use for anything else.
 */
import { Refusal } from '../../engine/index.js'

/** Where a listing goes on. */
export interface ListingPlace {
  readonly page: number
  /** What the first page was asked at, where a listing must not move under the reader. */
  readonly at?: string
  /** The cursor of the operation itself. */
  readonly after?: string
}

export function cursorOf(place: ListingPlace): string {
  return Buffer.from(JSON.stringify([place.page, place.at ?? null, place.after ?? null])).toString('base64url')
}

/** @throws Refusal invalid_cursor. */
export function placeOf(cursor: string | undefined): ListingPlace {
  if (cursor === undefined) return { page: 0 }
  try {
    const [page, at, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (Number.isSafeInteger(page) && (page as number) >= 0)
      return {
        page: page as number,
        ...(typeof at === 'string' ? { at } : {}),
        ...(typeof after === 'string' ? { after } : {}),
      }
  } catch {
    // The same answer as for a cursor of another form.
  }
  throw new Refusal('invalid_cursor', 'cursor must be next_cursor of an earlier answer')
}

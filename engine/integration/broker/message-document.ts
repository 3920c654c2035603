/** A message of a broker as the document that becomes an event. */
import { createHash } from 'node:crypto'
import { limits } from '../../limits.js'
import type { SourceDocument } from '../contract.js'
import { misfitOf } from '../document-body.js'

/**
 * `place` says where the message stands, in words that no other message ever has; `given` is the id that it came with, ''
 * for none. Ids that are too long are hashed.
 */
export function documentOf(place: string, given: string, body: Uint8Array): SourceDocument {
  const wanted = given === '' ? place : given
  const id =
    Buffer.byteLength(wanted) <= limits.eventIdBytesMax
      ? wanted
      : createHash('sha256').update(wanted).digest('base64url')
  const unfit = misfitOf(body)
  return unfit === null ? { id, body } : { id, body, unfit }
}

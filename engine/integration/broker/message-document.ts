/** A message of a broker as a document that becomes an event. */
import { createHash } from 'node:crypto'
import { limits } from '../../limits.js'
import type { SourceDocument } from '../contract.js'
import { misfitOf } from '../document-body.js'

/**
 * `place` is unique for the message and never used again; `given` is the id in its header, or ''. Long ids are hashed.
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

/**
 * An administrator's override as a message, and its withdrawal.
 *
 * Owns: its bytes. Leaves out: what it changes (voting.ts).
 */
import { Refusal } from '../../errors.js'
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import type { Author } from '../../api/principal.js'
import { splitAuthor, withAuthor } from '../message-author.js'

export interface OverrideInput {
  /** The label as people name it, or null to withdraw. */
  readonly label: string | null
  /** Hexadecimal; null where the message names an event. */
  readonly bucketId: string | null
}

export function encodeOverride(input: OverrideInput, by: Author): Buffer {
  return withAuthor(by, Buffer.from(JSON.stringify(input), 'utf8'))
}

export function decodeOverride(message: Buffer): OverrideInput & { readonly by: Author } {
  const { by, body } = splitAuthor(message)
  return { ...(JSON.parse(body.toString('utf8')) as OverrideInput), by }
}

const BUCKET_ID = new RegExp(`^[0-9a-f]{${2 * BUCKET_ID_BYTES}}$`)

/** The bytes of a bucket's id as users write it. @throws Refusal bucket_not_found for a text that cannot be one. */
export function bucketIdBytes(text: string): Buffer {
  if (!BUCKET_ID.test(text)) throw new Refusal('bucket_not_found', 'bucket not found')
  return Buffer.from(text, 'hex')
}

/**
 * The author of a message, in front of its body: | bytes of the author u16 | author, JSON | body |.
 *
 * Only messages that get an entry in the audit log carry one. Events do not: that would cost space in each of them.
 */
import type { Author } from '../api/principal.js'

const LENGTH_BYTES = 2

/** The author without his permissions. */
export function authorOf({ kind, name }: Author): Author {
  return { kind, name }
}

/** The body with its author in front. `request`: the number of the request that it is part of; 0 for none. */
export function withAuthor(by: Author, body: Uint8Array, request = 0): Buffer {
  const named = request === 0 ? authorOf(by) : { ...authorOf(by), request }
  const author = Buffer.from(JSON.stringify(named), 'utf8')
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16LE(author.length)
  return Buffer.concat([length, author, body])
}

/** The author and the body of a message that withAuthor made. */
export function splitAuthor(message: Buffer): { by: Author; request: number; body: Buffer } {
  const end = LENGTH_BYTES + message.readUInt16LE(0)
  const { request = 0, ...by } = JSON.parse(message.toString('utf8', LENGTH_BYTES, end)) as Author & {
    readonly request?: number
  }
  return { by, request, body: message.subarray(end) }
}

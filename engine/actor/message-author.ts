/**
 * Who sent a message, in front of its body: | bytes of the author u16 | author, JSON | body |.
 *
 * Only messages that the audit log tells of carry it; an event has no room to spare for it.
 */
import type { Author } from '../api/principal.js'

const LENGTH_BYTES = 2

/** What is kept of an author: not what he may do. */
export function authorOf({ kind, name }: Author): Author {
  return { kind, name }
}

/** The body with its author in front. */
export function withAuthor(by: Author, body: Uint8Array): Buffer {
  const author = Buffer.from(JSON.stringify(authorOf(by)), 'utf8')
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16LE(author.length)
  return Buffer.concat([length, author, body])
}

/** The author and the body of a message made by withAuthor. */
export function splitAuthor(message: Buffer): { by: Author; body: Buffer } {
  const end = LENGTH_BYTES + message.readUInt16LE(0)
  return { by: JSON.parse(message.toString('utf8', LENGTH_BYTES, end)) as Author, body: message.subarray(end) }
}

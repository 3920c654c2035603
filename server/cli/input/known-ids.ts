/**
 * The ids of events for which nobody has named a field: the same file gives the same ids, so sending it again stores
 * nothing twice.
 *
 * 1. If the first events have an id of their own in a field that is named so, that is their id, as in the console
 *    (engine/domain/event/input/answers.ts). Else the ids of a file are made of its content and the event's number.
 * 2. Of standard input too little may be there at first to know a field, and its content is not known before its end:
 *    then each run has ids of its own.
 */
import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { idField, type NamedField } from '../../../engine/domain/event/input/answers.js'
import type { FileItem } from '../../../engine/domain/event/input/event-file.js'
import { isJsonObject } from '../../../engine/domain/event/json.js'

export type Items = AsyncGenerator<readonly FileItem[], void, void>

/** Events that are looked at, and how many of standard input there must be. */
const LOOKED_AT = 500
const STREAM_MIN = 20
const HASH_CHARS = 12

/** The first items that are there, and all of them. */
export async function withHead(items: Items): Promise<{ head: readonly FileItem[]; items: Items }> {
  let head: readonly FileItem[] = []
  for (let next = await items.next(); !next.done; next = await items.next()) {
    head = next.value
    if (head.length > 0) break
  }
  async function* all(): Items {
    yield head
    yield* items
  }
  return { head, items: all() }
}

/** The field that has the ids of these events; undefined: none is known. */
export function knownIdField(head: readonly FileItem[], isFile: boolean): string | undefined {
  const events = head.slice(0, LOOKED_AT).flatMap((item) => (item.problem === null ? [item] : []))
  const isOwn = events.some(({ id, jobId }) => id !== undefined || jobId !== undefined)
  if (isOwn || events.length < (isFile ? 2 : STREAM_MIN)) return undefined
  const fields = new Map<string, { name: string; events: number; values: Set<string> }>()
  const visit = (value: unknown, path: string): void => {
    if (isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) visit(inner, path === '' ? name : `${path}.${name}`)
      return
    }
    if (value === null || value === undefined || value === '' || Array.isArray(value)) return
    const field = fields.get(path) ?? { name: path, events: 0, values: new Set<string>() }
    fields.set(path, field)
    field.events++
    field.values.add(String(value))
  }
  for (const event of events) visit(event.body(true), '')
  return idField([...fields.values()] satisfies NamedField[], events.length) ?? undefined
}

/** A run that is named after the content of a file; null for what is no file. */
export async function runOf(file: string | undefined): Promise<string | null> {
  if (file === undefined || file === '-' || !statSync(file).isFile()) return null
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(piece as Uint8Array)
  return `file-${hash.digest('hex').slice(0, HASH_CHARS)}`
}

/**
 * The id of an event by the parameter `webhook_event_id`: a path such as `alert.id`, or a template such as
 * `{{host.name}}-{{rule.id}}`.
 *
 * 1. A path without a value gives no id, and so does a template with one: two events must not become one by an
 *    accident.
 * 2. An id that is longer than ids may be is its SHA-256.
 */
import { createHash } from 'node:crypto'
import { limits } from '../../limits.js'
import { at, text, type Json } from './formats/format.js'

/** The value at a dot path; an exact field name counts, too. */
export function valueAt(document: Json, path: string): unknown {
  return at(document, ...path.split('.')) ?? (Object.hasOwn(document, path) ? document[path] : undefined)
}

/** The id that the parameter gives, or null. */
export function idBy(pattern: string, document: Json): string | null {
  if (!pattern.includes('{{')) return text(valueAt(document, pattern.trim())) ?? null
  let lacks = false
  const id = pattern.replace(/\{\{([^{}]+)\}\}/g, (_, path: string) => {
    const value = text(valueAt(document, path.trim()))
    lacks ||= value === undefined
    return value ?? ''
  })
  return lacks || id.trim() === '' ? null : id
}

/** An id that the service takes. */
export function fitting(id: string): string {
  if (Buffer.byteLength(id) <= limits.eventIdBytesMax) return id
  return createHash('sha256').update(id).digest('hex')
}

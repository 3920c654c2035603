/**
 * The id of an event by the parameter `webhook_event_id`: a path such as `alert.id`, or a template such as
 * `{{host.name}}-{{rule.id}}`.
 *
 * 1. A path without a value gives no id, and so does a template with one: two events must not become one by an
 *    accident.
 * 2. Different values give different ids: `web` and `1-2` is not `web-1` and `2` (domain/event/client-id.ts).
 */
import { fittingId, joinedId } from '../../domain/event/client-id.js'
import { text, type DocumentJson } from './formats/format.js'
import { valueAt } from '../../domain/event/path.js'

/** The id that the parameter gives, or null. */
export function idBy(pattern: string, document: DocumentJson): string | null {
  const parts = pattern.split(/\{\{([^{}]+)\}\}/)
  const paths = parts.filter((_, n) => n % 2 === 1)
  if (paths.length === 0) return text(valueAt(document, pattern.trim())) ?? null
  const values = paths.map((path) => text(valueAt(document, path.trim())))
  if (!values.every((value) => value !== undefined)) return null
  return joinedId(
    values,
    parts.filter((_, n) => n % 2 === 0),
  )
}

/** An id that the service takes. */
export const fitting = fittingId

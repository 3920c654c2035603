/** Checks bytes from outside: only one JSON object may be placed between the bytes of other events. */
import { parsed } from '../domain/event/input/documents.js'
import { textOf } from '../domain/event/input/text-bytes.js'
import { isJsonObject } from '../domain/event/json.js'
import { limits } from '../limits.js'

/**
 * Why these bytes cannot be an event, or null. The content of the object is checked when it becomes an event; what is
 * not UTF-8 becomes U+FFFD there.
 */
export function misfitOf(body: Uint8Array): string | null {
  if (body.length > limits.eventBytesMax) return `it has more than ${limits.eventBytesMax} bytes`
  const read = parsed(textOf(body))
  if ('problem' in read) return read.problem
  return isJsonObject(read.value) ? null : 'it is not a JSON object'
}

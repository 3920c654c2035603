/** Checks bytes from outside: only one JSON object may be placed between the bytes of other events. */
import { limits } from '../limits.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Why these bytes cannot be an event, or null. The content of the object is checked when it becomes an event. */
export function misfitOf(body: Uint8Array): string | null {
  if (body.length > limits.eventBytesMax) return `it has more than ${limits.eventBytesMax} bytes`
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return 'it is not UTF-8'
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is not JSON'
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'it is not a JSON object'
}

/** Bodies that come from outside as they are: whether they can be an event at all, before they are put between other bytes. */
import { limits } from '../limits.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Why these bytes are not one JSON object that an event could be, or null. What is in it is judged where it becomes an event. */
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
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'it is no JSON object'
}

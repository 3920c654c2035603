/** Names of requests, to find one in the log again. */
import { randomBytes } from 'node:crypto'
import { limits } from '../../engine/index.js'

const fit = /^[\w.:/+=@-]+$/

/** True for an id that may be repeated in a header and in the log. */
export function isRequestId(text: string): boolean {
  return text.length <= limits.requestIdCharsMax && fit.test(text)
}

/** Different from one process to the next. */
const ofProcess = randomBytes(6).toString('hex')
let made = 0

export function nextRequestId(): string {
  return `${ofProcess}-${(++made).toString(36)}`
}

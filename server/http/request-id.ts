/** Request ids, to find a request in the log. */
import { randomBytes } from 'node:crypto'
import { limits } from '../../engine/index.js'

const fit = /^[\w.:/+=@-]+$/

/** True if the id may be repeated in a header and in the log. */
export function isRequestId(text: string): boolean {
  return text.length <= limits.requestIdCharsMax && fit.test(text)
}

/** A random prefix for each process. */
const ofProcess = randomBytes(6).toString('hex')
let made = 0

export function nextRequestId(): string {
  return `${ofProcess}-${(++made).toString(36)}`
}

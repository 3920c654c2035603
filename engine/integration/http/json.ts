/** JSON answers of counterparts, parsed only up to a depth of nesting. */
import { bounds } from '../bounds.js'
import { HttpFailure } from './http-client.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** True if well-formed JSON is nested deeper than `depthMax`. */
function isDeeperThan(bytes: Uint8Array, depthMax: number): boolean {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      while (++at < bytes.length && bytes[at] !== QUOTE) if (bytes[at] === BACKSLASH) at++
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > depthMax) return true
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return false
}

/** The parsed value; undefined for no bytes. @throws HttpFailure if the bytes are not JSON, or nested too deep. */
export function parseBounded(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (isDeeperThan(bytes, bounds.answerDepthMax))
    throw new HttpFailure(`the answer is nested deeper than ${bounds.answerDepthMax} levels`)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new HttpFailure('the answer is not JSON')
  }
}

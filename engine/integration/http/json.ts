/** JSON answers of counterparts, parsed only up to a depth of nesting. */
import { parseJson, type OnRepeated } from '../../domain/event/json.js'
import { isRefusal } from '../../errors.js'
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

/** An answer, or a line of one, is nested too deep. */
export class AnswerTooDeep extends HttpFailure {
  constructor() {
    super(`the answer is nested deeper than ${bounds.answerDepthMax} levels`)
  }
}

/**
 * The parsed value; undefined for no bytes. Its numbers are doubles: for what a counterpart says about a request, such
 * as statuses, counts and times. What becomes a part of an event is read by parseExact.
 * @throws HttpFailure if the bytes are not JSON, or nested too deep.
 */
export function parseBounded(bytes: Buffer): unknown {
  return parsedBy((text) => JSON.parse(text) as unknown, bytes)
}

/**
 * As parseBounded, with numbers as they were written (S31). `repeated`: see parseJson.
 * @throws Refusal number_too_large (S46), too.
 */
export function parseExact(bytes: Buffer, repeated?: OnRepeated): unknown {
  return parsedBy((text) => parseJson(text, repeated), bytes)
}

function parsedBy(parse: (text: string) => unknown, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (isDeeperThan(bytes, bounds.answerDepthMax)) throw new AnswerTooDeep()
  try {
    return parse(bytes.toString('utf8'))
  } catch (error) {
    if (isRefusal(error)) throw error
    throw new HttpFailure('the answer is not JSON')
  }
}

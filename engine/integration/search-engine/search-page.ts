/**
 * One answer of a search, taken apart where it lies: the documents in it stay the bytes that they are, and only what is around
 * them is parsed. They become events without being parsed and written again here, so their numbers keep all their digits.
 *
 * Owns: finding where documents begin and end. Leaves out: what stands in them (the job's thread parses them), what the
 * rest of the answer means (search-query.ts).
 */
import { bounds } from '../bounds.js'
import { HttpFailure } from '../http/http-client.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const SPACE = 0x20
const OBJECT = 0x7b
const NAME = Buffer.from('"_source"')
/** Objects and lists around the fields of a hit: the answer, `hits`, its `hits`, the hit. */
const HIT_DEPTH = 4

export interface SearchPage {
  /** The answer; `_source` of its hits is where the document is in `sources`. */
  readonly answer: unknown
  readonly sources: readonly Uint8Array[]
}

/** Behind the string that begins at `at`. */
function behindString(bytes: Buffer, at: number): number {
  while (++at < bytes.length && bytes[at] !== QUOTE) if (bytes[at] === BACKSLASH) at++
  return Math.min(at + 1, bytes.length)
}

/** Where the object begins that is the value of the name that ends at `at`, or -1. */
function objectBehind(bytes: Buffer, at: number): number {
  while ((bytes[at] as number) <= SPACE) at++
  if (bytes[at] !== COLON) return -1
  do at++
  while ((bytes[at] as number) <= SPACE)
  return bytes[at] === OBJECT ? at : -1
}

/** @throws HttpFailure where the bytes are no JSON, or nested deeper than answers may be. */
export function parsePage(bytes: Buffer): SearchPage {
  const sources: Uint8Array[] = []
  const around: string[] = []
  let [depth, sourceFrom, keptTo, at] = [0, -1, 0, 0]
  while (at < bytes.length) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      const end = behindString(bytes, at)
      if (depth === HIT_DEPTH && end - at === NAME.length && NAME.compare(bytes, at, end) === 0)
        sourceFrom = objectBehind(bytes, end)
      at = sourceFrom >= 0 && depth === HIT_DEPTH ? sourceFrom : end
      continue
    }
    if (byte === OBJECT || byte === 0x5b) {
      if (++depth > bounds.answerDepthMax)
        throw new HttpFailure(`an answer nested deeper than ${bounds.answerDepthMax} levels`)
    } else if (byte === 0x7d || byte === 0x5d) {
      if (--depth === HIT_DEPTH && sourceFrom >= 0) {
        around.push(bytes.toString('utf8', keptTo, sourceFrom), String(sources.length))
        sources.push(bytes.subarray(sourceFrom, at + 1))
        keptTo = at + 1
        sourceFrom = -1
      }
    }
    at++
  }
  around.push(bytes.toString('utf8', keptTo))
  try {
    return { answer: JSON.parse(around.join('')), sources }
  } catch {
    throw new HttpFailure('an answer that is not JSON')
  }
}

/**
 * Splits the answer of a search without parsing its documents. They stay bytes until they become events, so numbers
 * keep all their digits and nothing is parsed twice.
 *
 * Owns: where documents begin and end. Leaves out: their content (parsed on the thread of the job), the rest of the
 * answer (search-query.ts).
 */
import { bounds } from '../bounds.js'
import { HttpFailure } from '../http/http-client.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const SPACE = 0x20
const OBJECT = 0x7b
const OBJECT_END = 0x7d
const LIST = 0x5b
const LIST_END = 0x5d
const NAME = Buffer.from('"_source"')
/** Nesting depth of the fields of a hit: the answer, `hits`, its `hits`, the hit. */
const HIT_DEPTH = 4

export interface SearchPage {
  /** The answer; `_source` of a hit is the index of its document in `sources`. */
  readonly answer: unknown
  readonly sources: readonly Uint8Array[]
}

/** The end of the string that begins at `at`. */
function behindString(bytes: Buffer, at: number): number {
  while (++at < bytes.length && bytes[at] !== QUOTE) if (bytes[at] === BACKSLASH) at++
  return Math.min(at + 1, bytes.length)
}

/** Start of the object that is the value of the name that ends at `at`; -1 if the value is not an object. */
function objectBehind(bytes: Buffer, at: number): number {
  while ((bytes[at] as number) <= SPACE) at++
  if (bytes[at] !== COLON) return -1
  do at++
  while ((bytes[at] as number) <= SPACE)
  return bytes[at] === OBJECT ? at : -1
}

/** Splits an answer. @throws HttpFailure if it is not JSON, or nested deeper than `answerDepthMax` around documents. */
export function parsePage(bytes: Buffer): SearchPage {
  const { rest, sources } = split(bytes)
  try {
    return { answer: JSON.parse(rest), sources }
  } catch {
    throw new HttpFailure('the answer is not JSON')
  }
}

/** The documents of the hits, and the text of the answer in which a number stands for each of them. */
function split(bytes: Buffer): { rest: string; sources: Uint8Array[] } {
  const sources: Uint8Array[] = []
  const around: string[] = []
  let [depth, sourceFrom, keptTo, at] = [0, -1, 0, 0]
  while (at < bytes.length) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      const end = behindString(bytes, at)
      if (depth === HIT_DEPTH && isSourceName(bytes, at, end)) sourceFrom = objectBehind(bytes, end)
      at = sourceFrom >= 0 && depth === HIT_DEPTH ? sourceFrom : end
      continue
    }
    if (isStart(byte)) {
      // The depth of a document is its own matter: it is not parsed here, and may be no event.
      if (++depth > bounds.answerDepthMax && sourceFrom < 0)
        throw new HttpFailure(`the answer is nested deeper than ${bounds.answerDepthMax} levels`)
    } else if (isEnd(byte) && --depth === HIT_DEPTH && sourceFrom >= 0) {
      around.push(bytes.toString('utf8', keptTo, sourceFrom), String(sources.length))
      sources.push(bytes.subarray(sourceFrom, at + 1))
      keptTo = at + 1
      sourceFrom = -1
    }
    at++
  }
  around.push(bytes.toString('utf8', keptTo))
  return { rest: around.join(''), sources }
}

function isSourceName(bytes: Buffer, at: number, end: number): boolean {
  return end - at === NAME.length && NAME.compare(bytes, at, end) === 0
}

function isStart(byte: number): boolean {
  return byte === OBJECT || byte === LIST
}

function isEnd(byte: number): boolean {
  return byte === OBJECT_END || byte === LIST_END
}

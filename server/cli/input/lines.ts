/** Lines of bytes that arrive in pieces, a block of whole lines at a time. */
import { UsageError } from '../failure.js'
import { isOneObject } from './one-object.js'

/** A line that is longer is no event: the service takes 8 MiB. */
const LINE_BYTES_MAX = 32 << 20
const LINE_FEED = 0x0a

export interface Line {
  /** Without its end. */
  readonly text: string
  /** It can be one JSON object and nothing beside it (one-object.ts). */
  readonly isObject: boolean
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whole lines as text. @throws UsageError for what is not UTF-8. */
function blockOf(bytes: Uint8Array): Line[] {
  let texts: string[]
  try {
    texts = decoder.decode(bytes).split('\n')
  } catch {
    throw new UsageError('the input is not UTF-8')
  }
  let start = 0
  return texts.map((text) => {
    const found = bytes.indexOf(LINE_FEED, start)
    const end = found < 0 ? bytes.length : found
    const isObject = isOneObject(bytes, start, end)
    start = end + 1
    return { text: text.endsWith('\r') ? text.slice(0, -1) : text, isObject }
  })
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/** Blocks of lines. The last line needs no end. A byte order mark before the first is removed. */
export async function* blocksOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line[], void, void> {
  let rest: Uint8Array = new Uint8Array(0)
  let isFirst = true
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(LINE_FEED)
    if (end < 0) {
      rest = Buffer.concat([rest, piece])
      if (rest.length > LINE_BYTES_MAX) throw new UsageError('a line of the input is longer than any event may be')
      continue
    }
    const head = piece.subarray(0, end)
    const block = rest.length === 0 ? head : Buffer.concat([rest, head])
    yield blockOf(isFirst ? withoutMark(block) : block)
    isFirst = false
    rest = piece.subarray(end + 1)
  }
  if (rest.length > 0) yield blockOf(isFirst ? withoutMark(rest) : rest)
}

/** The texts of lines, one after the other. */
export async function* textsOf(blocks: AsyncIterable<readonly Line[]>): AsyncGenerator<string, void, void> {
  for await (const block of blocks) for (const { text } of block) yield text
}

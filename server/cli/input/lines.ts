/** Lines of bytes that arrive in pieces, a block of whole lines at a time. */
import { isUtf8 } from 'node:buffer'
import { UsageError } from '../failure.js'

/** A line that is longer is no event: the service takes 8 MiB. */
const LINE_BYTES_MAX = 32 << 20
const LINE_FEED = 0x0a

/** Whole lines, without the end of the last one. */
export type Block = Buffer

function blockOf(bytes: Buffer): Block {
  if (!isUtf8(bytes)) throw new UsageError('the input is not UTF-8')
  return bytes
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/** The same bytes as a buffer. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** Blocks of lines. The last line needs no end. A byte order mark before the first is removed. */
export async function* blocksOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Block, void, void> {
  let rest: Buffer = Buffer.alloc(0)
  let isFirst = true
  for await (const bytes of pieces) {
    const piece = bufferOf(bytes)
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

/** The lines of a block as text. */
export function textsIn(block: Block): string[] {
  const texts = block.toString().split('\n')
  return texts.map((text) => (text.endsWith('\r') ? text.slice(0, -1) : text))
}

/** The texts of lines, one after the other. */
export async function* textsOf(blocks: AsyncIterable<Block>): AsyncGenerator<string, void, void> {
  for await (const block of blocks) yield* textsIn(block)
}

/** Where the line that starts at `start` ends. */
export function lineEnd(block: Block, start: number): number {
  const found = block.indexOf(LINE_FEED, start)
  return found < 0 ? block.length : found
}

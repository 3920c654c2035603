/** Lines of text that arrives in pieces. */
import { UsageError } from '../failure.js'

/** A line that is longer is no event: the service takes 8 MiB. */
const LINE_CHARS_MAX = 32 << 20

/** Each line without its end. The last one needs none. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()!
    if (rest.length > LINE_CHARS_MAX) throw new UsageError('a line of the input is longer than any event may be')
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest
}

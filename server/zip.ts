/**
 * ZIP archives that are sent while they are packed. Only this file imports `yazl`, which packs in pieces on libuv's
 * threads.
 */
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { replyError } from './http/error-reply.js'
import type { Exchange } from './http/exchange.js'
import { PacedAnswer } from './http/pieces/paced-answer.js'
import { statusLine } from './http/reply.js'

export const zipType = 'application/zip'

export interface ZipEntry {
  readonly name: string
  readonly content: AsyncIterable<Buffer>
  /** Called at the end, after success or failure. */
  close(): Promise<void>
}

/**
 * Answers with an archive, or with the refusal of `entries`. If an entry fails halfway, the connection is cut: half an
 * archive must not look like a whole one.
 */
export function replyZip(exchange: Exchange, name: string, entries: Promise<readonly ZipEntry[]>): void {
  let isGone = false
  exchange.hold(() => (isGone = true))
  entries
    .then(async (all) => {
      try {
        await send(exchange, name, all, () => isGone)
      } finally {
        await Promise.all(all.map((entry) => entry.close()))
      }
    })
    .catch((error: unknown) => replyError(exchange, error))
}

async function send(
  exchange: Exchange,
  name: string,
  entries: readonly ZipEntry[],
  isGone: () => boolean,
): Promise<void> {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  for (const entry of entries) {
    const source = Readable.from(entry.content, { objectMode: false })
    source.on('error', (error) => output.destroy(error))
    zip.addReadStream(source, entry.name, { mtime: new Date() })
  }
  zip.end()
  exchange.beginStream(statusLine(200), zipType, [['Content-Disposition', `attachment; filename="${name}"`]])
  if (exchange.method === 'head') return void output.destroy()
  try {
    const answer = new PacedAnswer(exchange, isGone)
    for await (const piece of output) {
      await answer.write(piece as Buffer)
      if (isGone()) return
    }
    exchange.endStream()
  } catch (error) {
    exchange.failed(error)
    exchange.cut()
  } finally {
    output.destroy()
  }
}

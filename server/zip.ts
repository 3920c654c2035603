/** A ZIP archive that is sent while it is made. The one file that imports `yazl`: it packs on libuv's threads, in pieces. */
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { monitorBounds } from '../engine/index.js'
import { replyError } from './http/error-reply.js'
import type { Exchange } from './http/exchange.js'
import { statusLine } from './http/reply.js'

export const zipType = 'application/zip'

export interface ZipEntry {
  readonly name: string
  readonly content: AsyncIterable<Buffer>
  /** Called at the end, whatever it was. */
  close(): Promise<void>
}

/** Before the next piece for a client that reads slowly; each doubles it. */
const WAIT_FIRST_MS = 2
const WAIT_MOST_MS = 1_000

/**
 * Answers with an archive, or with the refusal that `entries` rejects with. Where an entry fails in the midst of it, the
 * connection is cut: half an archive must not look like a whole one.
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
    const pace = new Pace()
    for await (const piece of output) {
      if (!exchange.write(piece as Buffer)) await pace.blocked()
      else pace.flows()
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

/** uWebSockets.js drains what it keeps but does not say when: the next piece finds out, each after a longer wait. */
class Pace {
  #wait = WAIT_FIRST_MS
  #since: number | null = null

  flows(): void {
    this.#wait = WAIT_FIRST_MS
    this.#since = null
  }

  /** @throws Error where the client has read nothing for too long. */
  async blocked(): Promise<void> {
    this.#since ??= performance.now()
    if (performance.now() - this.#since > monitorBounds.exportStallMs) throw new Error('the client does not read on')
    await new Promise((resolve) => setTimeout(resolve, this.#wait))
    this.#wait = Math.min(2 * this.#wait, WAIT_MOST_MS)
  }
}

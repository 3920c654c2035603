/** Bytes of a file or of standard input, unpacked where they are gzip. */
import { createReadStream, statSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { UsageError } from '../failure.js'

export interface InputSource {
  readonly bytes: AsyncIterable<Uint8Array>
  /** The share of the bytes that were read; null where nobody knows how many come. */
  share(): number | null
}

const FIRST_BYTES = [0x1f, 0x8b] as const
/** Bytes of one read. Larger reads make fewer pauses for the loop of the process. */
const READ_BYTES = 1 << 20

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === FIRST_BYTES[0] && bytes[1] === FIRST_BYTES[1]
}

function fileOf(path: string): { stream: Readable; bytes: number | null } {
  const stats = statSync(path)
  if (stats.isDirectory()) throw new UsageError(`${path} is a directory; give a file`)
  const stream = createReadStream(path, { highWaterMark: READ_BYTES })
  return { stream, bytes: stats.isFile() ? stats.size : null }
}

/** The pieces from the first that has two bytes on, so that the kind of the bytes can be seen. */
async function* withStart(pieces: AsyncIterable<Uint8Array>, first: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of first) yield piece
  yield* pieces
}

async function unpacked(stream: Readable, count: (bytes: number) => void): Promise<AsyncIterable<Uint8Array>> {
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      count(piece.length)
      yield piece
    }
  }
  const pieces = counted()
  const first: Uint8Array[] = []
  let start = Buffer.alloc(0)
  while (start.length < FIRST_BYTES.length) {
    const next = await pieces.next()
    if (next.done === true) break
    first.push(next.value)
    start = Buffer.concat(first)
  }
  const whole = withStart(pieces, first)
  if (!isGzip(start)) return whole
  // What fails before it, fails its reader, too.
  return pipeline(Readable.from(whole, { objectMode: false }), createGunzip(), () => {})
}

/** The same pieces. @throws UsageError for gzip that is damaged or cut off. */
async function* explained(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') === true)
      throw new UsageError('the input is not valid gzip')
    throw error
  }
}

/** Opens a file; `-` or nothing is standard input. */
export async function openSource(path: string | undefined, stdin: Readable): Promise<InputSource> {
  const { stream, bytes } = path === undefined || path === '-' ? { stream: stdin, bytes: null } : fileOf(path)
  let read = 0
  const pieces = await unpacked(stream, (count) => (read += count))
  return { bytes: explained(pieces), share: () => (bytes === null ? null : bytes === 0 ? 1 : read / bytes) }
}

/**
 * The process of a flood: opens connections to `_bulk` and writes to each as fast as the socket takes it, without a
 * window. A connection that is closed is opened again. One JSON argument in, one line of JSON out.
 */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

/** What is sent, and how. */
export interface Flood {
  readonly port: number
  readonly key: string
  /** NDJSON. It is sent over and over. */
  readonly file: string
  readonly connections: number
  /** From the first answer that is read; from the start where none are. */
  readonly seconds: number
  /** The flood ends when the service has closed a connection, too. */
  readonly untilClosed?: boolean
  /** The same when the standard input ends, behind the first answer if answers are read. */
  readonly untilInputEnds?: boolean
  /** Bytes in one chunk of the chunked coding. */
  readonly chunkBytes: number
  readonly gzip: boolean
  /** False: answers are not read. */
  readonly reads: boolean
  /** Bytes after which the flood ends, over all connections. */
  readonly bytesMax: number
}

export interface FloodResult {
  /** Lines that were answered with OK, and with an error. */
  readonly accepted: number
  readonly refused: number
  readonly sentBytes: number
  /** Connections that the service closed. */
  readonly closed: number
  /** The last error line. */
  readonly error: string
}

const BLOCK_BYTES = 1024 * 1024
const REOPEN_MS = 20
/** How long the first answer may take: much longer than a busy machine needs. */
const FIRST_ANSWER_MS = 60_000
const CHECK_MS = 20
/** From the end of the flood to its result: closed sockets count what they were told. */
const CLOSING_MS = 300

/** The text in the chunked coding, in pieces of about a mebibyte. */
function encoded(bytes: Buffer, chunkBytes: number): Buffer[] {
  const blocks: Buffer[] = []
  let block: Buffer[] = []
  let size = 0
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes)
    block.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
    size += chunk.length
    if (size < BLOCK_BYTES && at + chunkBytes < bytes.length) continue
    blocks.push(Buffer.concat(block))
    block = []
    size = 0
  }
  return blocks
}

/** Counts a needle, also across the cuts between pieces. */
class Count {
  readonly #needle: string
  #rest = ''
  count = 0

  constructor(needle: string) {
    this.#needle = needle
  }

  feed(piece: string): void {
    const text = this.#rest + piece
    let past = 0
    for (let at = text.indexOf(this.#needle); at >= 0; at = text.indexOf(this.#needle, past)) {
      this.count++
      past = at + this.#needle.length
    }
    this.#rest = text.slice(Math.max(past, text.length - this.#needle.length + 1))
  }
}

const flood = JSON.parse(process.argv[2] ?? '') as Flood
const text = readFileSync(flood.file)
const blocks = encoded(flood.gzip ? gzipSync(text, { level: 1 }) : text, flood.chunkBytes)
let until = performance.now() + (flood.reads ? FIRST_ANSWER_MS : flood.seconds * 1_000)
let answered = false
let isEnding = false
const sockets = new Set<Socket>()
let accepted = 0
let refused = 0
let sentBytes = 0
let closed = 0
let error = ''

function open(): void {
  const socket = connect({ host: '127.0.0.1', port: flood.port, noDelay: true })
  sockets.add(socket)
  const oks = new Count('"status":"OK"')
  const errors = new Count('"status":"ERROR"')
  let next = 0
  const write = (): void => {
    while (!socket.destroyed && performance.now() < until && sentBytes < flood.bytesMax) {
      const block = blocks[next++ % blocks.length] as Buffer
      sentBytes += block.length
      if (!socket.write(block)) return
    }
  }
  socket.on('drain', write)
  socket.on('error', () => {})
  socket.on('close', () => {
    sockets.delete(socket)
    accepted += oks.count
    refused += errors.count
    if (performance.now() >= until) return
    closed++
    if (flood.untilClosed === true) until = performance.now()
    else setTimeout(open, REOPEN_MS)
  })
  if (flood.reads)
    socket.on('data', (bytes) => {
      const answer = bytes.toString('latin1')
      oks.feed(answer)
      if (!answered && oks.count > 0) {
        answered = true
        until = isEnding ? Number.NEGATIVE_INFINITY : performance.now() + flood.seconds * 1_000
      }
      const before = errors.count
      errors.feed(answer)
      if (errors.count > before) error = answer.slice(-300)
    })
  socket.write(
    'POST /api/v1/events/_bulk HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n' +
      `x-service-api-key: ${flood.key}\r\n\r\n`,
  )
  write()
}

const end = (): void => {
  isEnding = true
  if (answered || !flood.reads) until = Number.NEGATIVE_INFINITY
}
if (flood.untilInputEnds === true) process.stdin.on('end', end).resume()
for (let i = 0; i < flood.connections; i++) open()
const check = setInterval(() => {
  if (performance.now() < until) return
  clearInterval(check)
  for (const socket of sockets) socket.destroy()
  setTimeout(() => {
    const result: FloodResult = { accepted, refused, sentBytes, closed, error }
    console.log(JSON.stringify(result))
    process.exit(0)
  }, CLOSING_MS)
}, CHECK_MS)

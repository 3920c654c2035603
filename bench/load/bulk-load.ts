/**
 * Plays NDJSON lines into `_bulk`: a few connections, each with one request after the other, bodies in chunks.
 *
 * The pool of lines is cut into blocks that are sent over and over. Lines have no event id, so every line is a new
 * event. Paced: blocks are due at fixed times. Latency is that of a block, from when it was handed to the socket
 * (paced: from when it was due) to the answer of its last line.
 */
import { connect, type Socket } from 'node:net'
import { Histogram } from './histogram.js'
import { ResponseReader } from './response-reader.js'

export interface BulkLoad {
  readonly port: number
  readonly connections: number
  /** The load stops at whichever comes first; Infinity for none. */
  readonly seconds: number
  readonly events: number
  /** Events a second over all connections; 0 for as fast as answers arrive. */
  readonly rate: number
  /** Lines a block. */
  readonly blockLines: number
  /** A connection pauses when it has this many unanswered lines. */
  readonly windowLines: number
  readonly headers: Readonly<Record<string, string>>
  /** Each ends with a line feed. */
  readonly lines: readonly string[]
}

export interface BulkResult {
  readonly events: number
  readonly seconds: number
  readonly p50Micros: number
  readonly p99Micros: number
  /** Lines answered with an error. */
  readonly refused: number
  /** Lines whose answer has no decision. */
  readonly undecided: number
}

/** A block as a chunk of the chunked coding. */
function encodeBlocks(load: BulkLoad): Buffer[] {
  const blocks: Buffer[] = []
  for (let at = 0; at + load.blockLines <= load.lines.length; at += load.blockLines) {
    const body = Buffer.from(load.lines.slice(at, at + load.blockLines).join(''))
    blocks.push(Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]))
  }
  if (blocks.length === 0) throw new Error('fewer lines than a block has')
  return blocks
}

/** Counts needles, also across the boundaries of pieces. */
class Counter {
  readonly #needle: Buffer
  #rest = Buffer.alloc(0)
  count = 0

  constructor(needle: string) {
    this.#needle = Buffer.from(needle)
  }

  feed(piece: Buffer): void {
    const length = this.#needle.length
    if (length > 1 && this.#rest.length > 0) {
      const seam = Buffer.concat([this.#rest, piece.subarray(0, length - 1)])
      if (seam.indexOf(this.#needle) >= 0) this.count++
    }
    for (let at = piece.indexOf(this.#needle); at >= 0; at = piece.indexOf(this.#needle, at + length)) this.count++
    if (length > 1) {
      const both = piece.length >= length - 1 ? piece : Buffer.concat([this.#rest, piece])
      this.#rest = Buffer.from(both.subarray(Math.max(0, both.length - length + 1)))
    }
  }
}

class BulkConnection {
  readonly #socket: Socket
  readonly #sentAt: number[] = []
  readonly #lines = new Counter('\n')
  readonly #refusals = new Counter('"status":"ERROR"')
  readonly #undecided = new Counter('"result":""')
  #sentLines = 0
  #ended = false

  constructor(load: BulkLoad, histogram: Histogram, onRoom: () => void, onEnd: (error: Error | null) => void) {
    this.#socket = connect({ host: '127.0.0.1', port: load.port, noDelay: true })
    const head = ['POST /api/v1/events/_bulk HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/x-ndjson']
    for (const [name, value] of Object.entries(load.headers)) head.push(`${name}: ${value}`)
    this.#socket.write(`${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const reader = new ResponseReader({
      start: (status) => {
        if (status >= 300) onEnd(new Error(`_bulk answered ${status}`))
      },
      body: (piece) => {
        this.#lines.feed(piece)
        this.#refusals.feed(piece)
        this.#undecided.feed(piece)
        const now = performance.now()
        const answeredBlocks = Math.floor(this.#lines.count / load.blockLines)
        while (this.#sentAt.length > Math.ceil(this.#sentLines / load.blockLines) - answeredBlocks) {
          histogram.record((now - (this.#sentAt.shift() as number)) * 1000)
        }
        onRoom()
      },
      end: () => onEnd(this.#ended ? null : new Error('_bulk answered before the body was over')),
    })
    this.#socket.on('data', (piece) => reader.feed(piece))
    this.#socket.on('error', (error) => onEnd(error))
    this.#socket.on('close', () => {
      const state = this.#ended ? 'whole' : 'unfinished'
      onEnd(new Error(`the connection closed with ${this.underWay} lines unanswered, the request ${state}`))
    })
    this.#socket.on('drain', onRoom)
  }

  /** Lines sent and not answered. */
  get underWay(): number {
    return this.#sentLines - this.#lines.count
  }

  get writable(): boolean {
    return !this.#socket.writableNeedDrain
  }

  get answers(): { readonly lines: number; readonly refused: number; readonly undecided: number } {
    return { lines: this.#lines.count, refused: this.#refusals.count, undecided: this.#undecided.count }
  }

  send(block: Buffer, lines: number, dueAt: number): void {
    this.#sentAt.push(dueAt)
    this.#sentLines += lines
    this.#socket.write(block)
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#socket.write('0\r\n\r\n')
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

/** Runs a load to its end. Every line is answered when it resolves. */
export async function runBulkLoad(load: BulkLoad): Promise<BulkResult> {
  const blocks = encodeBlocks(load)
  const histogram = new Histogram()
  const startedAt = performance.now()
  let nextBlock = 0
  let sent = 0
  const done = (): boolean => sent >= load.events || performance.now() - startedAt >= load.seconds * 1000
  const dueNow = (now: number): number => {
    return load.rate === 0 ? now : startedAt + (sent * 1000) / load.rate
  }
  const connections: BulkConnection[] = []
  /** When paced, a connection takes one block at a time and leaves the next to the others. */
  const pump = (connection: BulkConnection): void => {
    const now = performance.now()
    let left = load.rate === 0 ? Number.POSITIVE_INFINITY : 1
    while (left-- > 0 && !done() && connection.writable && connection.underWay + load.blockLines <= load.windowLines) {
      const dueAt = dueNow(now)
      if (dueAt > now) return
      connection.send(blocks[nextBlock++ % blocks.length] as Buffer, load.blockLines, dueAt)
      sent += load.blockLines
    }
    if (done()) connection.end()
  }
  const finished = Array.from({ length: load.connections }, () => {
    return new Promise<void>((resolve, reject) => {
      const onEnd = (error: Error | null): void => (error === null ? resolve() : reject(error))
      const connection: BulkConnection = new BulkConnection(load, histogram, () => pump(connection), onEnd)
      connections.push(connection)
    })
  })
  // Another connection goes first each time. Under a low rate the first one would take all blocks, and the others would
  // look dead.
  let first = 0
  const pumpAll = (): void => {
    first++
    for (let i = 0; i < connections.length; i++) pump(connections[(first + i) % connections.length] as BulkConnection)
  }
  const timer = setInterval(pumpAll, 1)
  pumpAll()
  try {
    await Promise.all(finished)
  } finally {
    clearInterval(timer)
    for (const connection of connections) connection.destroy()
  }
  const seconds = (performance.now() - startedAt) / 1000
  const total = { lines: 0, refused: 0, undecided: 0 }
  for (const { answers } of connections) {
    total.lines += answers.lines
    total.refused += answers.refused
    total.undecided += answers.undecided
  }
  return {
    events: total.lines,
    seconds,
    p50Micros: histogram.percentile(50),
    p99Micros: histogram.percentile(99),
    refused: total.refused,
    undecided: total.undecided,
  }
}

/**
 * The body of a streamed request as lines: plain or gzip, stopped and started as its reader wants.
 *
 * 1. Memory is bounded: what is unread is one socket chunk, or one piece of unpacked gzip, and one line.
 * 2. Whoever stops the source is asked for no more lines; `more` is called whenever there may be some.
 * 3. After `close` nothing is called any more.
 */
import { createGunzip, type Gunzip } from 'node:zlib'
import { limits } from '../../../engine/index.js'
import { isGzipStart } from '../../http/body.js'
import type { BodySink } from '../../http/body-sink.js'
import type { Exchange } from '../../http/exchange.js'
import { LineSplitter, type Skipped } from '../../http/ndjson.js'

const UNPACKED_CHUNK_BYTES = 128 * 1024
/** How often the native idle time, of about ten seconds, is begun anew. */
const STAY_MS = 4_000

export interface LineReader {
  /** There may be lines to take, or the end has come. */
  more(): void
  /** The client went. */
  gone(): void
}

export class LineSource implements BodySink {
  readonly #exchange: Exchange
  readonly #reader: LineReader
  readonly #splitter: LineSplitter
  #gunzip: Gunzip | null = null
  #begun = false
  #stopped = false
  /** Gzip takes no more for now. */
  #choked = false
  /** All of the body has come. */
  #whole = false
  #closed = false
  /** When something came last. */
  #heardAt = performance.now()
  readonly #stay: NodeJS.Timeout
  /** The gzip was not valid: what came before still counts. */
  broken = false

  constructor(exchange: Exchange, lineBytesMax: number, reader: LineReader) {
    this.#exchange = exchange
    this.#reader = reader
    this.#splitter = new LineSplitter(lineBytesMax)
    this.#stay = setInterval(() => this.#stayOpen(), STAY_MS)
  }

  /** All lines are taken. */
  get done(): boolean {
    return this.#closed || this.#splitter.done
  }

  /** Valid until the reader returns. */
  next(): Buffer | Skipped | null {
    return this.#closed ? null : this.#splitter.next()
  }

  chunk(bytes: Uint8Array, last: boolean): void {
    if (this.#closed) return
    this.#heardAt = performance.now()
    this.#whole = last
    if (!this.#begun && bytes.length > 0) {
      this.#begun = true
      if (isGzipStart(bytes)) this.#gunzip = this.#unpack()
    }
    if (this.#gunzip !== null) return this.#feedGunzip(this.#gunzip, bytes, last)
    this.#splitter.feed(bytes)
    if (last) this.#splitter.end()
    this.#reader.more()
    this.#splitter.keep()
  }

  gone(): void {
    this.close()
    this.#reader.gone()
  }

  /** Asks for no more bytes. Some that are on their way may still come. */
  stop(): void {
    if (this.#stopped || this.#closed) return
    this.#stopped = true
    if (this.#gunzip !== null) this.#gunzip.pause()
    else this.#exchange.pause()
  }

  start(): void {
    if (!this.#stopped || this.#closed) return
    this.#stopped = false
    if (this.#gunzip !== null) this.#gunzip.resume()
    else this.#exchange.resume()
  }

  /** Takes no more, and forgets what came. What still comes is read and dropped. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#unchoke()
    clearInterval(this.#stay)
    this.#splitter.clear()
    this.#gunzip?.destroy()
  }

  /** The native idle time runs down whoever is waited for; only the client is waited for no longer than so. */
  #stayOpen(): void {
    if (this.#choked || (this.#stopped && this.#gunzip === null)) return this.#exchange.pause()
    const waitsForClient = !this.#stopped && !this.#whole
    if (waitsForClient && performance.now() - this.#heardAt > limits.bulkIdleMsMax) return
    this.#exchange.stayOpen()
  }

  #feedGunzip(gunzip: Gunzip, bytes: Uint8Array, last: boolean): void {
    if (!gunzip.writable) return
    const room = gunzip.write(bytes.slice())
    if (last) gunzip.end()
    else if (!room && !this.#choked) {
      this.#choked = true
      this.#exchange.pause()
    }
  }

  #unpack(): Gunzip {
    const gunzip = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES })
    gunzip.on('data', (bytes: Buffer) => {
      if (this.#closed) return
      this.#splitter.feed(bytes)
      this.#reader.more()
      this.#splitter.keep()
    })
    gunzip.on('drain', () => this.#unchoke())
    gunzip.on('end', () => this.#end())
    gunzip.on('error', () => {
      this.broken = true
      this.#unchoke()
      this.#end()
    })
    return gunzip
  }

  #unchoke(): void {
    if (!this.#choked) return
    this.#choked = false
    this.#exchange.resume()
  }

  #end(): void {
    if (this.#closed) return
    this.#splitter.end()
    this.#reader.more()
  }
}

/**
 * The body of a stream as lines, plain or gzip. Its reader stops and starts it.
 *
 * 1. Memory is bounded: unread are at most one socket chunk or one unpacked piece of gzip, and one line.
 * 2. A stopped source reads no more bytes; `more` is called whenever there may be lines.
 * 3. After `close` nothing is called.
 */
import { createGunzip, type Gunzip } from 'node:zlib'
import { limits } from '../../../engine/index.js'
import { isGzipStart } from '../../http/body.js'
import type { BodySink } from '../../http/body-sink.js'
import type { Exchange } from '../../http/exchange.js'
import { LineSplitter, type Skipped } from '../../http/ndjson.js'

const UNPACKED_CHUNK_BYTES = 128 * 1024
/** How often the native idle timeout, of about ten seconds, is reset. */
const STAY_MS = 4_000

export interface LineReader {
  /** There may be lines to take, or the input has ended. */
  more(): void
  /** The client disconnected. */
  gone(): void
}

export class LineSource implements BodySink {
  readonly #exchange: Exchange
  readonly #reader: LineReader
  readonly #splitter: LineSplitter
  #gunzip: Gunzip | null = null
  #begun = false
  #stopped = false
  /** The decompressor takes no more bytes for now. */
  #choked = false
  /** The whole body has arrived. */
  #whole = false
  #closed = false
  /** When the latest chunk arrived. */
  #heardAt = performance.now()
  readonly #stay: NodeJS.Timeout
  /** The gzip data became invalid. Lines before that count. */
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

  /** The next line, valid until the reader returns. */
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

  /** Reads no more bytes. Bytes already received may still arrive. */
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

  /** Takes no more lines and drops what is left. Later input is read and dropped. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#unchoke()
    clearInterval(this.#stay)
    this.#splitter.clear()
    this.#gunzip?.destroy()
  }

  /**
   * The native idle timeout does not know who is waited for. It is reset here, unless the client sent nothing for too
   * long.
   */
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

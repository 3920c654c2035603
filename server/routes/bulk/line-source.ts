/**
 * The body of a stream as lines, plain or gzip. Its reader stops and starts it.
 *
 * Owns: pausing the socket, what arrives after that, unpacking. Leaves out: when a socket is read again
 * (thread-rounds.ts), lines (ndjson.ts).
 *
 * 1. A paused socket may still bring what the kernel has buffered (thread-rounds.ts). It is kept, up to a bound for one
 *    round and a bound for all streams; a connection that brings more is closed.
 * 2. A stopped source delivers no lines. Its socket is read no more when its round is over.
 * 3. gzip is unpacked on the threads of libuv, one bounded piece at a time. The next piece is given when the reader has
 *    taken the lines of the last one.
 * 4. `more` is called whenever there may be lines. After `close` nothing is called.
 * 5. Lines are UTF-8, whichever charset the body is in. They end with LF, CR LF or NUL, and with CR in a body that has
 *    no LF (S38).
 */
import { createGunzip, type Gunzip } from 'node:zlib'
import { canRead, charsetOf, limits, Utf8Stream } from '../../../engine/index.js'
import { isGzipStart } from '../../http/body.js'
import type { BodySink } from '../../http/body-sink.js'
import type { Exchange } from '../../http/exchange.js'
import { heldBodies } from '../../http/held-bytes.js'
import { LineSplitter, type Skipped } from '../../http/ndjson.js'
import { PieceQueue } from '../../http/pieces/piece-queue.js'
import { workOf, type RoundShare } from './round-share.js'

const UNPACKED_CHUNK_BYTES = 128 * 1024
/** Compressed bytes that are given to the decompressor at once. */
const PACKED_PIECE_BYTES = 32 * 1024
/** Compressed bytes that wait above which the socket is paused. */
const PACKED_BYTES_MAX = 2 * PACKED_PIECE_BYTES
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
  readonly #share: RoundShare
  readonly #splitter: LineSplitter
  #gunzip: Gunzip | null = null
  /** Makes UTF-8 of the body; null where it is that. Known with its first bytes. */
  #utf8: Utf8Stream | null = null
  readonly #charset: string
  #isFirst = true
  #hasLineFeeds = false
  /** Compressed bytes that wait. */
  readonly #packed: PieceQueue
  #unpacking = false
  /** The gzip data has ended; what comes behind it is dropped. */
  #unpacked = false
  #begun = false
  /** The reader takes no lines for now. */
  #stopped = false
  /** The socket is read, or will be when the stream's round comes, or is not. */
  #socket: 'reads' | 'waits' | 'rests' = 'reads'
  /** The whole body has arrived. */
  #whole = false
  #closed = false
  /** When the latest chunk arrived. */
  #heardAt = performance.now()
  readonly #stay: NodeJS.Timeout
  /** The gzip data became invalid. Lines before that count. */
  broken = false

  constructor(exchange: Exchange, share: RoundShare, reader: LineReader) {
    this.#exchange = exchange
    this.#charset = exchange.charset
    this.#share = share
    this.#reader = reader
    this.#splitter = new LineSplitter(limits.eventBytesMax, heldBodies, share.held)
    this.#packed = new PieceQueue(share.held)
    this.#stay = setInterval(() => this.#stayOpen(), STAY_MS)
    if (!share.mayBegin) this.rest()
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
    if (!this.#share.arrived(bytes.length)) return this.#cut()
    if (this.#closed) return
    this.#heardAt = performance.now()
    this.#whole = last
    if (!this.#begun && bytes.length > 0) {
      this.#begun = true
      if (isGzipStart(bytes)) this.#gunzip = this.#makeGunzip()
    }
    if (this.#gunzip !== null) return this.#packedChunk(bytes)
    const text = this.#textOf(bytes, last)
    if (!this.#stopped) this.#splitter.feed(text)
    else if (!this.#splitter.append(text)) return this.#cut()
    if (last) this.#splitter.end()
    if (!this.#stopped) this.#offer()
  }

  gone(): void {
    this.close()
    this.#reader.gone()
  }

  /** Delivers no more lines. */
  stop(): void {
    if (this.#stopped || this.#closed) return
    this.#stopped = true
    if (this.#gunzip === null) this.#restSocket()
    else this.#gunzip.pause()
  }

  start(): void {
    if (!this.#stopped || this.#closed) return
    this.#stopped = false
    if (this.#gunzip === null) this.#wakeSocket()
    else this.#gunzip.resume()
  }

  /** The stream's round has come: its socket may be read. */
  read(): void {
    if (this.#socket !== 'waits') return
    this.#socket = 'reads'
    this.#exchange.resume()
  }

  /** Others have their round first. */
  rest(): void {
    if (this.#socket !== 'reads' || this.#closed) return
    this.#restSocket()
    this.#wakeSocket()
  }

  /** Takes no more lines and drops what is left. Later input is read and dropped. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#share.leave()
    if (this.#socket !== 'reads') this.#exchange.resume()
    this.#socket = 'reads'
    clearInterval(this.#stay)
    this.#splitter.clear()
    this.#packed.clear()
    this.#gunzip?.destroy()
  }

  /** Bytes of the body, unpacked, as lines of UTF-8. */
  #textOf(bytes: Uint8Array, isLast: boolean): Uint8Array {
    if (this.#isFirst && bytes.length > 0) {
      this.#isFirst = false
      const { charset } = charsetOf(bytes, this.#charset)
      if (charset !== '' && canRead(charset)) this.#utf8 = new Utf8Stream(charset)
    }
    const text = this.#utf8 === null ? bytes : this.#utf8.push(bytes, isLast)
    this.#hasLineFeeds ||= text.indexOf(LF) >= 0
    return withLineFeeds(text, !this.#hasLineFeeds)
  }

  /** Offers the lines of what was fed, and keeps what the reader leaves. */
  #offer(): void {
    this.#reader.more()
    if (!this.#splitter.keep()) this.#cut()
  }

  /** The client brings more than is held. A last line would not reach it: closing drops what is not sent. */
  #cut(): void {
    this.#share.cut()
    this.#exchange.cut()
  }

  #restSocket(): void {
    if (this.#socket === 'reads') this.#exchange.pause()
    else if (this.#socket === 'waits') this.#share.withdrawRead()
    this.#socket = 'rests'
  }

  #wakeSocket(): void {
    if (this.#socket !== 'rests') return
    this.#socket = 'waits'
    this.#share.waitToRead()
  }

  /**
   * The native idle timeout does not know who is waited for. It is reset here, unless the client sent nothing for too
   * long.
   */
  #stayOpen(): void {
    if (this.#socket !== 'reads') return this.#exchange.pause()
    const waitsForClient = !this.#stopped && !this.#whole
    if (waitsForClient && performance.now() - this.#heardAt > limits.bulkIdleMsMax) return
    this.#exchange.stayOpen()
  }

  #packedChunk(bytes: Uint8Array): void {
    if (this.#unpacked) return
    if (!this.#packed.append(bytes)) return this.#cut()
    this.#unpackNext()
    if (this.#packed.length > PACKED_BYTES_MAX) this.#restSocket()
  }

  /** Gives the next piece to the decompressor, if it has none. */
  #unpackNext(): void {
    const gunzip = this.#gunzip
    if (gunzip === null || this.#unpacking || this.#unpacked || this.#closed) return
    const { head, at } = this.#packed
    if (head === null) {
      this.#unpacking = this.#whole
      if (this.#whole) gunzip.end()
      return
    }
    const end = Math.min(head.length, at + PACKED_PIECE_BYTES)
    this.#unpacking = true
    gunzip.write(head.subarray(at, end), () => this.#pieceUnpacked(end))
  }

  #pieceUnpacked(end: number): void {
    if (this.#unpacked || this.#closed) return
    this.#unpacking = false
    this.#packed.at = end
    if (end === this.#packed.head?.length) this.#packed.shift()
    this.#packed.release()
    if (this.#packed.length <= PACKED_PIECE_BYTES) this.#wakeSocket()
    this.#unpackNext()
  }

  #makeGunzip(): Gunzip {
    const gunzip = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES })
    gunzip.on('data', (bytes: Buffer) => {
      if (this.#closed) return
      this.#share.spend(workOf(bytes.length))
      this.#splitter.feed(this.#textOf(bytes, false))
      this.#offer()
    })
    gunzip.on('end', () => this.#unpackedAll())
    gunzip.on('error', () => {
      this.broken = true
      this.#unpackedAll()
    })
    return gunzip
  }

  #unpackedAll(): void {
    if (this.#closed || this.#unpacked) return
    this.#unpacked = true
    this.#packed.clear()
    this.#wakeSocket()
    if (this.#utf8 !== null) this.#splitter.feed(this.#textOf(new Uint8Array(0), true))
    this.#splitter.end()
    this.#reader.more()
  }
}

const [LF, CR] = [0x0a, 0x0d]

/** The bytes with line feeds in place of NUL, and of CR `byReturns`; the same bytes where there is neither. */
function withLineFeeds(given: Uint8Array, byReturns: boolean): Uint8Array {
  // Buffers are searched ten times as fast.
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length)
  if (bytes.indexOf(0) < 0 && !(byReturns && bytes.indexOf(CR) >= 0)) return bytes
  return Uint8Array.from(bytes, (byte) => (byte === 0 || (byReturns && byte === CR) ? LF : byte))
}

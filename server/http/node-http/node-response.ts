/**
 * A response of `node:http` with the functions of one of uWebSockets.js, and the body of its request.
 *
 * Owns: the status and the headers until they are sent, the body as pieces, aborts. Leaves out: idle times
 * (connections.ts).
 *
 * 1. A piece that is written is copied: the caller reuses its memory.
 * 2. A client that ends its side of the connection before it is answered counts as gone, unless reading is paused. Its
 *    end may be known before the handler has the whole body, and a handler serves a request at the end of the round
 *    (framing/after-read.ts). So the handler may pause until that round has ended.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { atRoundEnd } from '../../../engine/index.js'
import type { HttpResponse } from '../library.js'
import { began, ended, paused, resumed, type ArrivingBodies } from './connections.js'
import { nameText } from './node-request.js'
import { addressBytes } from './remote-address.js'

/** The most that one call of `write` of Node.js gets. */
const PIECE_BYTES = 64 * 1024
const nothing = new ArrayBuffer(0)

type TakePiece = (piece: ArrayBuffer, last: boolean) => void

/** The memory of a piece that came from Node.js; a copy if it is part of a larger one. */
function memoryOf({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  return (buffer.byteLength === byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer
}

/** Node.js writes each character as a byte. */
function encoded(value: string | Uint8Array): string {
  return Buffer.from(value as string).toString('latin1')
}

function bytesOf(body: string | Uint8Array): Buffer {
  return Buffer.from(body as string)
}

export class NodeResponse implements HttpResponse {
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #bodies: ArrivingBodies
  readonly #ended: (closes: boolean) => void
  #status = 200
  #reason = 'OK'
  readonly #headers: string[] = []
  #hasLength = false
  /** Answered, or the client is gone. */
  #over = false
  #paused = false
  #offset = 0
  #takePiece: TakePiece | null = null
  #whole = false
  /** The handler has the whole body, and the round in which it came has ended. */
  #isServed = false
  #clientEnded = false
  /** Bytes of the body that are missing; -1 if its length is not known. */
  #missing: number
  #onAborted: () => void = () => {}

  /** `over` is called at the end, with whether the connection closes then. */
  constructor(req: IncomingMessage, res: ServerResponse, bodies: ArrivingBodies, over: (closes: boolean) => void) {
    this.#ended = over
    this.#req = req
    this.#res = res
    this.#bodies = bodies
    const { 'content-length': length, 'transfer-encoding': coding } = req.headers
    this.#missing = length === undefined || coding !== undefined ? -1 : Number(length)
    began(req.socket, this)
    bodies.begin(this)
    req.on('error', () => {})
    res.on('error', () => {})
    req.socket.once('close', () => bodies.end(this))
    res.on('close', () => this.#abort())
  }

  /** Called when the handler has returned: the body may arrive. */
  handled(): void {
    const req = this.#req
    req.on('data', (piece: Buffer) => this.#received(piece))
    req.on('end', () => this.#deliver(nothing, true))
    if (this.#paused) req.pause()
  }

  writeStatus(status: string): this {
    this.#status = Number(status.slice(0, 3))
    this.#reason = status.slice(4)
    return this
  }

  writeHeader(name: string | Uint8Array, value: string | Uint8Array): this {
    const text = nameText(name)
    if (text.toLowerCase() === 'content-length') this.#hasLength = true
    this.#headers.push(text, encoded(value))
    return this
  }

  write(piece: string | Uint8Array): boolean {
    if (this.#over) return true
    this.#begin()
    this.#bodies.stays(this)
    if (piece.length > 0) this.#res.write(bytesOf(piece))
    return !this.#res.writableNeedDrain
  }

  end(body: string | Uint8Array = '', closeConnection = false): this {
    if (this.#over) return this
    const bytes = bytesOf(body)
    this.#begin(closeConnection, bytes.length)
    this.#res.end(bytes)
    return this.#finish(closeConnection)
  }

  endWithoutBody(reportedLength?: number, closeConnection = false): this {
    if (this.#over) return this
    this.#begin(closeConnection, reportedLength)
    this.#res.end()
    return this.#finish(closeConnection)
  }

  tryEnd(bytes: Uint8Array, length: number): [ok: boolean, done: boolean] {
    if (this.#over) return [true, true]
    this.#begin(false, length)
    let ok = true
    for (let at = 0; ok && at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      ok = this.#res.write(piece)
      this.#offset += piece.length
    }
    const done = this.#offset >= length
    if (done) {
      this.#res.end()
      this.#finish(false)
    }
    return [ok, done]
  }

  getWriteOffset(): number {
    return this.#offset
  }

  onWritable(handler: (offset: number) => boolean): this {
    this.#res.on('drain', () => {
      if (!this.#over) handler(this.#offset)
    })
    return this
  }

  onAborted(handler: () => void): this {
    this.#onAborted = handler
    return this
  }

  onData(handler: TakePiece): this {
    this.#takePiece = handler
    return this
  }

  cork(write: () => void): this {
    write()
    return this
  }

  pause(): void {
    this.#bodies.stays(this)
    if (this.#paused || this.#over) return
    this.#paused = true
    this.#req.pause()
    paused(this.#req.socket)
  }

  resume(): void {
    this.#bodies.stays(this)
    if (!this.#paused) return
    this.#paused = false
    resumed(this.#req.socket)
    this.#req.resume()
    this.#closeIfLeft()
  }

  clientEnded(): void {
    this.#clientEnded = true
    this.#closeIfLeft()
  }

  close(): this {
    this.#abort()
    this.#req.socket.destroy()
    return this
  }

  getRemoteAddress(): ArrayBuffer {
    return addressBytes(this.#req.socket.remoteAddress).buffer
  }

  /** Sends the status and the headers, once. A length of -1 is not known. */
  #begin(closeConnection = false, length = -1): void {
    if (this.#res.headersSent) return
    if (closeConnection) this.#headers.push('Connection', 'close')
    const mayHaveLength = this.#status !== 204 && this.#status !== 304
    if (length >= 0 && !this.#hasLength && mayHaveLength) this.#headers.push('Content-Length', String(length))
    this.#res.writeHead(this.#status, this.#reason, this.#headers)
  }

  #finish(closeConnection: boolean): this {
    const { socket } = this.#req
    if (closeConnection) this.#res.once('finish', () => socket.destroySoon())
    this.#settle(closeConnection)
    this.resume()
    return this
  }

  /** Closes the request if its client is gone (2). */
  #closeIfLeft(): void {
    if (!this.#clientEnded || this.#over || this.#paused) return
    if (this.#isServed || !this.#req.complete) this.close()
  }

  #served(): void {
    this.#isServed = true
    this.#closeIfLeft()
  }

  #abort(): void {
    if (this.#over) return
    this.#settle(true)
    this.#onAborted()
  }

  #settle(closes: boolean): void {
    this.#over = true
    // An answer may come before the body has ended: what is left must arrive in time, too.
    if (closes || this.#whole || this.#req.complete) this.#bodies.end(this)
    ended(this.#req.socket, this)
    this.#ended(closes)
  }

  #received(piece: Buffer): void {
    if (this.#missing >= 0) this.#missing -= piece.length
    this.#bodies.received(this, piece.length)
    this.#deliver(memoryOf(piece), this.#missing === 0)
  }

  #deliver(piece: ArrayBuffer, last: boolean): void {
    if (this.#whole) return
    this.#whole = last
    if (last) this.#bodies.end(this)
    this.#takePiece?.(piece, last)
    if (last) atRoundEnd(() => this.#served())
  }
}

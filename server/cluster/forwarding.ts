/**
 * One request that is forwarded, and its answer.
 *
 * Owns: the body on its way to the owner, the answer on its way to the client. Leaves out: to whom it goes, and how
 * often (forwarder.ts).
 *
 * 1. The beginning of the body is kept until the answer begins, so that it can be sent again. A longer body is passed
 *    on as it comes, and cannot.
 * 2. Neither side is read faster than the other takes it.
 */
import { request as httpRequest, type Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Refusal } from '../../engine/index.js'
import { noRoomForBodies } from '../http/body.js'
import { replyRefusal } from '../http/error-reply.js'
import type { BodySink } from '../http/body-sink.js'
import type { Exchange } from '../http/exchange.js'
import type { HeldBytes } from '../http/held-bytes.js'
import { statusLine } from '../http/reply.js'
import type { Headers } from '../http/send.js'

/** Bytes of a body that are kept, and of an answer that is sent whole. */
const KEPT_BYTES = 1024 * 1024
/** Milliseconds between two looks at who the owner is. */
const LOOK_MS = 250
/** A client that has not read everything gets so many bytes, after a pause that doubles, and is cut off in the end. */
const PROBE = { bytes: 512, firstMs: 2, slowestMs: 250, stalledMs: 60_000 } as const
/** Headers that the answer gets from this node. */
const ofAnswer = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-type', 'date'])

/** What is read of a request before its handler returns. */
export interface RequestHead {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  /** Doing it twice is doing it once. */
  readonly isRepeatable: boolean
}

/** `again`: nothing has happened, or it may happen twice. `unclear`: it may have taken effect. */
type Sent = 'over' | 'again' | 'unclear'

export class Forwarding implements BodySink {
  readonly #exchange: Exchange
  readonly #head: RequestHead
  readonly #room: HeldBytes
  /** The body so far, while it is kept. */
  #kept: Buffer[] = []
  #keptBytes = 0
  #isKept = true
  #isWhole = false
  #isPaused = false
  /** More has come than is kept, and all of it is on its way. */
  #tooLong = false
  #outgoing: ClientRequest | null = null
  /** When the client had not read all that it was sent; 0 for not now. */
  #blockedSince = 0
  isOver = false

  constructor(exchange: Exchange, head: RequestHead, room: HeldBytes) {
    this.#exchange = exchange
    this.#head = head
    this.#room = room
    exchange.onBody(this)
  }

  chunk(bytes: Uint8Array, last: boolean): void {
    if (this.isOver) return
    this.#isWhole ||= last
    if (bytes.length > 0) {
      const copy = Buffer.from(bytes)
      if (this.#isKept && !this.#keep(copy)) return
      if (this.#outgoing !== null && !this.#outgoing.write(copy)) this.#pause()
      if (this.#tooLong) this.#forgetBody()
    }
    if (last) this.#outgoing?.end()
  }

  gone(): void {
    this.#end()
    this.#outgoing?.destroy()
  }

  refuse(refusal: Refusal): void {
    if (this.isOver) return
    replyRefusal(this.#exchange, refusal)
    this.#end()
  }

  /**
   * Sends the request to a node; resolves when it is answered, or that node is gone. `isPast`: another node is the
   * owner now, so that an answer that has not begun is not waited for.
   */
  send(url: URL, agent: Agent, isPast: () => boolean): Promise<Sent> {
    const { method, path, headers } = this.#head
    const ask = url.protocol === 'https:' ? httpsRequest : httpRequest
    return new Promise((resolve) => {
      let isConnected = false
      let isAnswered = false
      const outgoing = ask(url, { method, path, headers: { ...headers, host: headers.host ?? url.host }, agent })
      this.#outgoing = outgoing
      const looking = setInterval(() => void (isPast() && outgoing.destroy(new Error('another owner'))), LOOK_MS)
      outgoing.once('close', () => clearInterval(looking))
      outgoing.on('socket', (socket) => {
        if (!socket.connecting) isConnected = true
        else socket.once('connect', () => (isConnected = true))
      })
      outgoing.on('drain', () => this.#resume())
      outgoing.on('response', (answer) => {
        isAnswered = true
        clearInterval(looking)
        void this.#answer(answer).then(resolve)
      })
      outgoing.on('error', () => {
        if (isAnswered) return
        this.#outgoing = null
        if (this.isOver) return resolve('over')
        resolve(this.#isKept && (!isConnected || this.#head.isRepeatable) ? 'again' : 'unclear')
      })
      for (const piece of this.#kept) outgoing.write(piece)
      if (this.#isWhole) outgoing.end()
      else this.#resume()
    })
  }

  /** False where the request was refused. */
  #keep(piece: Buffer): boolean {
    if (!this.#room.take(piece.length)) {
      this.#outgoing?.destroy()
      this.refuse(noRoomForBodies())
      return false
    }
    this.#kept.push(piece)
    this.#keptBytes += piece.length
    if (this.#keptBytes <= KEPT_BYTES) return true
    if (this.#outgoing === null) this.#pause()
    else this.#tooLong = true
    return true
  }

  #pause(): void {
    this.#isPaused = true
    this.#exchange.pause()
  }

  #resume(): void {
    if (this.#isPaused) this.#exchange.resume()
    this.#isPaused = false
  }

  #forgetBody(): void {
    this.#isKept = false
    this.#room.giveBack(this.#keptBytes)
    this.#kept = []
    this.#keptBytes = 0
  }

  /** Passes the answer on. A short one that does not come whole has told the client nothing yet. */
  async #answer(answer: IncomingMessage): Promise<Sent> {
    const { isRepeatable } = this.#head
    const status = statusLine(answer.statusCode ?? 502)
    const type = answer.headers['content-type'] ?? 'application/octet-stream'
    const headers = headersOf(answer)
    const length = Number(answer.headers['content-length'] ?? Number.NaN)
    const isShort = this.#exchange.method === 'head' || length <= KEPT_BYTES
    try {
      if (this.isOver) return 'over'
      if (!isShort || !isRepeatable) this.#forgetBody()
      if (isShort) {
        const pieces: Buffer[] = []
        for await (const piece of answer) pieces.push(piece as Buffer)
        const own = headers.filter(([name]) => name.toLowerCase() !== 'x-request-id')
        if (!this.isOver) this.#exchange.reply(status, type, Buffer.concat(pieces), own)
      } else {
        this.#exchange.beginStream(status, type, headers)
        for await (const piece of answer) await this.#write(piece as Buffer)
        if (!this.isOver) this.#exchange.endStream()
      }
    } catch {
      // The owner went away in the middle of its answer.
      if (isShort && this.#isKept && isRepeatable && !this.isOver) return 'again'
      this.#exchange.cut()
    } finally {
      answer.destroy()
    }
    this.#end()
    return 'over'
  }

  /** Waits while the client has not read what it was sent: until a small piece shows that it has. */
  async #write(piece: Buffer): Promise<void> {
    let rest = piece
    if (this.#blockedSince > 0) {
      for (let ms: number = PROBE.firstMs; ; ms = Math.min(2 * ms, PROBE.slowestMs)) {
        await new Promise((resolve) => setTimeout(resolve, ms))
        if (this.isOver) return
        if (performance.now() - this.#blockedSince > PROBE.stalledMs) return this.#exchange.cut()
        const isRead = this.#exchange.write(rest.subarray(0, PROBE.bytes))
        rest = rest.subarray(PROBE.bytes)
        if (isRead) break
        if (rest.length === 0) return
      }
    }
    this.#blockedSince = 0
    if (!this.isOver && rest.length > 0 && !this.#exchange.write(rest)) this.#blockedSince = performance.now()
  }

  #end(): void {
    if (this.isOver) return
    this.isOver = true
    this.#forgetBody()
  }
}

function headersOf(answer: IncomingMessage): Headers {
  const headers: [string, string][] = []
  const { rawHeaders } = answer
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (!ofAnswer.has(name.toLowerCase())) headers.push([name, rawHeaders[at + 1] as string])
  }
  return headers
}

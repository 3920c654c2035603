/**
 * One request and its answer: the only owner of a uWebSockets.js pair of request and response.
 *
 * Owns: the pair's lifetime, corking, the single answer, aborts, pausing, streamed answers.
 * Leaves out: what the request says (incoming-request.ts), paths (router.ts), bodies (body.ts), the content of answers
 * (reply.ts, error-reply.ts), unread bytes (large-answer.ts).
 *
 * 1. At most one answer is sent. A second one has no effect, nor has one after the client disconnected.
 * 2. A handler that returns has answered or holds the exchange (`hold`, `onBody`); else `leave` answers 500. A pair
 *    that is neither answered nor watched for aborts would end the process.
 * 3. Until the handler returns the request can be read (incoming-request.ts): then it is freed.
 * 4. A chunk given to a sink is valid during that call only; its memory is reused afterwards.
 * 5. An exception in a handler or sink goes to the host's `fault`, never into native code.
 * 6. A request with faulty headers or a chunked body closes its connection. uWebSockets.js takes trailers and parts of
 *    chunk extensions for the next request; they must not become one. Such an answer is sent after the read
 *    (after-read.ts), and after the body if the headers are valid. Until then any further request is cut off.
 */
import { limits } from '../../engine/index.js'
import { addressOf } from './address.js'
import type { BodySink } from './body-sink.js'
import { ClosingAnswer } from './framing/closing-answer.js'
import { noRoomToWait } from './held-bytes.js'
import { LargeAnswer } from './large-answer.js'
import type { HttpRequest, HttpResponse, SocketUser } from './native.js'
import { isChunked } from './framing/request-head.js'
import { IncomingRequest } from './incoming-request.js'
import { codeOf, noHeaders, sendAnswer, upgradeTo, type Answer, type Content, type Headers } from './send.js'
import { StreamedAnswer } from './streamed-answer.js'
import type { RequestTrace } from './request-trace.js'
import type { RouteMeter } from './traffic.js'
import { readStops } from './framing/read-stops.js'

/** The state and callbacks that all exchanges of a listener share. */
export interface ExchangeHost {
  /** True during a drain: each answer closes its connection. */
  draining: boolean
  /** Number of held exchanges that have not ended. */
  held: number
  /** Called when `held` falls to zero. */
  idle(): void
  /** Called at the end of an exchange: its status, or 0 if the client disconnected first. */
  over(exchange: Exchange, status: number): void
  /** Answers for an exception. */
  fault(exchange: Exchange, error: unknown): void
  /** Called for an exception that is a bug. */
  failed(exchange: Exchange, error: unknown): void
}

/** Answers with this status or a higher one always have a request id. */
const ERRORS_FROM = 400

const connectionClose = ['Connection', 'close'] as const

export class Exchange extends IncomingRequest {
  /** The key that auth.ts accepted. */
  key = ''
  /** The meter of its route. */
  meter: RouteMeter | null = null
  /** The trace of the request, or null. */
  trace: RequestTrace | null = null
  readonly startedMs = performance.now()
  #res: HttpResponse | null
  readonly #host: ExchangeHost
  #held = false
  #large: LargeAnswer | null = null
  #stream: StreamedAnswer | null = null
  /** Not null if the answer closes the connection (invariant 6). */
  readonly #closing: ClosingAnswer | null
  #unread = false
  #bodyEnded = false
  /** What the library needs to make a WebSocket; undefined where it makes none of this request. */
  readonly #socketContext: unknown

  /** `method` in lower case; '' to read it from the request. */
  // biome-ignore lint/complexity/useMaxParams: called for every request, so without an object for its arguments.
  constructor(res: HttpResponse, req: HttpRequest, host: ExchangeHost, method: string, socketContext?: unknown) {
    super(req, method)
    this.#res = res
    this.#socketContext = socketContext
    this.#host = host
    this.#closing = this.headFault !== null || isChunked() ? new ClosingAnswer() : null
    if (this.headFault !== null) this.#closing?.bodyEnded()
    else if (this.#closing !== null) res.onData((_chunk, last) => void (last && this.#closing?.bodyEnded()))
  }

  get draining(): boolean {
    return this.#host.draining
  }

  /** The client's address (address.ts); '' after the exchange has ended. */
  address(): string {
    return this.#res === null ? '' : addressOf(new Uint8Array(this.#res.getRemoteAddress()))
  }

  /** Reports a bug to the log. */
  failed(error: unknown): void {
    this.#host.failed(this, error)
  }

  /** Keeps the exchange open after the handler returns. `gone` is called if the client disconnects first. */
  hold(gone?: () => void): void {
    const res = this.#res
    if (res === null || this.#held) return
    this.keepForAnswer()
    this.#held = true
    this.#host.held++
    res.onAborted(() => {
      if (this.#settle(0) && gone !== undefined) gone()
    })
  }

  /** Holds the exchange and streams its body into the sink. */
  onBody(sink: BodySink): void {
    this.hold(() => sink.gone())
    const silent = (): void => {
      this.stayOpen()
      sink.silent?.()
    }
    if (sink.silent !== undefined) this.#closing?.heard(silent)
    this.#res?.onData((chunk, last) => {
      if (last) this.#endBody()
      else if (sink.silent !== undefined && this.#closing?.waits === false) this.#closing.heard(silent)
      // After an answer the rest of the body is read and dropped; closing the connection could lose the answer.
      if (this.#res === null || this.#closing?.waits === true) return
      try {
        sink.chunk(new Uint8Array(chunk), last)
      } catch (error) {
        this.#host.fault(this, error)
      }
    })
  }

  /** While an answer is streamed, what follows the body is read after it. */
  #endBody(): void {
    this.#bodyEnded = true
    this.#closing?.bodyEnded()
    if (this.#stream !== null && this.#res !== null) this.#stop(this.#res)
  }

  get #isSending(): boolean {
    return this.#large !== null || this.#stream !== null
  }

  /** The native library tells the client only of a whole answer that the connection closes. */
  #closingHeaders(headers: Headers): Headers {
    return this.#closing === null ? headers : [...headers, connectionClose]
  }

  /** Called when the handler has returned (invariants 2 and 3). */
  leave(): void {
    if (this.#res !== null && !this.#held) {
      this.#host.fault(this, new Error(`assertion failed: ${this.path} was neither answered nor held`))
    }
    this.free()
  }

  /** Sends the answer. If a streamed answer has already begun, the connection is cut instead. */
  reply(status: string, type: string, body: string | Uint8Array, headers: Headers = noHeaders): void {
    const isNamed = codeOf(status) >= ERRORS_FROM || this.givenId() !== ''
    const named = isNamed ? [...headers, ['X-Request-Id', this.requestId] as const] : headers
    this.pass({ status, type, body, headers: this.withNotes(named) })
  }

  /** Sends an answer with these headers and no others, such as one that another thread has made. */
  pass(content: Content): void {
    const res = this.#res
    if (res === null || this.#closing?.waits === true) return
    if (this.#isSending) return this.cut()
    this.readAgain()
    if (this.#closing === null) return this.#reply(res, content)
    this.hold()
    this.#closing.whenEnded(() => this.#reply(res, content))
  }

  #reply(res: HttpResponse, { status, type, body, headers }: Content): void {
    const code = codeOf(status)
    const head = this.method === 'head'
    const close = this.#closing !== null || (this.#host.draining && !head)
    const answer = { status, type, body, headers, head, close, corked: this.isReadable }
    if (body.length >= limits.largeAnswerBytesMin && !head) return this.#replyAsRead(res, answer)
    sendAnswer(res, answer)
    this.#settle(code)
  }

  #replyAsRead(res: HttpResponse, { status, type, body, headers }: Answer): void {
    this.hold()
    this.#large = LargeAnswer.of(res, typeof body === 'string' ? Buffer.from(body) : body)
    if (this.#large === null) return this.#host.fault(this, noRoomToWait())
    this.#large.begin(status, type, this.#closingHeaders(headers), () => this.#settle(codeOf(status)))
  }

  get mayUpgrade(): boolean {
    return this.#res?.upgrade !== undefined && this.#socketContext !== undefined
  }

  /** The connection becomes a WebSocket, or false. After the handler has returned, `header` reads kept headers. */
  upgrade(user: SocketUser, header = (name: string): string => this.header(name)): boolean {
    if (this.#res === null || !this.mayUpgrade) return false
    upgradeTo(this.#res, { user }, header, this.#socketContext)
    this.#settle(101)
    return true
  }

  /** Begins a streamed answer; the status is sent with the first `write`. This ends an answer to HEAD. */
  beginStream(status: string, type: string, headers: Headers = noHeaders): void {
    const res = this.#res
    if (res === null || this.#isSending) return
    const isHead = this.method === 'head'
    this.#stream = new StreamedAnswer(res, status)
    if (this.#bodyEnded) this.#stop(res)
    this.#stream.begin(type, this.#closingHeaders(this.withNotes(headers)), isHead)
    if (isHead) this.#settle(this.#stream.code)
  }

  /**
   * Sends a piece of a streamed answer. False if the client has not read all earlier pieces; the piece is kept anyway.
   */
  write(piece: string | Uint8Array): boolean {
    return this.#res === null || this.#stream === null || this.#stream.write(piece)
  }

  /** Ends a streamed answer. */
  endStream(): void {
    const stream = this.#stream
    if (this.#res === null || stream === null || this.#closing?.waits === true) return
    const close = this.#closing !== null || this.#host.draining
    const end = (): void => {
      if (!close) this.readAgain()
      stream.end(close)
      this.#settle(stream.code)
    }
    if (this.#closing === null) end()
    else this.#closing.whenEnded(end)
  }

  /**
   * Reads nothing more from the connection until the answer (read-stops.ts). Then it is not noticed that a client goes,
   * so it is for work that goes on without its client.
   */
  stopReading(): void {
    if (this.#res !== null && !this.#unread && readStops.may(this.startedMs)) this.#stop(this.#res)
  }

  #stop(res: HttpResponse): void {
    this.#unread = true
    res.pause()
  }

  /** Ends `stopReading` before the answer. */
  readAgain(): void {
    if (!this.#unread) return
    this.#unread = false
    this.#res?.resume()
  }

  /** Drops the connection without an answer. */
  cut(): void {
    this.#res?.close()
  }

  /**
   * Stops reading the body from the socket. What the kernel has buffered may still arrive (bulk/thread-rounds.ts).
   * Resets the native idle timeout, which keeps running.
   */
  pause(): void {
    this.#res?.pause()
  }

  resume(): void {
    if (!this.#unread) this.#res?.resume()
  }

  /**
   * Resets the native idle timeout of about ten seconds. It runs while a body arrives at less than 16 KiB per second.
   * An answer that is written resets it too.
   */
  stayOpen(): void {
    this.pause()
    this.resume()
  }

  /** Ends the exchange. True if it had not ended before. */
  #settle(status: number): boolean {
    if (this.#res === null) return false
    this.#res = null
    this.#closing?.clear()
    this.#large?.release()
    this.#host.over(this, status)
    if (this.#held) {
      this.#held = false
      if (--this.#host.held === 0) this.#host.idle()
    }
    return true
  }
}

/**
 * One request and its answer: the only owner of a uWebSockets.js pair of request and response.
 *
 * Owns: the pair's lifetime, corking, the single answer, aborts, pausing, streamed answers.
 * Leaves out: paths (router.ts), bodies (body.ts), the content of answers (reply.ts, error-reply.ts), unread bytes
 * (large-answer.ts).
 *
 * 1. At most one answer is sent. A second one has no effect, nor has one after the client disconnected.
 * 2. A handler that returns has answered or holds the exchange (`hold`, `onBody`); else `leave` answers 500. A pair
 *    that is neither answered nor watched for aborts would end the process.
 * 3. Headers, query and address can be read only until the handler returns: then the native request is freed.
 * 4. A chunk given to a sink is valid during that call only; its memory is reused afterwards.
 * 5. An exception in a handler or sink goes to the host's `fault`, never into native code.
 * 6. A request with faulty headers or a chunked body closes its connection. uWebSockets.js takes trailers and parts of
 *    chunk extensions for the next request; they must not become one. Such an answer is sent after the read
 *    (after-read.ts), and after the body if the headers are valid. Until then any further request is cut off.
 */
import { limits, Refusal } from '../../engine/index.js'
import { asksForProblem } from './accept.js'
import { addressOf } from './address.js'
import type { BodySink } from './body-sink.js'
import { ClosingAnswer } from './framing/closing-answer.js'
import { LargeAnswer } from './large-answer.js'
import type { HttpRequest, HttpResponse } from './native.js'
import { headerOf, isChunked, readHead, type HeadFault } from './framing/request-head.js'
import { isRequestId, nextRequestId } from './request-id.js'
import { codeOf, noHeaders, sendAnswer, writeHead, type Answer, type Content, type Headers } from './send.js'
import type { RequestTrace } from './request-trace.js'
import type { RouteMeter } from './traffic.js'
import { mayStop } from './framing/read-stops.js'

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

/** Tells the client to close where the native library cannot. */
const connectionClose = ['Connection', 'close'] as const

export class Exchange {
  /** Lower case, as uWebSockets.js gives it. */
  readonly method: string
  /** As sent, without the query: neither decoded nor normalized. */
  readonly path: string
  /** The key that auth.ts accepted. */
  key = ''
  /** The meter of its route. */
  meter: RouteMeter | null = null
  /** The trace of the request, or null. */
  trace: RequestTrace | null = null
  readonly startedMs = performance.now()
  /** What is wrong with the headers, or null. */
  readonly headFault: HeadFault | null
  #res: HttpResponse | null
  #req: HttpRequest | null
  readonly #host: ExchangeHost
  #givenId: string | null = null
  #ownId = ''
  #streamStatus = 0
  #held = false
  #streaming = false
  #large: LargeAnswer | null = null
  #wantsProblem = false
  /** Not null if the answer closes the connection (invariant 6). */
  readonly #closing: ClosingAnswer | null
  #unread = false

  /** `method` in lower case; '' to read it from the request. */
  constructor(res: HttpResponse, req: HttpRequest, host: ExchangeHost, method: string) {
    this.#res = res
    this.#req = req
    this.#host = host
    this.method = method === '' ? req.getMethod() : method
    this.path = req.getUrl()
    this.headFault = readHead(req)
    this.#closing = this.headFault !== null || isChunked() ? new ClosingAnswer() : null
    if (this.headFault !== null) this.#closing?.bodyEnded()
    else if (this.#closing !== null) res.onData((_chunk, last) => void (last && this.#closing?.bodyEnded()))
  }

  get draining(): boolean {
    return this.#host.draining
  }

  /** The header's value or ''; the name in lower case. Only before the handler returns (invariant 3). */
  header(name: string): string {
    if (this.#req === null) throw new Error('assertion failed: a header is read after the handler returned')
    return headerOf(name)
  }

  /** The query without `?`, or ''. Only before the handler returns (invariant 3). */
  query(): string {
    if (this.#req === null) throw new Error('assertion failed: the query is read after the handler returned')
    // Without a `?` the native call returns null, contrary to its types.
    return (this.#req.getQuery() as string | null) ?? ''
  }

  /** The client's address (address.ts); '' after the exchange has ended. */
  address(): string {
    return this.#res === null ? '' : addressOf(new Uint8Array(this.#res.getRemoteAddress()))
  }

  /** True if the client asks for RFC 9457 errors. */
  get wantsProblem(): boolean {
    if (this.#req !== null) return asksForProblem(headerOf('accept'))
    return this.#wantsProblem
  }

  /** The client's X-Request-Id if it is valid, else a new one. */
  get requestId(): string {
    return this.#idGiven() || (this.#ownId ||= nextRequestId())
  }

  /** Reports a bug to the log. */
  failed(error: unknown): void {
    this.#host.failed(this, error)
  }

  /** Keeps the exchange open after the handler returns. `gone` is called if the client disconnects first. */
  hold(gone?: () => void): void {
    const res = this.#res
    if (res === null || this.#held) return
    this.#wantsProblem = this.wantsProblem
    this.#idGiven()
    this.#held = true
    this.#host.held++
    res.onAborted(() => {
      if (this.#settle(0) && gone !== undefined) gone()
    })
  }

  /** Holds the exchange and streams its body into the sink. */
  onBody(sink: BodySink): void {
    this.hold(() => sink.gone())
    this.#res?.onData((chunk, last) => {
      if (last) this.#closing?.bodyEnded()
      // After an answer the rest of the body is read and dropped; closing the connection could lose the answer.
      if (this.#res === null || this.#closing?.waits === true) return
      try {
        sink.chunk(new Uint8Array(chunk), last)
      } catch (error) {
        this.#host.fault(this, error)
      }
    })
  }

  /** Called when the handler has returned (invariants 2 and 3). */
  leave(): void {
    if (this.#res !== null && !this.#held) {
      this.#host.fault(this, new Error(`assertion failed: ${this.path} was neither answered nor held`))
    }
    this.#req = null
  }

  /** Sends the answer. If a streamed answer has already begun, the connection is cut instead. */
  reply(status: string, type: string, body: string | Uint8Array, headers: Headers = noHeaders): void {
    const res = this.#res
    if (res === null || this.#closing?.waits === true) return
    if (this.#streaming) return this.cut()
    this.#readAgain()
    const content = { status, type, body, headers }
    if (this.#closing === null) return this.#reply(res, content)
    this.hold()
    this.#closing.whenEnded(() => this.#reply(res, content))
  }

  #reply(res: HttpResponse, { status, type, body, headers }: Content): void {
    const code = codeOf(status)
    const named =
      code >= ERRORS_FROM || this.#idGiven() !== '' ? [...headers, ['X-Request-Id', this.requestId] as const] : headers
    const head = this.method === 'head'
    const close = this.#closing !== null || (this.#host.draining && !head)
    const answer = { status, type, body, headers: named, head, close, corked: this.#req !== null }
    if (body.length >= limits.largeAnswerBytesMin && !head) return this.#replyAsRead(res, answer)
    sendAnswer(res, answer)
    this.#settle(code)
  }

  #replyAsRead(res: HttpResponse, { status, type, body, headers }: Answer): void {
    this.hold()
    this.#large = LargeAnswer.of(res, typeof body === 'string' ? Buffer.from(body) : body)
    if (this.#large === null)
      return this.#host.fault(this, new Refusal('answers_busy', 'too many large answers are still unread'))
    this.#streaming = true
    // The native call cannot close the connection after it, so the client is told to.
    const all = this.#closing === null ? headers : [...headers, connectionClose]
    this.#large.begin(status, type, all, () => this.#settle(codeOf(status)))
  }

  /** Begins a streamed answer; the status is sent with the first `write`. This ends an answer to HEAD. */
  beginStream(status: string, type: string, headers: Headers = noHeaders): void {
    const res = this.#res
    if (res === null || this.#streaming) return
    this.#readAgain()
    const isHead = this.method === 'head'
    this.#streaming = true
    this.#streamStatus = codeOf(status)
    const all = this.#closing === null ? headers : [...headers, connectionClose]
    res.cork(() => {
      writeHead(res, status, type, all)
      if (isHead) res.endWithoutBody()
    })
    if (isHead) this.#settle(this.#streamStatus)
  }

  /**
   * Sends a piece of a streamed answer. False if the client has not read all earlier pieces; the piece is kept anyway.
   */
  write(piece: string | Uint8Array): boolean {
    const res = this.#res
    if (res === null) return true
    let flowing = true
    res.cork(() => void (flowing = res.write(piece)))
    return flowing
  }

  /** Ends a streamed answer. */
  endStream(): void {
    if (this.#res === null || this.#closing?.waits === true) return
    if (this.#closing !== null) this.#closing.whenEnded(() => this.#end(true))
    else this.#end(this.#host.draining)
  }

  #end(close: boolean): void {
    const res = this.#res
    // To close a streamed answer, the native `end` would write a header into its body. Unread, the connection is idle
    // and soon closed.
    if (close) res?.pause()
    res?.cork(() => void res.end())
    this.#settle(this.#streamStatus)
  }

  /**
   * Reads nothing more from the connection until the answer (read-stops.ts). Then it is not noticed that a client goes, so
   * it is for work that goes on without its client.
   */
  stopReading(): void {
    if (this.#res === null || this.#unread || !mayStop(this.startedMs)) return
    this.#unread = true
    this.#res.pause()
  }

  #readAgain(): void {
    if (!this.#unread) return
    this.#unread = false
    this.#res?.resume()
  }

  /** Drops the connection without an answer. */
  cut(): void {
    this.#res?.close()
  }

  /**
   * Stops reading the body from the socket; bytes already received still arrive. Resets the native idle timeout, which
   * keeps running.
   */
  pause(): void {
    this.#res?.pause()
  }

  resume(): void {
    this.#res?.resume()
  }

  /**
   * Resets the native idle timeout of about ten seconds. It runs while a body arrives at less than 16 KiB per second.
   * An answer that is written resets it too.
   */
  stayOpen(): void {
    this.#res?.pause()
    this.#res?.resume()
  }

  /** The client's request id; '' if it sent none or an invalid one. */
  #idGiven(): string {
    if (this.#givenId !== null) return this.#givenId
    const given = this.#req === null ? '' : headerOf('x-request-id')
    return (this.#givenId = given === '' || isRequestId(given) ? given : '')
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

/**
 * One request and its answer: the only owner of a uWebSockets.js pair.
 *
 * Owns: the pair's lifetime, corking, the single answer, aborts, pausing, streamed answers. What a client has not read of a
 * large one is in large-answer.ts.
 * Leaves out: paths (router.ts), bodies (body.ts), what an answer says (reply.ts, error-reply.ts).
 *
 * 1. At most one answer leaves; a second one, or one after the client went, does nothing.
 * 2. A handler that returns has answered or holds the exchange (`hold`, `onBody`); else `leave` answers 500. A pair
 *    that is neither answered nor watched for aborts would end the process.
 * 3. Headers, query and address can be read until the handler returns, not later: the native request is gone then.
 * 4. A chunk given to a sink is valid during that call only; its memory is taken back on return.
 * 5. An exception in a handler or sink goes to the host's `fault`, never up into native code.
 */
import { limits, Refusal } from '../../engine/index.js'
import { asksForProblem } from './accept.js'
import { addressOf } from './address.js'
import type { BodySink } from './body-sink.js'
import { headerName, type HeaderName } from './header-name.js'
import { LargeAnswer } from './large-answer.js'
import type { HttpRequest, HttpResponse } from './native.js'
import { isRequestId, nextRequestId } from './request-id.js'
import { codeOf, noHeaders, sendAnswer, writeHead, type Answer, type Headers } from './send.js'
import type { RequestTrace } from './request-trace.js'
import type { RouteMeter } from './traffic.js'

/** What all exchanges of a server share. */
export interface ExchangeHost {
  /** Answers close their connection, so that clients go elsewhere. */
  draining: boolean
  /** Exchanges that are held: begun and not yet over. */
  held: number
  /** Called when `held` falls to zero. */
  idle(): void
  /** Told of an exchange's end: its status, or 0 where the client went first. */
  over(exchange: Exchange, status: number): void
  /** Answers for an exception. */
  fault(exchange: Exchange, error: unknown): void
  /** Told of an exception that is a bug. */
  failed(exchange: Exchange, error: unknown): void
}

const requestIdHeader = headerName('x-request-id')

/** Answers from this status on always carry their request id. */
const ERRORS_FROM = 400

export class Exchange {
  /** Lower case, as uWebSockets.js gives it. */
  readonly method: string
  /** As sent: nothing decoded, nothing collapsed, no query. */
  readonly path: string
  /** The key that it was let in with (auth.ts). */
  key = ''
  /** What the exchange is counted under. */
  meter: RouteMeter | null = null
  /** Who follows it, if anybody does. */
  trace: RequestTrace | null = null
  readonly startedMs = performance.now()
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

  /** `method` in lower case, '' where the request has to be asked for it. */
  constructor(res: HttpResponse, req: HttpRequest, host: ExchangeHost, method: string) {
    this.#res = res
    this.#req = req
    this.#host = host
    this.method = method === '' ? req.getMethod() : method
    this.path = req.getUrl()
  }

  get draining(): boolean {
    return this.#host.draining
  }

  /** The header's value or ''; the name in lower case. Before the handler returns only (invariant 3). */
  header(name: string | HeaderName): string {
    if (this.#req === null) throw new Error('assertion failed: a header is read after the handler returned')
    return this.#req.getHeader(typeof name === 'string' ? name : name.bytes)
  }

  /** The query without `?`, or ''. Before the handler returns only (invariant 3). */
  query(): string {
    if (this.#req === null) throw new Error('assertion failed: the query is read after the handler returned')
    // The native call answers null where there is no `?`, against its own types.
    return (this.#req.getQuery() as string | null) ?? ''
  }

  /** Where the client is (address.ts); '' once the exchange is over. */
  address(): string {
    return this.#res === null ? '' : addressOf(new Uint8Array(this.#res.getRemoteAddress()))
  }

  /** The client asks for RFC 9457 errors. */
  get wantsProblem(): boolean {
    if (this.#req !== null) return asksForProblem(this.#req.getHeader('accept'))
    return this.#wantsProblem
  }

  /** The client's X-Request-Id, where it is fit to be repeated; else one of our own. */
  get requestId(): string {
    return this.#idGiven() || (this.#ownId ||= nextRequestId())
  }

  /** Tells the log of a bug. */
  failed(error: unknown): void {
    this.#host.failed(this, error)
  }

  /** Keeps the exchange open after the handler returned; `gone` is told when the client goes first. */
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
      // After an answer the rest of the body is read and dropped: closing instead could take the answer with it.
      if (this.#res === null) return
      try {
        sink.chunk(new Uint8Array(chunk), last)
      } catch (error) {
        this.#host.fault(this, error)
      }
    })
  }

  /** Ends the synchronous part of the handler (invariants 2 and 3). */
  leave(): void {
    if (this.#res !== null && !this.#held) {
      this.#host.fault(this, new Error(`assertion failed: ${this.path} was neither answered nor held`))
    }
    this.#req = null
  }

  /** Sends the one answer. An answer that streams already cannot be taken back: it is cut instead. */
  reply(status: string, type: string, body: string | Uint8Array, headers: Headers = noHeaders): void {
    const res = this.#res
    if (res === null) return
    if (this.#streaming) return this.cut()
    const code = codeOf(status)
    const named =
      code >= ERRORS_FROM || this.#idGiven() !== '' ? [...headers, ['X-Request-Id', this.requestId] as const] : headers
    const head = this.method === 'head'
    const answer = { status, type, body, headers: named, head, close: this.#host.draining, corked: this.#req !== null }
    if (body.length >= limits.largeAnswerBytesMin && !head) return this.#replyAsRead(res, answer)
    sendAnswer(res, answer)
    this.#settle(code)
  }

  #replyAsRead(res: HttpResponse, { status, type, body, headers }: Answer): void {
    this.hold()
    this.#large = LargeAnswer.of(res, typeof body === 'string' ? Buffer.from(body) : body)
    if (this.#large === null)
      return this.#host.fault(this, new Refusal('answers_busy', 'too many large answers are not read yet'))
    this.#streaming = true
    this.#large.begin(status, type, headers, () => this.#settle(codeOf(status)))
  }

  /** Begins a streamed answer; the status is sent with the first `write`. One to HEAD is over with this. */
  beginStream(status: string, type: string, headers: Headers = noHeaders): void {
    const res = this.#res
    if (res === null || this.#streaming) return
    const isHead = this.method === 'head'
    this.#streaming = true
    this.#streamStatus = codeOf(status)
    res.cork(() => {
      writeHead(res, status, type, headers)
      if (isHead) res.endWithoutBody()
    })
    if (isHead) this.#settle(this.#streamStatus)
  }

  /** Sends a piece of a streamed answer. False when the client has not read all before it; the piece is kept anyway. */
  write(piece: string | Uint8Array): boolean {
    const res = this.#res
    if (res === null) return true
    let flowing = true
    res.cork(() => void (flowing = res.write(piece)))
    return flowing
  }

  /** Ends a streamed answer; with `close` the connection ends behind it. */
  endStream(close = false): void {
    const res = this.#res
    if (res === null) return
    res.cork(() => void res.end(undefined, close || this.#host.draining))
    this.#settle(this.#streamStatus)
  }

  /** Drops the connection without an answer. */
  cut(): void {
    this.#res?.close()
  }

  /** Stops the body at the socket; begins the native idle time anew, which runs then too. What was received already still comes. */
  pause(): void {
    this.#res?.pause()
  }

  resume(): void {
    this.#res?.resume()
  }

  /**
   * Begins the native idle time anew. It runs down, about ten seconds long, while a body comes in at less than 16 KiB a
   * second; an answer that is written, or this, winds it up.
   */
  stayOpen(): void {
    this.#res?.pause()
    this.#res?.resume()
  }

  /** The client's request id, '' where it gave none or one that is not to be repeated. */
  #idGiven(): string {
    if (this.#givenId !== null) return this.#givenId
    const given = this.#req === null ? '' : this.#req.getHeader(requestIdHeader.bytes)
    return (this.#givenId = given === '' || isRequestId(given) ? given : '')
  }

  /** True when it was this call that ended the exchange. */
  #settle(status: number): boolean {
    if (this.#res === null) return false
    this.#res = null
    this.#large?.release()
    this.#host.over(this, status)
    if (this.#held) {
      this.#held = false
      if (--this.#host.held === 0) this.#host.idle()
    }
    return true
  }
}

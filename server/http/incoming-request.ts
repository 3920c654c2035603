/**
 * What a request says before its body: method, path, query, headers.
 *
 * 1. Headers and query can be read only until the handler returns: then the native request is freed. What an answer
 *    needs of them is kept.
 */
import { randomBytes } from 'node:crypto'
import { limits } from '../../engine/index.js'
import { asksForProblem } from './accept.js'
import { bodyCharset, headerOf, headersWhere, readHead, unreadCoding, type HeadFault } from './framing/request-head.js'
import type { HttpRequest } from './native.js'
import { noHeaders, type Headers } from './send.js'

const fitRequestId = /^[\w.:/+=@-]+$/

/** A random prefix for each process. */
const ofProcess = randomBytes(6).toString('hex')
let made = 0

/** True if the id may be repeated in a header and in the log. */
function isRequestId(text: string): boolean {
  return text.length <= limits.requestIdCharsMax && fitRequestId.test(text)
}

export class IncomingRequest {
  /** Lower case, as uWebSockets.js gives it. */
  readonly method: string
  /** As sent, without the query: neither decoded nor normalized. */
  readonly path: string
  /** What is wrong with the headers, or null. */
  readonly headFault: HeadFault | null
  /** Headers that the answer has beside its own. */
  notes: Headers = noHeaders
  /** True where what is looked up may be newer than what is known here. */
  mayLackNewest = false
  /** True for a sender that gives up after 429: it is told 503 for all that a retry can mend (S37). */
  busyIs503 = false
  #req: HttpRequest | null
  #wantsProblem = false
  #givenId: string | null = null
  #ownId = ''

  /** `method` in lower case; '' to read it from the request. */
  constructor(req: HttpRequest, method: string) {
    this.#req = req
    this.method = method === '' ? req.getMethod() : method
    this.path = req.getUrl()
    this.headFault = readHead(req)
  }

  /** The header's value or ''; the name in lower case. Only before the handler returns (invariant 1). */
  header(name: string): string {
    if (this.#req === null) throw new Error('assertion failed: a header is read after the handler returned')
    return headerOf(name)
  }

  /** True if the body is said to be in a coding that is not read. Only before the handler returns (invariant 1). */
  get hasUnreadCoding(): boolean {
    if (this.#req === null) throw new Error('assertion failed: a header is read after the handler returned')
    return unreadCoding() !== ''
  }

  /** The charset that the body is said to be in; '' for UTF-8. Only before the handler returns (invariant 1). */
  get charset(): string {
    if (this.#req === null) throw new Error('assertion failed: a header is read after the handler returned')
    return bodyCharset()
  }

  /** The headers whose names pass. Only before the handler returns (invariant 1). */
  headers(passes: (name: string) => boolean): ReadonlyMap<string, string> {
    if (this.#req === null) throw new Error('assertion failed: headers are read after the handler returned')
    return headersWhere(passes)
  }

  /** The query without `?`, or ''. Only before the handler returns (invariant 1). */
  query(): string {
    if (this.#req === null) throw new Error('assertion failed: the query is read after the handler returned')
    // Without a `?` the native call returns null, contrary to its types.
    return (this.#req.getQuery() as string | null) ?? ''
  }

  /** True if the client asks for RFC 9457 errors. */
  get wantsProblem(): boolean {
    return this.#req === null ? this.#wantsProblem : asksForProblem(headerOf('accept'))
  }

  /** The client's X-Request-Id if it is valid, else a new one. */
  get requestId(): string {
    return this.givenId() || (this.#ownId ||= `${ofProcess}-${(++made).toString(36)}`)
  }

  /** True until the handler returns. */
  protected get isReadable(): boolean {
    return this.#req !== null
  }

  /** The client's request id; '' if it sent none or an invalid one. */
  protected givenId(): string {
    if (this.#givenId !== null) return this.#givenId
    const given = this.#req === null ? '' : headerOf('x-request-id')
    return (this.#givenId = given === '' || isRequestId(given) ? given : '')
  }

  protected withNotes(headers: Headers): Headers {
    return this.notes === noHeaders ? headers : [...headers, ...this.notes]
  }

  /** Keeps what an answer needs after the handler has returned. */
  protected keepForAnswer(): void {
    this.#wantsProblem = this.wantsProblem
    this.givenId()
  }

  /** Called when the handler has returned. */
  protected free(): void {
    this.#req = null
  }
}

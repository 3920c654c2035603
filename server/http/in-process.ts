/**
 * Requests of the process to itself: served like those from the port, without a socket.
 *
 * Owns: a request and a response in memory, in the form of the HTTP library. Leaves out: routes (server.ts), who asks
 * (mcp/).
 *
 * 1. Such a request passes the same checks as any other: its key, its scope, its schema, the rate limit.
 * 2. It is served at the end of a round of the event loop, never inside of another handler: there is one list for the
 *    headers of the current request (framing/request-head.ts).
 * 3. The whole answer is held in memory. Operations that stream without an end are not for it.
 */
import { atRoundEnd } from '../../engine/index.js'
import { Exchange, type ExchangeHost } from './exchange.js'
import { nameText } from './node-http/node-request.js'
import { addressBytes } from './node-http/remote-address.js'
import type { HttpRequest, HttpResponse } from './library.js'
import { codeOf } from './send.js'

/** A request as `fetch` describes one. */
export interface OwnRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** The address of the client on whose behalf it is (address.ts). */
  readonly address: string
  readonly signal?: AbortSignal | undefined
}

/** Answers a request of the process. Rejects if its signal is aborted, or the service cuts it off. */
export type InProcess = (request: OwnRequest) => Promise<Response>

/** A request in memory. */
export class InMemoryRequest implements HttpRequest {
  readonly #request: Pick<OwnRequest, 'method' | 'path' | 'headers'>
  readonly #query: number

  constructor(request: Pick<OwnRequest, 'method' | 'path' | 'headers'>) {
    this.#request = request
    this.#query = request.path.indexOf('?')
  }

  getMethod(): string {
    return this.#request.method.toLowerCase()
  }

  getUrl(): string {
    return this.#query < 0 ? this.#request.path : this.#request.path.slice(0, this.#query)
  }

  getQuery(): string | null {
    return this.#query < 0 ? null : this.#request.path.slice(this.#query + 1)
  }

  getHeader(name: string | Uint8Array): string {
    return this.#request.headers[nameText(name)] ?? ''
  }

  forEach(take: (name: string, value: string) => void): void {
    for (const [name, value] of Object.entries(this.#request.headers)) take(name, value)
  }
}

class InMemoryResponse implements HttpResponse {
  readonly #request: OwnRequest
  readonly #resolve: (response: Response) => void
  readonly #reject: (error: unknown) => void
  #status = '200 OK'
  readonly #headers: [string, string][] = []
  readonly #pieces: Buffer[] = []
  #over = false
  #aborted: () => void = () => {}
  readonly #stop = (): void => this.#fail(this.#request.signal?.reason)

  constructor(request: OwnRequest, resolve: (response: Response) => void, reject: (error: unknown) => void) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    request.signal?.addEventListener('abort', this.#stop, { once: true })
  }

  writeStatus(status: string): this {
    this.#status = status
    return this
  }

  writeHeader(name: string | Uint8Array, value: string | Uint8Array): this {
    this.#headers.push([nameText(name), typeof value === 'string' ? value : Buffer.from(value).toString()])
    return this
  }

  write(piece: string | Uint8Array): boolean {
    this.#pieces.push(Buffer.from(piece as string))
    return true
  }

  end(body?: string | Uint8Array): this {
    if (body !== undefined) this.write(body)
    return this.#finish()
  }

  endWithoutBody(): this {
    return this.#finish()
  }

  tryEnd(bytes: Uint8Array): [ok: boolean, done: boolean] {
    this.end(bytes)
    return [true, true]
  }

  getWriteOffset(): number {
    return 0
  }

  onWritable(): this {
    return this
  }

  onAborted(handler: () => void): this {
    this.#aborted = handler
    return this
  }

  onData(handler: (piece: ArrayBuffer, last: boolean) => void): this {
    const { body = '' } = this.#request
    atRoundEnd(() => {
      if (!this.#over) handler(new Uint8Array(Buffer.from(body)).buffer as ArrayBuffer, true)
    })
    return this
  }

  cork(write: () => void): this {
    write()
    return this
  }

  pause(): void {}

  resume(): void {}

  close(): this {
    this.#fail(new Error('the service ended the request without an answer'))
    return this
  }

  getRemoteAddress(): ArrayBuffer {
    return addressBytes(this.#request.address.replace('/64', '')).buffer
  }

  #finish(): this {
    if (this.#over) return this
    this.#end()
    const status = codeOf(this.#status)
    const hasBody = status >= 200 && status !== 204 && status !== 304
    const headers = this.#headers.filter(([name]) => name.toLowerCase() !== 'content-length')
    this.#resolve(new Response(hasBody ? Buffer.concat(this.#pieces) : null, { status, headers }))
    return this
  }

  #fail(error: unknown): void {
    if (this.#over) return
    this.#end()
    this.#reject(error)
    this.#aborted()
  }

  #end(): void {
    this.#over = true
    this.#request.signal?.removeEventListener('abort', this.#stop)
  }
}

/** What answers requests of the process, by the same handler as those from the port. */
export function inProcess(host: ExchangeHost, handle: (exchange: Exchange) => void): InProcess {
  const serve = (request: OwnRequest, response: InMemoryResponse): void => {
    const exchange = new Exchange(response, new InMemoryRequest(request), host, '')
    try {
      handle(exchange)
    } catch (error) {
      host.fault(exchange, error)
    }
    exchange.leave()
  }
  return (request) =>
    new Promise((resolve, reject) => {
      if (request.signal?.aborted === true) return reject(request.signal.reason)
      const response = new InMemoryResponse(request, resolve, reject)
      atRoundEnd(() => serve(request, response))
    })
}

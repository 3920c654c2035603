/**
 * HTTP requests to counterparts: limited in time and size, and only to hosts that may be reached.
 *
 * Owns: sockets and their reuse, redirects, limits of time and size, TLS. Leaves out: the content of requests (the
 * kinds), retries (delivery.ts).
 *
 * 1. The host of every hop is checked against the policy, at the address of the connection.
 * 2. Certificates are verified unless the integration turns that off.
 * 3. A redirect is followed if it keeps method and body (307, 308), or for GET; five times at most. It never leads from
 *    https to http. Credentials are not sent to another origin.
 * 4. An answer has at most `answerBytesMax` bytes. A longer one is discarded.
 */
import { Agent as PlainAgent, request as plainRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { bounds } from '../bounds.js'
import { HostRefused, type HostPolicy } from './host-policy.js'

export interface HttpOptions {
  readonly policy: HostPolicy
  /** False accepts any certificate. */
  readonly verifyTls?: boolean
  /** PEM of the authorities to trust instead of the public ones. */
  readonly authorities?: string | undefined
  /** Headers that identify the service; sent to the origin of the request only. */
  readonly credentials?: Readonly<Record<string, string>>
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly answerBytesMax?: number
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** The counterpart was unreachable, or its answer was incomplete or wrong. The message is for people. */
export class HttpFailure extends Error {
  /** There was a connection, so the request itself may be the cause. */
  readonly connected: boolean

  constructor(message: string, connected = true) {
    super(message)
    this.connected = connected
  }
}

/** The answer has more bytes than may be. */
export class AnswerTooLong extends HttpFailure {}

const REDIRECTS_MAX = 5
const redirects = new Set([301, 302, 303, 307, 308])

export class HttpClient {
  readonly #options: HttpOptions
  readonly #plain: PlainAgent
  readonly #tls: TlsAgent

  constructor(options: HttpOptions) {
    this.#options = options
    const shared = {
      keepAlive: true,
      maxSockets: 16,
      maxFreeSockets: 4,
      timeout: bounds.outsideMsMax,
      lookup: options.policy.lookup,
    }
    this.#plain = new PlainAgent(shared)
    const { verifyTls = true, authorities } = options
    this.#tls = new TlsAgent({
      ...shared,
      rejectUnauthorized: verifyTls,
      ...(authorities === undefined ? {} : { ca: authorities }),
    })
  }

  /** Sends a request and follows redirects. @throws HttpFailure, HostRefused. */
  async send(request: OutgoingRequest): Promise<HttpAnswer> {
    let { url } = request
    for (let hops = 0; ; hops++) {
      const answer = await this.#once({ ...request, url }, url.origin === request.url.origin)
      const { location } = answer.headers
      if (!redirects.has(answer.status) || location === undefined) return answer
      if (request.method !== 'GET' && answer.status < 307) return answer
      if (hops >= REDIRECTS_MAX) throw new HttpFailure(`more than ${REDIRECTS_MAX} redirects`)
      const next = URL.canParse(location, url.href) ? new URL(location, url) : null
      if (next === null || !/^https?:$/.test(next.protocol)) throw new HttpFailure('the redirect has no valid address')
      if (url.protocol === 'https:' && next.protocol === 'http:')
        throw new HttpFailure('the redirect leads from https to http')
      url = next
    }
  }

  close(): void {
    this.#plain.destroy()
    this.#tls.destroy()
  }

  #once(request: OutgoingRequest, isOwnOrigin: boolean): Promise<HttpAnswer> {
    const { method, url, body, signal, timeoutMs = bounds.outsideMsMax } = request
    this.#options.policy.check(url.hostname)
    const isTls = url.protocol === 'https:'
    const headers: Record<string, string | number> = {
      'user-agent': 'decision-service',
      'accept-encoding': 'identity',
      ...request.headers,
      ...(isOwnOrigin ? this.#options.credentials : {}),
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    }
    return new Promise<HttpAnswer>((resolve, reject) => {
      const options = { method, headers, agent: isTls ? this.#tls : this.#plain }
      const taken = (answer: IncomingMessage): void => {
        collect(answer, request.answerBytesMax ?? bounds.answerBytesMax).then((bytes) => {
          settle()
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes })
        }, fail)
      }
      let sent: ClientRequest
      try {
        sent = (isTls ? tlsRequest : plainRequest)(url, options, taken)
      } catch (error) {
        // A header cannot be sent, such as a password that contains a line break: the message names only the header.
        return reject(new HttpFailure((error as Error).message, false))
      }
      let connected = false
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
      }
      const fail = (error: Error): void => {
        settle()
        reject(failureOf(error, connected))
      }
      const stop = (): void => void sent.destroy(new HttpFailure('stopped', false))
      const timer = setTimeout(
        () => sent.destroy(new HttpFailure(`no complete answer within ${timeoutMs} ms`, connected)),
        timeoutMs,
      )
      signal?.addEventListener('abort', stop)
      sent.on('error', fail)
      sent.on('socket', (socket: Socket) => {
        socket.setNoDelay(true)
        if (!socket.connecting) connected = true
        else socket.once(isTls ? 'secureConnect' : 'connect', () => (connected = true))
      })
      sent.end(body)
      if (signal?.aborted === true) stop()
    })
  }
}

async function collect(answer: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > bytesMax) {
      answer.destroy()
      throw new AnswerTooLong(`the answer has more than ${bytesMax} bytes`)
    }
    pieces.push(piece)
  }
  if (!answer.complete) throw new HttpFailure('the connection ended before the answer was complete')
  return Buffer.concat(pieces)
}

/** The failure as a sentence, without addresses and stack. */
function failureOf(error: Error, connected: boolean): Error {
  if (error instanceof HttpFailure || error instanceof HostRefused) return error
  const { code } = error as NodeJS.ErrnoException
  return new HttpFailure(
    code === undefined || error.message.includes(code) ? error.message : `${code}: ${error.message}`,
    connected,
  )
}

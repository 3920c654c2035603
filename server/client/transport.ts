/**
 * Sends requests: attempts with a time limit each, and the waits between them.
 *
 * Owns: retries, limits, cancelling. Leaves out: what a request is (request.ts), what an answer means (client.ts).
 *
 * 1. A request that may not be repeated is sent once.
 * 2. `Retry-After` goes before the client's own wait. One that is longer than a minute ends the call.
 * 3. No error has the key: messages of `fetch` are not passed on.
 */
import { ApiError, ConnectionError, errorOf, isTransient, ServiceError, TimeoutError } from './errors.js'

/** The time, as tests replace it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `then` after that many milliseconds. Returns what cancels it. */
  after(ms: number, then: () => void): () => void
}

export interface ClientOptions {
  /** The address of the service, with a path where it has one. Default in a browser: the page's own. */
  readonly baseUrl?: string | undefined
  /** A key or a token. */
  readonly key?: string | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How often a call that failed is tried again. Default 3. */
  readonly retries?: number | undefined
  /** The limit for one attempt, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly clock?: Clock | undefined
  /** A number from 0 to 1, below 1. */
  readonly random?: (() => number) | undefined
}

export interface CallOptions {
  /** Ends the call, its waits and its request. */
  readonly signal?: AbortSignal | undefined
  readonly retries?: number | undefined
  readonly timeoutMs?: number | undefined
}

/** A request that is ready to be sent. */
export interface Outgoing {
  readonly operation: string
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
  readonly isRepeatable: boolean
}

const FIRST_WAIT_MS = 1_000
const JITTER = 0.25
const RETRY_AFTER_MAX_MS = 60_000
const KEY = /^[\x21-\x7e]+$/

const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}

export class Transport {
  readonly clock: Clock
  readonly #base: string
  readonly #key: string | undefined
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    const { baseUrl = (globalThis as { location?: { origin: string } }).location?.origin, key, clock } = options
    if (baseUrl === undefined || !URL.canParse(baseUrl)) throw new TypeError('baseUrl must be the address of a service')
    const url = new URL(baseUrl)
    if (url.username !== '' || url.password !== '') throw new TypeError('baseUrl must not have a password; use key')
    if (key !== undefined && !KEY.test(key)) throw new TypeError('key must be of printable characters, without blanks')
    this.#base = url.origin + url.pathname.replace(/\/+$/, '')
    this.#key = key
    this.#options = options
    this.clock = clock ?? systemClock
  }

  /** The answer of a request as `read` makes it. @throws ServiceError, or the reason of the signal. */
  async send<T>(request: Outgoing, options: CallOptions, read: (response: Response) => Promise<T>): Promise<T> {
    for (let tried = 0; ; tried++) {
      try {
        return await this.#attempt(request, options, read)
      } catch (error) {
        if (!request.isRepeatable || !(await this.waitAfter(error, tried, options))) throw error
      }
    }
  }

  /** Waits until the next attempt after an error; false, at once, if there is to be none. */
  async waitAfter(error: unknown, tried: number, options: CallOptions): Promise<boolean> {
    if (tried >= (options.retries ?? this.#options.retries ?? 3) || !isTransient(error)) return false
    const jitter = 1 - JITTER * (this.#options.random ?? Math.random)()
    const waitMs = error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** tried * jitter
    if (waitMs > RETRY_AFTER_MAX_MS) return false
    await this.#pause(waitMs, options.signal)
    return true
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const cancel = this.clock.after(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      const stop = (): void => {
        cancel()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  async #attempt<T>(request: Outgoing, options: CallOptions, read: (response: Response) => Promise<T>): Promise<T> {
    const { signal } = options
    signal?.throwIfAborted()
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal?.reason)
    const limitMs = options.timeoutMs ?? this.#options.timeoutMs ?? 30_000
    let isLate = false
    const cancel = this.clock.after(limitMs, () => {
      isLate = true
      controller.abort()
    })
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const response = await this.#fetch(request, controller.signal)
      if (!response.ok) throw await errorOf(response, request.operation, this.clock.now())
      return await read(response)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (isLate) throw new TimeoutError(`${request.operation}: no answer in ${limitMs} ms`, { code: 'timeout' })
      if (error instanceof ServiceError) throw this.#withoutKey(error)
      throw this.broken(request.operation, error)
    } finally {
      cancel()
      signal?.removeEventListener('abort', stop)
    }
  }

  #fetch({ method, path, body, headers }: Outgoing, signal: AbortSignal): Promise<Response> {
    const send = this.#options.fetch ?? ((...args) => globalThis.fetch(...args))
    const all = {
      ...this.#options.headers,
      ...headers,
      accept: 'application/json, application/problem+json, */*',
      ...(this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` }),
    }
    // An answer that leads elsewhere is an error: the key is for this service alone.
    return send(this.#base + path, { method, headers: all, body: body ?? null, signal, redirect: 'manual' })
  }

  /** The error for a connection that failed, or an answer that cannot be read. */
  broken(operation: string, error: unknown): ServiceError {
    if (error instanceof SyntaxError)
      return new ServiceError(`${operation}: the answer is not valid JSON`, { code: 'invalid_answer' })
    const { code } = Object((error as { cause?: unknown } | null)?.cause) as { code?: unknown }
    const why = typeof code === 'string' ? ` (${code})` : ''
    const message = `${operation}: the connection to ${new URL(this.#base).origin} failed${why}`
    return new ConnectionError(message, { code: 'connection_failed' })
  }

  /** The same error; another one where its message repeats the key. */
  #withoutKey(error: ServiceError): ServiceError {
    if (this.#key === undefined || !error.message.includes(this.#key)) return error
    return new ApiError(error.message.replaceAll(this.#key, '(hidden)'), { ...error, issues: [] })
  }
}

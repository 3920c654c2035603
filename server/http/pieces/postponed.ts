/**
 * A request that is served later: what it says is kept, and so is the part of its body that comes meanwhile.
 *
 * Owns: the kept request, and its body until somebody takes it. Leaves out: for what it waits (cluster/).
 *
 * 1. A body that comes faster than it is taken is not read on, beyond a bound.
 * 2. A request whose client goes away meanwhile is never served.
 */
import { atRoundEnd } from '../../../engine/index.js'
import type { HttpRequest, HttpResponse } from '../library.js'
import { nameText } from '../node-http/node-request.js'

/** Bytes of a body that are kept before its connection is not read any more. */
const KEPT_BYTES = 256 * 1024

type TakePiece = (piece: ArrayBuffer, last: boolean) => void

/** A request whose native one is freed. Repeated headers stay repeated: they are refused later (request-head.ts). */
class KeptRequest implements HttpRequest {
  readonly #method: string
  readonly #url: string
  readonly #query: string | null
  readonly #headers: (readonly [string, string])[] = []

  constructor(req: HttpRequest, method: string) {
    this.#method = method === '' ? req.getMethod() : method
    this.#url = req.getUrl()
    this.#query = req.getQuery() ?? null
    req.forEach((name, value) => void this.#headers.push([name, value]))
  }

  getMethod(): string {
    return this.#method
  }

  getUrl(): string {
    return this.#url
  }

  getQuery(): string | null {
    return this.#query
  }

  getHeader(name: string | Uint8Array): string {
    const sought = nameText(name)
    return this.#headers.find(([one]) => one === sought)?.[1] ?? ''
  }

  forEach(take: (name: string, value: string) => void): void {
    for (const [name, value] of this.#headers) take(name, value)
  }
}

/** The body of a request that is not served yet. The response's `onData` gives all of it, from its beginning. */
class EarlyBody {
  readonly #res: HttpResponse
  readonly #pieces: ArrayBuffer[] = []
  #bytes = 0
  #isWhole = false
  #isPaused = false
  #isServed = false
  #isTaken = false
  #taker: TakePiece | null = null

  constructor(res: HttpResponse) {
    this.#res = res
    res.onData((piece, last) => this.#take(piece, last))
    res.onData = (taker) => {
      if (this.#taker === null) atRoundEnd(() => this.#give())
      this.#taker = taker
      return res
    }
  }

  /** The request is served now: a body that nobody takes is dropped from here on. */
  served(): void {
    this.#isServed = true
    if (this.#isPaused) this.#res.resume()
  }

  #take(piece: ArrayBuffer, last: boolean): void {
    if (this.#isTaken) return this.#taker?.(piece, last)
    if (this.#isServed && this.#taker === null) return
    this.#pieces.push(piece.slice(0))
    this.#bytes += piece.byteLength
    this.#isWhole ||= last
    if (last || this.#isServed || this.#bytes < KEPT_BYTES) return
    this.#isPaused = true
    this.#res.pause()
  }

  #give(): void {
    this.#isTaken = true
    const end = this.#pieces.length - 1
    for (const [at, piece] of this.#pieces.entries()) this.#taker?.(piece, this.#isWhole && at === end)
    this.#pieces.length = 0
  }
}

/** What becomes of a postponed request: one of both is called, once. */
export interface Postponed<T> {
  /** The request is served now; `waited` is what it waited for. */
  serve(kept: HttpRequest, waited: T): void
  /** Its client has gone. */
  gone(): void
}

/** Serves a request when `until` has resolved. Called in its handler. `method` in lower case; '' to read it. */
export function postpone<T>(
  { res, req, method }: { readonly res: HttpResponse; readonly req: HttpRequest; readonly method: string },
  until: Promise<T>,
  postponed: Postponed<T>,
): void {
  const kept = new KeptRequest(req, method)
  const body = new EarlyBody(res)
  let isOver = false
  res.onAborted(() => {
    if (isOver) return
    isOver = true
    postponed.gone()
  })
  void until.then((waited) => {
    if (isOver) return
    isOver = true
    body.served()
    res.cork(() => postponed.serve(kept, waited))
  })
}

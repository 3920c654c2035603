/**
 * A stream as server-sent events.
 *
 * Owns: the answer, its heartbeats, a client that reads slowly. Leaves out: the messages (the engine).
 *
 * 1. The library does not say when a slow client has read everything, so comments probe it, as in
 *    bulk/result-lines.ts. Meanwhile nothing else is written, so such a client holds one piece.
 */
import { isRefusal, limits, Refusal, type StreamListener, type StreamSubscription } from '../../../engine/index.js'
import { statusOf } from '../../http/error-reply.js'
import type { Exchange } from '../../http/exchange.js'
import type { StreamContext } from './stream-context.js'

const PROBE_FIRST_MS = 5
const PROBE_SLOWEST_MS = 1_000
/** After a broken connection, browsers wait for so long. */
const RETRY_MS = 2_000
const headers = [
  ['Cache-Control', 'no-store'],
  ['X-Accel-Buffering', 'no'],
] as const

class EventStream implements StreamListener {
  readonly #exchange: Exchange
  readonly #check: () => void
  readonly #offDrain: () => void
  subscription: StreamSubscription | null = null
  /** Since when the client has not read everything; null if it has. */
  #blockedSince: number | null = null
  #probe: NodeJS.Timeout | null = null
  #probeMs = PROBE_FIRST_MS
  #isOver = false

  constructor({ exchange, app, check }: StreamContext) {
    this.#exchange = exchange
    this.#check = check
    this.#offDrain = app.onDrain(() => this.ended(new Refusal('draining', 'the service is shutting down')))
  }

  begin(): void {
    this.#exchange.hold(() => this.#close())
    this.#exchange.beginStream('200 OK', 'text/event-stream', headers)
    if (this.#exchange.method === 'head') return this.#close()
    this.take(`retry: ${RETRY_MS}\n\n`)
  }

  take(messages: string | Uint8Array): boolean {
    if (this.#isOver) return false
    if (this.#exchange.write(messages)) return true
    this.#blockedSince ??= performance.now()
    this.#probe ??= setTimeout(() => this.#probeOnce(), this.#probeMs)
    return false
  }

  beat(after: string): void {
    if (this.#isOver) return
    try {
      this.#check()
    } catch (error) {
      if (!isRefusal(error)) throw error
      return this.ended(error)
    }
    if (this.#blockedSince === null) this.take(`: heartbeat\nid: ${after}\n\n`)
  }

  ended({ code, message }: Refusal): void {
    if (this.#isOver) return
    this.#exchange.write(`event: end\ndata: ${JSON.stringify({ code, status: statusOf[code], message })}\n\n`)
    this.#end()
  }

  #probeOnce(): void {
    this.#probe = null
    if (this.#isOver) return
    if (performance.now() - (this.#blockedSince ?? 0) > limits.streamStalledMsMax) return this.#exchange.cut()
    this.#probeMs = Math.min(2 * this.#probeMs, PROBE_SLOWEST_MS)
    if (!this.take(':\n')) return
    this.#blockedSince = null
    this.#probeMs = PROBE_FIRST_MS
    this.subscription?.ready()
  }

  #end(): void {
    this.#close()
    this.#exchange.endStream()
  }

  /** It was not begun. */
  drop(): void {
    this.#close()
  }

  #close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#offDrain()
    if (this.#probe !== null) clearTimeout(this.#probe)
    this.subscription?.close()
  }
}

/** @throws Refusal as StreamsService.open. */
export function serveEvents(context: StreamContext): void {
  const { app, principal, query } = context
  const stream = new EventStream(context)
  try {
    stream.subscription = app.service.live.streams.open(principal, { ...query, form: 'sse' }, stream)
  } finally {
    if (stream.subscription === null) stream.drop()
  }
  stream.begin()
}

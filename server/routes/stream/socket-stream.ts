/**
 * A stream over a WebSocket: each text message is one JSON object with `id`, `type` and `data`.
 *
 * Owns: the socket, its heartbeats, a client that reads slowly. Leaves out: the messages (the engine).
 *
 * 1. A page of another site may not open one: browsers send its origin, and the cookies of this service.
 */
import {
  cutUtf8,
  isRefusal,
  limits,
  Refusal,
  type StreamListener,
  type StreamSubscription,
} from '../../../engine/index.js'
import type { HttpSocket, SocketUser } from '../../http/native.js'
import { isForeign } from '../../http/origin.js'
import type { StreamContext } from './stream-context.js'

const LF = 0x0a
const SENT_SLOWLY = 0
const DROPPED = 2
/** Codes of RFC 6455 and of its registry: the client may come again, and it may not. */
const TRY_AGAIN = 1012
const REFUSED = 1008

class SocketStream implements StreamListener, SocketUser {
  readonly #context: StreamContext
  readonly #offDrain: () => void
  #socket: HttpSocket | null = null
  #subscription: StreamSubscription | null = null
  /** Since when the client has not read everything; null if it has. */
  #blockedSince: number | null = null

  constructor(context: StreamContext) {
    this.#context = context
    this.#offDrain = context.app.onDrain(() => this.ended(new Refusal('draining', 'the service is shutting down')))
  }

  opened(socket: HttpSocket): void {
    this.#socket = socket
    const { app, principal, query } = this.#context
    try {
      this.#subscription = app.service.live.streams.open(principal, { ...query, form: 'lines' }, this)
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.ended(error)
    }
  }

  take(messages: Uint8Array): boolean {
    let at = 0
    for (let end = messages.indexOf(LF); end >= 0; end = messages.indexOf(LF, at)) {
      this.#send(messages.subarray(at, end))
      at = end + 1
    }
    return this.#blockedSince === null
  }

  beat(after: string): void {
    const blocked = this.#blockedSince
    if (blocked !== null && performance.now() - blocked > limits.streamStalledMsMax) return void this.#socket?.close()
    try {
      this.#context.check()
    } catch (error) {
      if (!isRefusal(error)) throw error
      return this.ended(error)
    }
    if (blocked === null) this.#send(`{"id":"${after}","type":"heartbeat","data":{}}`)
  }

  /** A dropped message would be lost, so the connection ends. The client goes on from the last one that it has. */
  #send(text: string | Uint8Array): void {
    const sent = this.#socket?.send(text, false)
    if (sent === SENT_SLOWLY) this.#blockedSince ??= performance.now()
    if (sent === DROPPED) this.#socket?.close()
  }

  drained(): void {
    if (this.#blockedSince === null) return
    this.#blockedSince = null
    this.#subscription?.ready()
  }

  ended({ message, retryable }: Refusal): void {
    this.#socket?.end(retryable ? TRY_AGAIN : REFUSED, cutUtf8(message, 100))
  }

  closed(): void {
    this.#socket = null
    this.#offDrain()
    this.#subscription?.close()
  }

  /** It was not opened. */
  drop(): void {
    this.#offDrain()
  }
}

/** @throws Refusal origin_refused, websocket_unavailable, and as StreamsService.open. */
export function serveSocket(context: StreamContext): void {
  const { exchange, app, principal, query } = context
  if (isForeign(exchange, app.publicUrl))
    throw new Refusal('origin_refused', 'a page of another site may not open a WebSocket of this service')
  // Refusals have to be answered before there is a WebSocket.
  app.service.live.streams.open(principal, { ...query, form: 'lines' }, nobody).close()
  const stream = new SocketStream(context)
  if (exchange.upgrade(stream)) return
  stream.drop()
  throw new Refusal(
    'websocket_unavailable',
    'HTTP is served by node:http here, which has no WebSockets: ask for the same address without an upgrade to get ' +
      'the same messages as server-sent events',
  )
}

const nobody: StreamListener = { take: () => false, beat() {}, ended() {} }

/**
 * Forwards requests to the owner, by HTTP, as they came.
 *
 * Owns: which node gets a request, waiting while there is none, what is sent again. Leaves out: one request and its
 * answer (forwarding.ts), who the owner is, and which other nodes there are (the engine's cluster node).
 *
 * 1. While no node is the owner, requests wait, 12 seconds at most. Then they are refused with 503 and
 *    Retry-After. Those that any node answers go to another one, and do not wait.
 * 2. A request is sent again where nothing of it was sent, or where doing it twice is doing it once (S6), and its body
 *    is still here.
 * 3. Any other request whose owner goes away is refused with 503. The answer says that it may have taken effect.
 */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Refusal } from '../../engine/index.js'
import { replyHttpError, replyRefusal } from '../http/error-reply.js'
import type { Exchange } from '../http/exchange.js'
import { HeldBytes } from '../http/held-bytes.js'
import { Forwarding, type RequestHead } from './forwarding.js'
import { isRepeatable, isWebSocket } from './operations.js'

/**
 * Milliseconds that a request waits for an owner; between two looks; until an idle connection to the owner is closed.
 */
const [WAIT_MS, LOOK_MS, IDLE_MS] = [12_000, 25, 4_000]
/** Bytes of bodies that are held, over all requests. */
const HELD_BYTES = 64 * 1024 * 1024
/** Nodes that may forward a request one after the other. */
const HOPS_MAX = 3
const HOPS = 'x-forwarded-nodes'
const RETRY_AFTER_SECONDS = 2

/** Headers of one connection (RFC 9110, 7.6.1), and those that the next request has of its own. */
const ofConnection = new Set(['connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'transfer-encoding', 'expect'])

/** Where other nodes serve. */
export interface OtherNodes {
  /** The owner; null while there is none. */
  owner(): string | null
  /** All that are ready. */
  ready(): readonly string[]
}

export class Forwarder {
  readonly #nodes: OtherNodes
  readonly #waitMs: number
  /** Nodes take turns. */
  #turn = 0
  readonly #held = new HeldBytes(HELD_BYTES)
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' }),
  }

  constructor(nodes: OtherNodes, waitMs = WAIT_MS) {
    this.#nodes = nodes
    this.#waitMs = waitMs
  }

  /** `byAny`: any node answers it. */
  forward(exchange: Exchange, byAny = false): void {
    const { headFault } = exchange
    if (headFault !== null) return replyHttpError(exchange, headFault.status, headFault.message)
    if (isWebSocket(exchange.header('upgrade'))) return replyRefusal(exchange, noSocket())
    const hops = Number(exchange.header(HOPS) || 0) + 1
    if (!(hops <= HOPS_MAX)) return replyRefusal(exchange, noOwner())
    const forwarding = new Forwarding(exchange, headOf(exchange, hops), this.#held)
    void this.#send(forwarding, byAny).catch((error: unknown) => exchange.failed(error))
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  async #send(forwarding: Forwarding, byAny: boolean): Promise<void> {
    const end = performance.now() + this.#waitMs
    for (;;) {
      const url = await this.#target(end, forwarding, byAny)
      if (forwarding.isOver) return
      if (url === null) return forwarding.refuse(noOwner())
      const target = new URL(url)
      const agent = this.#agents[target.protocol === 'https:' ? 'https:' : 'http:']
      const isPast = (): boolean =>
        (this.#nodes.owner() ?? url) !== url && !(byAny && this.#nodes.ready().includes(url))
      const how = await forwarding.send(target, agent, isPast)
      if (how === 'over') return
      if (how === 'unclear')
        return forwarding.refuse(
          new Refusal('log_unavailable', 'the owner of the cluster went away; the request may have taken effect', {
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          }),
        )
      if (performance.now() > end) return forwarding.refuse(noOwner())
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async #target(end: number, forwarding: Forwarding, byAny: boolean): Promise<string | null> {
    for (;;) {
      const others = byAny ? this.#nodes.ready() : []
      const url = this.#nodes.owner() ?? others[this.#turn++ % others.length] ?? null
      if (url !== null || forwarding.isOver || performance.now() > end) return url
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}

/** A WebSocket is served by the node that it comes to, or not at all. */
function noSocket(): Refusal {
  const what = 'this node does not answer from its copies now: try again, or open the WebSocket at another node'
  return new Refusal('not_ready', what, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

function noOwner(): Refusal {
  return new Refusal('not_ready', 'no node of the cluster is the owner now; try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}

function headOf(exchange: Exchange, hops: number): RequestHead {
  const query = exchange.query()
  const headers = Object.fromEntries(exchange.headers((name) => !ofConnection.has(name)))
  const method = exchange.method.toUpperCase()
  return {
    method,
    path: query === '' ? exchange.path : `${exchange.path}?${query}`,
    headers: { ...headers, 'x-request-id': exchange.requestId, [HOPS]: String(hops) },
    isRepeatable: isRepeatable(exchange.method, exchange.path),
  }
}

/** A service that answers as a test says, and a clock whose waits end at once. */
import { createClient, type Client, type ClientOptions } from '../../../server/client/index.js'

export interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string | null
}

type Reply = Response | Error | ((sent: Sent, signal: AbortSignal) => Response | Promise<Response>)

export const KEY = 'key-that-nobody-may-see'

export function jsonReply(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}

export class FakeService {
  readonly sent: Sent[] = []
  /** Milliseconds of waits, in order. Limits of attempts are not among them. */
  readonly waits: number[] = []
  readonly client: Client
  #limit: (() => void) | null = null

  /** The replies in order; the last one goes on for ever. */
  constructor(replies: readonly Reply[], options: ClientOptions = {}) {
    const limitMs = options.timeoutMs ?? 30_000
    this.client = createClient({
      baseUrl: 'http://service.test/base/',
      key: KEY,
      random: () => 0,
      clock: {
        now: () => Date.parse('2026-01-31T09:00:00Z'),
        after: (ms, then) => {
          if (ms === limitMs) {
            this.#limit = then
            return () => (this.#limit = null)
          }
          this.waits.push(ms)
          const timer = setImmediate(then)
          return () => clearImmediate(timer)
        },
      },
      fetch: async (input, init) => {
        const { method, headers, body, signal } = init as RequestInit & { signal: AbortSignal }
        const sent = {
          method: method!,
          url: new URL(String(input)),
          headers: new Headers(headers),
          body: body as string,
        }
        const reply = replies[Math.min(this.sent.length, replies.length - 1)] as Reply
        this.sent.push(sent)
        if (reply instanceof Error) throw reply
        return reply instanceof Response ? reply.clone() : reply(sent, signal)
      },
      ...options,
    })
  }

  /** The limit of the attempt under way is over. */
  endAttempt(): void {
    this.#limit?.()
  }
}

/** A reply that never comes. It ends with its signal. */
export function silence(_sent: Sent, signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')), { once: true })
  })
}

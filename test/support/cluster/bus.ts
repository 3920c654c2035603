/** What a NATS server does for messages without streams, in memory: a stand-in for the connection of parcels.ts. */
import type { Msg, NatsConnection } from '@nats-io/transport-node'

interface Message {
  readonly subject: string
  readonly data: Uint8Array
  readonly reply: string | undefined
}

interface Subscription {
  readonly subject: string
  take(message: Msg): void
}

export class Bus {
  readonly #subscriptions = new Set<Subscription>()
  /** Bytes of a message. */
  readonly payloadMax: number
  /** True for a message that is lost, or that is held back and brought later. */
  loses: (message: Message) => boolean = () => false

  constructor(payloadMax = 1024 ** 2) {
    this.payloadMax = payloadMax
  }

  get connection(): NatsConnection {
    const one = {
      info: { max_payload: this.payloadMax },
      isClosed: () => false,
      subscribe: (subject: string, { callback }: { callback(error: null, message: Msg): void }) => {
        const subscription = { subject, take: (message: Msg) => callback(null, message) }
        this.#subscriptions.add(subscription)
        return { unsubscribe: () => this.#subscriptions.delete(subscription) }
      },
      publish: (subject: string, data: Uint8Array, { reply }: { reply?: string } = {}) => {
        if (data.length > this.payloadMax) throw new Error('maximum payload')
        const message = { subject, data, reply }
        if (!this.loses(message)) this.bring(message)
      },
    }
    return one as unknown as NatsConnection
  }

  /** Brings a message, later than it is sent. */
  bring({ subject, data, reply }: Message): void {
    setImmediate(() => {
      const found = [...this.#subscriptions].filter((one) => matches(one.subject, subject))
      for (const one of found) one.take({ subject, data, reply } as Msg)
      if (found.length > 0 || reply === undefined) return
      for (const one of this.#subscriptions)
        if (matches(one.subject, reply))
          one.take({ subject: reply, data: new Uint8Array(0), headers: { code: 503 } } as Msg)
    })
  }
}

function matches(pattern: string, subject: string): boolean {
  return pattern.endsWith('.>') ? subject.startsWith(pattern.slice(0, -1)) : pattern === subject
}

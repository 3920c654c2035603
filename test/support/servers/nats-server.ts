/**
 * A NATS server with only the protocol that the service speaks: a real TCP (or TLS) server, one stream for every
 * subject, and durable pull consumers.
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { SmallServer } from './small-server.js'

export type NatsBehaviour = 'well' | 'silent' | 'refusing' | 'broken' | 'half'

interface Stored {
  readonly subject: string
  readonly headers: string
  readonly payload: Buffer
}

interface Consumer {
  readonly config: Record<string, any>
  next: number
  readonly pending: Set<number>
  readonly acked: Map<number, string>
}

interface Peer {
  readonly write: (text: string | Buffer) => void
  readonly subscriptions: Map<string, string>
}

const CREATED = '2026-01-05T06:00:00Z'

/** A published message; `reply` is '' if no answer is wanted. */
interface Published {
  readonly subject: string
  readonly reply: string
  readonly headers: string
  readonly payload: Buffer
}

/** Where a consumer's messages go. */
interface Pull {
  readonly name: string
  readonly consumer: Consumer
  readonly reply: string
}

export class NatsServer extends SmallServer {
  readonly messages: Stored[] = []
  readonly consumers = new Map<string, Consumer>()
  behaviour: NatsBehaviour = 'well'
  token = ''
  tls: { readonly key: string; readonly cert: string } | null = null
  /** Other servers that it reports as its cluster. */
  connectUrls: string[] = []
  readonly #ids = new Set<string>()

  private constructor() {
    super((socket) => this.#greet(socket))
  }

  static open(): Promise<NatsServer> {
    return new NatsServer().listen()
  }

  /** Puts a message into the stream. Returns its sequence, or that of the message with the same id. */
  store(subject: string, payload: Buffer, headers = ''): number {
    const id = /^Nats-Msg-Id: ?(.*)$/m.exec(headers)?.[1]
    if (id !== undefined && this.#ids.has(id)) return this.messages.length
    if (id !== undefined) this.#ids.add(id)
    return this.messages.push({ subject, headers, payload })
  }

  #greet(socket: Socket): void {
    const info = {
      server_id: 'S',
      server_name: 's',
      version: '2.10.0',
      proto: 1,
      headers: true,
      max_payload: 1_048_576,
      jetstream: true,
      connect_urls: this.connectUrls,
      ...(this.tls === null ? {} : { tls_required: true }),
    }
    socket.write(`INFO ${JSON.stringify(info)}\r\n`)
    if (this.tls === null) return this.#listen(socket)
    const secure = new TLSSocket(socket, { isServer: true, ...this.tls })
    secure.on('error', () => socket.destroy())
    this.#listen(secure)
  }

  #listen(socket: Socket): void {
    const peer: Peer = { write: (text) => void (socket.destroyed || socket.write(text)), subscriptions: new Map() }
    let rest = Buffer.alloc(0)
    socket.on('data', (piece) => {
      rest = Buffer.concat([rest, piece])
      for (;;) {
        const end = rest.indexOf('\r\n')
        if (end < 0) return
        const words = rest.toString('latin1', 0, end).split(' ')
        const size = /^H?PUB$/.test(words[0] as string) ? Number(words.at(-1)) + 2 : 0
        if (rest.length < end + 2 + size) return
        const body = rest.subarray(end + 2, end + 2 + Math.max(0, size - 2))
        rest = rest.subarray(end + 2 + size)
        this.#obey(peer, socket, words, body)
      }
    })
  }

  #obey(peer: Peer, socket: Socket, words: string[], body: Buffer): void {
    const [verb, subject = ''] = words
    if (verb === 'CONNECT' && this.token !== '' && JSON.parse(words.slice(1).join(' ')).auth_token !== this.token) {
      peer.write("-ERR 'Authorization Violation'\r\n")
      return void socket.end()
    }
    if (verb === 'PING') return peer.write('PONG\r\n')
    if (verb === 'SUB') return void peer.subscriptions.set(words.at(-1) as string, subject)
    if (verb === 'UNSUB') return void peer.subscriptions.delete(subject)
    if (verb === 'PUB') {
      const reply = words.length === 4 ? words[2]! : ''
      return this.#take(peer, socket, { subject, reply, headers: '', payload: body })
    }
    if (verb !== 'HPUB') return
    const headBytes = Number(words.at(-2))
    this.#take(peer, socket, {
      subject,
      reply: words.length === 5 ? words[2]! : '',
      headers: body.toString('utf8', 0, headBytes),
      payload: body.subarray(headBytes),
    })
  }

  #take(peer: Peer, socket: Socket, message: Published): void {
    const { subject, reply, headers, payload } = message
    const answer = (value: unknown): void =>
      this.#send(peer, reply, { subject: reply, reply: '', headers: '', payload: Buffer.from(JSON.stringify(value)) })
    if (subject.startsWith('$JS.ACK.')) {
      const [, , , consumer, , sequence] = subject.split('.')
      this.consumers.get(consumer!)!.pending.delete(Number(sequence))
      return void this.consumers.get(consumer!)!.acked.set(Number(sequence), payload.toString().split(' ')[0]!)
    }
    if (subject.startsWith('$JS.API.')) return this.#answer(peer, subject.slice(8).split('.'), message, answer)
    switch (this.behaviour) {
      case 'silent':
        return
      case 'half':
        return void socket.destroy()
      case 'refusing':
        return answer({
          error: { code: 400, err_code: 10_054, description: 'message size exceeds maximum allowed' },
          stream: 's',
          seq: 0,
        })
      case 'broken':
        return answer({
          error: { code: 503, err_code: 10_077, description: 'maximum bytes exceeded' },
          stream: 's',
          seq: 0,
        })
      case 'well':
        return answer({ stream: 's', seq: this.store(subject, Buffer.from(payload), headers) })
    }
  }

  #answer(
    peer: Peer,
    [what, verb, , name = '', last = '']: string[],
    { reply, payload }: Published,
    answer: (value: unknown) => void,
  ): void {
    if (what === 'STREAM')
      return answer({
        config: { name: 's', subjects: ['>'] },
        created: CREATED,
        state: { messages: this.messages.length },
      })
    if (verb === 'CREATE') {
      const { config } = JSON.parse(payload.toString())
      const first =
        config.deliver_policy === 'by_start_sequence'
          ? config.opt_start_seq
          : config.deliver_policy === 'new'
            ? this.messages.length + 1
            : 1
      const known = this.consumers.get(name)
      this.consumers.set(name, {
        config,
        next: known?.next ?? first,
        pending: known?.pending ?? new Set(),
        acked: known?.acked ?? new Map(),
      })
    }
    const consumer = this.consumers.get(verb === 'MSG' ? last : name)
    if (consumer === undefined)
      return answer({ error: { code: 404, err_code: 10_014, description: 'consumer not found' } })
    if (verb !== 'MSG')
      return answer({
        stream_name: 's',
        name,
        config: consumer.config,
        ack_floor: { stream_seq: this.#floor(consumer) },
        created: CREATED,
      })
    this.#pull(peer, { name: last, consumer, reply }, JSON.parse(payload.toString()).batch)
  }

  #floor({ next, pending }: Consumer): number {
    return Math.min(next, ...pending) - 1
  }

  /** Messages that another connection did not acknowledge are delivered again at once. */
  #pull(peer: Peer, pull: Pull, batch: number): void {
    const { name, consumer, reply } = pull
    const again = [...consumer.pending].filter((sequence) => !(peer as any)[`given${sequence}`])
    const fresh: number[] = []
    const most = Math.min(batch, Math.max(0, consumer.config.max_ack_pending - consumer.pending.size))
    const { filter_subject: filter = '>' } = consumer.config
    for (; fresh.length < most && consumer.next <= this.messages.length; consumer.next++) {
      if (isOf(this.messages[consumer.next - 1]!.subject, filter)) fresh.push(consumer.next)
    }
    for (const sequence of [...again, ...fresh]) {
      consumer.pending.add(sequence)
      Object.assign(peer, { [`given${sequence}`]: true })
      const { subject, headers, payload } = this.messages[sequence - 1]!
      const ack = `$JS.ACK.s.${name}.1.${sequence}.${sequence}.1767592800000000000.0`
      this.#send(peer, reply, { subject, reply: ack, headers, payload })
    }
    if (fresh.length < batch)
      setTimeout(
        () => peer.subscriptions.size > 0 && this.isListening && this.#pull(peer, pull, batch - fresh.length),
        20,
      ).unref()
  }

  #send(peer: Peer, to: string, { subject, reply, headers, payload }: Published): void {
    for (const [sid, pattern] of peer.subscriptions) {
      if (pattern !== to && !(pattern.endsWith('*') && to.startsWith(pattern.slice(0, -1)))) continue
      const words = [subject, sid, ...(reply === '' ? [] : [reply])].join(' ')
      const size = Buffer.byteLength(headers)
      peer.write(
        headers === '' ? `MSG ${words} ${payload.length}\r\n` : `HMSG ${words} ${size} ${size + payload.length}\r\n`,
      )
      peer.write(Buffer.concat([Buffer.from(headers), payload, Buffer.from('\r\n')]))
    }
  }
}

/** True if the subject matches the pattern: `*` stands for one token, `>` for all that follow. */
function isOf(subject: string, pattern: string): boolean {
  const [tokens, wanted] = [subject.split('.'), pattern.split('.')]
  return (
    wanted.every(
      (token, at) => token === '>' || (tokens[at] !== undefined && (token === '*' || token === tokens[at])),
    ) &&
    (wanted.includes('>') || tokens.length === wanted.length)
  )
}

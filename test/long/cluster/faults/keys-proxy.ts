/**
 * A node's way to one NATS server. It can give the node shared values of its own, so that the node believes what no
 * other node does: all that it asks of one bucket of keys goes to another one. The logs stay those of all.
 *
 * Names of both buckets are equally long, so that no length in the protocol changes.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { Transform, type TransformCallback } from 'node:stream'

/** A text, and one that is as long and takes its place. */
type Replacement = readonly [string, string]

/** Where the servers tell of each other: a node that heard of them would go past the proxy. */
const HIDDEN: readonly Replacement[] = [['"connect_urls"', '"connect_none"']]

export class KeysProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #diverted: readonly Replacement[] = []

  private constructor(server: Server) {
    this.#server = server
  }

  /** `target`: `nats://host:port` of the server. */
  static async open(target: string): Promise<KeysProxy> {
    const { hostname, port } = new URL(target)
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const proxy = new KeysProxy(server)
    server.on('connection', (node) => proxy.#join(node, connect(Number(port), hostname)))
    return proxy
  }

  get address(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** From now on what is asked of the bucket `from` goes to `to`. */
  divert(from: string, to: string): void {
    // In the name of the stream, and in subjects.
    this.#diverted = ['_', '.'].map((mark) => [`KV${mark}${from}`, `KV${mark}${to}`])
  }

  /** The node has the same values as the others again. */
  restore(): void {
    this.#diverted = []
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(node: Socket, server: Socket): void {
    for (const [one, other] of [
      [node, server],
      [server, node],
    ] as const) {
      this.#sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => {})
      one.once('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
    }
    node.pipe(new Replaced(() => this.#diverted)).pipe(server)
    server.pipe(new Replaced(() => HIDDEN)).pipe(node)
  }
}

/** Bytes with texts in the places of others. */
class Replaced extends Transform {
  readonly #replacements: () => readonly Replacement[]
  #rest = ''

  constructor(replacements: () => readonly Replacement[]) {
    super()
    this.#replacements = replacements
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const replacements = this.#replacements()
    let text = this.#rest + chunk.toString('latin1')
    for (const [from, to] of replacements) text = text.replaceAll(from, to)
    // What is to be replaced may have begun.
    const begun = Math.max(0, ...replacements.map(([from]) => begunOf(text, from)))
    this.#rest = text.slice(text.length - begun)
    done(null, Buffer.from(text.slice(0, text.length - begun), 'latin1'))
  }
}

/** The length of the longest beginning of `whole` at the end of the text. */
function begunOf(text: string, whole: string): number {
  for (let length = Math.min(whole.length - 1, text.length); length > 0; length--)
    if (text.endsWith(whole.slice(0, length))) return length
  return 0
}

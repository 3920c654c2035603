/** A receiver of octet-counted syslog (RFC 6587, RFC 5425), in the clear or over TLS. */
import { once } from 'node:events'
import { createServer as createPlain, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTls } from 'node:tls'

export class SyslogServer {
  readonly messages: string[] = []
  readonly #sockets = new Set<Socket>()
  readonly #server: Server

  private constructor(tls: { readonly key: string; readonly cert: string } | null) {
    const listen = (socket: Socket): void => this.#listen(socket)
    this.#server = tls === null ? createPlain(listen) : createTls({ key: tls.key, cert: tls.cert }, listen)
    this.#server.on('tlsClientError', () => {})
  }

  static async open(
    tls: { readonly key: string; readonly cert: string } | null = null,
    host = '127.0.0.1',
  ): Promise<SyslogServer> {
    const server = new SyslogServer(tls)
    server.#server.listen(0, host)
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Ids of the events in the messages. */
  get eventIds(): string[] {
    return this.messages.map(
      (message) =>
        /^<\d+>1 \S+ \S+ decision-service - decision \[\S+ .*? event="([^"]*)"/.exec(message)?.[1] ??
        `not syslog: ${message}`,
    )
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #listen(socket: Socket): void {
    this.#sockets.add(socket)
    let rest = Buffer.alloc(0)
    socket
      .on('error', () => {})
      .on('data', (piece: Buffer) => {
        rest = Buffer.concat([rest, piece])
        for (;;) {
          const space = rest.indexOf(' ')
          if (space < 0) return
          const length = Number(rest.toString('latin1', 0, space))
          if (!(length > 0)) return void socket.destroy()
          if (rest.length < space + 1 + length) return
          this.messages.push(rest.toString('utf8', space + 1, space + 1 + length))
          rest = rest.subarray(space + 1 + length)
        }
      })
  }
}

/**
 * An app of `node:http` with the functions of one of uWebSockets.js.
 *
 * Owns: the server, its certificate, which handler gets a request. Leaves out: one request (node-response.ts), idle
 * times (connections.ts).
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net'
import {
  HEADERS_BYTES_MAX,
  type Handler,
  type HttpApp,
  type HttpLibrary,
  type ListenSocket,
  type OpenedConnection,
} from '../library.js'
import type { TlsFiles } from '../tls.js'
import { ArrivingBodies, closeIdle, IDLE_MS } from './connections.js'
import { NodeRequest } from './node-request.js'
import { NodeResponse } from './node-response.js'
import { addressBytes } from './remote-address.js'

/** Bytes of an answer that wait in the process until the client counts as slow. */
const WAITING_BYTES = 256 * 1024

const common = {
  highWaterMark: WAITING_BYTES,
  maxHeaderSize: HEADERS_BYTES_MAX,
  connectionsCheckingInterval: 1_000,
}

function secretsOf({ certFile, keyFile, passphrase }: TlsFiles) {
  const secrets = { cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2' as const }
  return passphrase === undefined ? secrets : { ...secrets, passphrase }
}

interface Arrived {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

class NodeApp implements HttpApp {
  readonly #server: Server | TlsServer
  readonly #bodies = new ArrivingBodies()
  readonly #handlers = new Map<string, Handler>()
  #others: Handler | null = null
  /** Connections with a request under way, and the requests that came after it. */
  readonly #waiting = new WeakMap<Socket, Arrived[]>()

  constructor(tls: TlsFiles | null) {
    this.#server =
      tls === null
        ? createServer(common)
        : createTlsServer({ ...common, ...secretsOf(tls), handshakeTimeout: IDLE_MS, ALPNProtocols: ['http/1.1'] })
    // The end of the client's side is not the end of its wish for an answer; node-response.ts decides.
    Object.assign(this.#server, { httpAllowHalfOpen: true })
    closeIdle(this.#server)
    this.#server.on('request', (req: IncomingMessage, res: ServerResponse) => this.#take(req, res))
    this.#server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => this.#take(req, res))
  }

  get(_pattern: string, handler: Handler): this {
    this.#handlers.set('GET', handler)
    return this
  }

  post(_pattern: string, handler: Handler): this {
    this.#handlers.set('POST', handler)
    return this
  }

  any(_pattern: string, handler: Handler): this {
    this.#others = handler
    return this
  }

  filter(take: (connection: OpenedConnection, count: number) => void): this {
    this.#server.on('connection', (socket: Socket) => {
      const connection: OpenedConnection = {
        getRemoteAddress: () => addressBytes(socket.remoteAddress).buffer as ArrayBuffer,
        close: () => socket.destroy() as never,
      }
      socket.once('close', () => take(connection, -1))
      take(connection, 1)
    })
    return this
  }

  listen(host: string, port: number, _options: number, done: (socket: ListenSocket | false) => void): this {
    const failed = (): void => done(false)
    this.#server.once('error', failed)
    this.#server.listen({ host, port, exclusive: true }, () => {
      this.#server.off('error', failed)
      done(this.#server)
    })
    return this
  }

  close(): this {
    this.#bodies.stop()
    this.#server.close()
    this.#server.closeAllConnections()
    return this
  }

  reloadTls(files: TlsFiles): void {
    ;(this.#server as TlsServer).setSecureContext(secretsOf(files))
  }

  /** Requests of a connection are served one after the other, as long as none of them closes it. */
  #take(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req
    const waiting = this.#waiting.get(socket)
    if (waiting !== undefined) return void waiting.push({ req, res })
    this.#waiting.set(socket, [])
    this.#serve(req, res)
  }

  #serve(req: IncomingMessage, res: ServerResponse): void {
    const handler = this.#handlers.get(req.method ?? '') ?? this.#others
    const response = new NodeResponse(req, res, this.#bodies, (closes) => this.#next(req.socket, closes))
    handler?.(response, new NodeRequest(req))
    response.handled()
  }

  #next(socket: Socket, closes: boolean): void {
    const waiting = this.#waiting.get(socket)
    // A connection that closes keeps its entry, so that nothing more is served.
    if (closes || waiting === undefined) return
    const next = waiting.shift()
    if (next === undefined) this.#waiting.delete(socket)
    else setImmediate(() => this.#serve(next.req, next.res))
  }
}

export const nodeHttp: HttpLibrary = {
  plainApp: () => new NodeApp(null),
  tlsApp: (files) => new NodeApp(files),
  // The function of an HTTP server would close idle connections, too.
  stopListening: (server) => void NetServer.prototype.close.call(server as Server),
  portOf: (server) => ((server as Server).address() as AddressInfo).port,
}

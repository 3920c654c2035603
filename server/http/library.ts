/**
 * What this room uses of an HTTP library. The names and the meanings are those of uWebSockets.js; `node-http/` is the
 * same over `node:http`.
 */
import type { TlsFiles } from './tls.js'

/**
 * Path, query and headers of a request: browsers send the cookies of all services of their domain, and addresses with
 * hundreds of values. Beyond it the library answers 431 by itself, without a body.
 */
export const HEADERS_BYTES_MAX = 20 * 1024

/** Valid until the handler returns. */
export interface HttpRequest {
  /** In lower case. */
  getMethod(): string
  /** As sent, without the query. */
  getUrl(): string
  getQuery(): string | null | undefined
  /** The first one of that name, or ''; the name in lower case. */
  getHeader(name: string | Uint8Array): string
  forEach(take: (name: string, value: string) => void): void
}

export interface HttpResponse {
  writeStatus(status: string): HttpResponse
  writeHeader(name: string | Uint8Array, value: string | Uint8Array): HttpResponse
  /** Part of a body of unknown length; the memory may be reused afterwards. False if the client reads too slowly. */
  write(piece: string | Uint8Array): boolean
  end(body?: string | Uint8Array, closeConnection?: boolean): HttpResponse
  endWithoutBody(reportedLength?: number, closeConnection?: boolean): HttpResponse
  /** The part of a body of that length from `getWriteOffset` on. The memory must not change until all is sent. */
  tryEnd(bytes: Uint8Array, length: number): [ok: boolean, done: boolean]
  getWriteOffset(): number
  onWritable(handler: (offset: number) => boolean): HttpResponse
  /** Called if the connection ends before the response does. */
  onAborted(handler: () => void): HttpResponse
  /** A later handler takes the place of an earlier one. */
  onData(handler: (piece: ArrayBuffer, last: boolean) => void): HttpResponse
  cork(write: () => void): HttpResponse
  /** Stops reading the connection. */
  pause(): void
  resume(): void
  /** Ends the connection at once. */
  close(): HttpResponse
  /** 4 or 16 bytes. */
  getRemoteAddress(): ArrayBuffer
  /** The connection becomes a WebSocket. Absent where the library has none. */
  upgrade?(data: SocketData, key: string, protocol: string, extensions: string, context: unknown): void
}

/** What happens to a WebSocket. */
export interface SocketUser {
  opened(socket: HttpSocket): void
  /** The client has read what was sent. */
  drained(): void
  closed(): void
}

/** The library copies the properties of what it was given, so the user is one of them. */
export interface SocketData {
  readonly user: SocketUser
}

export interface HttpSocket {
  getUserData(): SocketData
  /** 0 if the client reads too slowly: the message is kept. 2 if it was dropped. */
  send(message: string | Uint8Array, isBinary?: boolean): number
  end(code?: number, reason?: string): unknown
  close(): unknown
}

export interface SocketBehavior {
  readonly maxBackpressure: number
  readonly maxPayloadLength: number
  readonly idleTimeout: number
  upgrade(res: HttpResponse, req: HttpRequest, context: unknown): void
  open(socket: HttpSocket): void
  drain(socket: HttpSocket): void
  close(socket: HttpSocket): void
}

/** A connection as it opens. Valid during the call. */
export type OpenedConnection = Pick<HttpResponse, 'getRemoteAddress' | 'close'>

export type FollowConnection = (connection: OpenedConnection, count: number) => void

export type Handler = (res: HttpResponse, req: HttpRequest) => void

/** Names an app in messages between threads. */
export type AppDescriptor = unknown

/** A socket that accepts connections; each library has its own kind. */
export type ListenSocket = object

export interface HttpApp {
  get(pattern: string, handler: Handler): HttpApp
  post(pattern: string, handler: Handler): HttpApp
  /** For methods without a handler of their own. */
  any(pattern: string, handler: Handler): HttpApp
  /** Absent where the library has no WebSockets. */
  ws?(pattern: string, behavior: SocketBehavior): unknown
  listen(host: string, port: number, options: number, done: (socket: ListenSocket | false) => void): HttpApp
  /** Told of each connection that opens (1) or closes (-1), not of the ends of WebSockets; may close what opens. */
  filter?(take: FollowConnection): unknown
  /** Ends all connections. */
  close(): HttpApp
  /** What an app of another thread needs to hand connections to this one. Absent where the library cannot do that. */
  getDescriptor?(): AppDescriptor
  /** New connections go to these apps in turn. */
  addChildAppDescriptor?(child: AppDescriptor): void
  removeChildAppDescriptor?(child: AppDescriptor): void
  /** Uses another certificate for new connections. Absent if a new certificate needs a new app. */
  reloadTls?(files: TlsFiles): void
}

export interface HttpLibrary {
  plainApp(): HttpApp
  /** @throws Error if the files are invalid. */
  tlsApp(files: TlsFiles): HttpApp
  /** Accepts no new connections; the present ones stay open. */
  stopListening(socket: ListenSocket): void
  portOf(socket: ListenSocket): number
}

/**
 * The time that a connection of the adapter may be idle, as uWebSockets.js has it: about ten seconds.
 *
 * 1. A body must arrive at 16 KiB a second or faster. `pause`, `resume` and an answer that is written begin a new time.
 * 2. A client must read what it is sent. While the service works on an answer, there is no limit.
 * 3. A connection without a request is closed after the same time.
 * 4. Time in which the process did not read does not count: what a client sent meanwhile is read first.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export const IDLE_MS = 10_000
const CHECK_MS = 1_000
/** So many bytes begin a new time. */
const BYTES_PER_TIME = 16 * 1024 * (IDLE_MS / 1000)

/** A body on its way. */
export interface OpenBody {
  close(): unknown
}

/** A request. */
export interface OpenRequest extends OpenBody {
  /** The client has ended its side of the connection. */
  clientEnded(): void
}

interface Arriving {
  since: number
  bytes: number
}

/** The bodies that arrive at an app. */
export class ArrivingBodies {
  readonly #bodies = new Map<OpenBody, Arriving>()
  readonly #check: NodeJS.Timeout
  readonly #idleMs: number
  readonly #checkMs: number
  #checkedAt = performance.now()

  /** The arguments are for tests. */
  constructor(idleMs = IDLE_MS, checkMs = CHECK_MS) {
    this.#idleMs = idleMs
    this.#checkMs = checkMs
    this.#check = setInterval(() => this.#closeIdle(), checkMs)
    this.#check.unref()
  }

  begin(body: OpenBody): void {
    this.#bodies.set(body, { since: performance.now(), bytes: 0 })
  }

  /** A new time begins. */
  stays(body: OpenBody): void {
    const arriving = this.#bodies.get(body)
    if (arriving === undefined) return
    arriving.since = performance.now()
    arriving.bytes = 0
  }

  received(body: OpenBody, bytes: number): void {
    const arriving = this.#bodies.get(body)
    if (arriving === undefined) return
    arriving.bytes += bytes
    if (arriving.bytes >= BYTES_PER_TIME) this.stays(body)
  }

  end(body: OpenBody): void {
    this.#bodies.delete(body)
  }

  stop(): void {
    clearInterval(this.#check)
  }

  #closeIdle(): void {
    const now = performance.now()
    const late = Math.max(0, now - this.#checkedAt - 2 * this.#checkMs)
    this.#checkedAt = now
    for (const [body, arriving] of this.#bodies) {
      arriving.since += late
      if (arriving.since < now - this.#idleMs) body.close()
    }
  }
}

/** The unanswered requests of a connection, and how many of them have paused it. */
interface Use {
  readonly open: Set<OpenRequest>
  paused: number
}

const uses = new WeakMap<Socket, Use>()

function useOf(socket: Socket): Use {
  let use = uses.get(socket)
  if (use !== undefined) return use
  use = { open: new Set(), paused: 0 }
  uses.set(socket, use)
  const made = use
  socket.once('end', () => {
    for (const request of made.open) request.clientEnded()
  })
  // Node.js resumes the connection when it wants more of a body.
  socket.on('resume', () => {
    if (made.paused > 0) socket.pause()
  })
  return use
}

/** A request has come. It is told if the client ends its side of the connection before `ended`. */
export function began(socket: Socket, request: OpenRequest): void {
  useOf(socket).open.add(request)
}

export function ended(socket: Socket, request: OpenRequest): void {
  useOf(socket).open.delete(request)
}

/** Stops reading until as many calls of `resumed` have come. */
export function paused(socket: Socket): void {
  if (useOf(socket).paused++ === 0) socket.pause()
}

export function resumed(socket: Socket): void {
  if (--useOf(socket).paused === 0) socket.resume()
}

/** Closes connections that do nothing (2, 3). */
export function closeIdle(server: Server): void {
  server.headersTimeout = IDLE_MS
  server.requestTimeout = 0
  server.keepAliveTimeout = IDLE_MS
  server.timeout = IDLE_MS
  server.on('timeout', (socket: Socket) => {
    const [read, sent] = [socket.bytesRead, sentBytes(socket)]
    setTimeout(() => {
      if (socket.bytesRead !== read || sentBytes(socket) !== sent) return
      if (useOf(socket).open.size === 0 || socket.writableLength > 0) socket.destroy()
    }, CHECK_MS).unref()
  })
}

function sentBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}

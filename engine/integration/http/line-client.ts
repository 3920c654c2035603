/**
 * A connection over TCP or TLS that bytes are written to, kept open between deliveries.
 *
 * Owns: connecting, waiting until written bytes have left, detecting a closed connection. Leaves out: framing.
 *
 * 1. The host is checked against the policy, at the address of the connection. Certificates are verified.
 * 2. Bytes from the other side are discarded; only the end of the connection matters.
 * 3. TCP reports when bytes have left, not when they were read. If the other side dies, it may lose what is in its
 *    buffers. A protocol without acknowledgements cannot do better.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { HostPolicy } from './host-policy.js'

export interface LineOptions {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly verifyTls: boolean
  readonly authorities?: string | undefined
  readonly timeoutMs: number
  readonly policy: HostPolicy
}

/** The bytes could not be written. The message is for people. */
export class LineFailure extends Error {}

export class LineClient {
  readonly #options: LineOptions
  #socket: Socket | null = null

  constructor(options: LineOptions) {
    this.#options = options
  }

  /** Resolves when the bytes have left. @throws LineFailure, HostRefused. */
  async write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const socket = this.#usable() ?? (await this.#connect(signal))
    await this.#within(socket, signal, (done) => void socket.write(bytes, (error) => done(error ?? null)))
    // A write to a closed connection succeeds; the close event follows at once.
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#usable() === null) throw new LineFailure('the other side closed the connection')
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  #usable(): Socket | null {
    const socket = this.#socket
    return socket === null || socket.destroyed || !socket.writable || socket.readableEnded ? null : socket
  }

  async #connect(signal: AbortSignal): Promise<Socket> {
    this.close()
    const { host, port, tls, verifyTls, authorities, policy } = this.#options
    policy.check(host)
    const address = { host, port, lookup: policy.lookup }
    const socket = tls
      ? connectTls({
          ...address,
          rejectUnauthorized: verifyTls,
          ...(isIP(host) === 0 ? { servername: host } : {}),
          ...(authorities === undefined ? {} : { ca: authorities }),
        })
      : connectPlain(address)
    this.#socket = socket
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.destroy())
    socket.resume()
    await this.#within(socket, signal, (done) => void socket.once(tls ? 'secureConnect' : 'connect', () => done(null)))
    socket.setKeepAlive(true, 30_000)
    return socket
  }

  /** Waits for one event of the socket. Destroys the socket if it does not happen in time. */
  #within(socket: Socket, signal: AbortSignal, start: (done: (error: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error: Error | null): void => {
        clearTimeout(timer)
        socket.off('error', end).off('close', closed)
        signal.removeEventListener('abort', stopped)
        if (error === null) return resolve()
        socket.destroy()
        reject(error.constructor === Error ? new LineFailure(error.message) : error)
      }
      const closed = (): void => end(new LineFailure('the connection was closed'))
      const stopped = (): void => end(new LineFailure('stopped'))
      const timer = setTimeout(
        () => end(new LineFailure(`no progress within ${this.#options.timeoutMs} ms`)),
        this.#options.timeoutMs,
      )
      socket.once('error', end).once('close', closed)
      signal.addEventListener('abort', stopped)
      start(end)
    })
  }
}

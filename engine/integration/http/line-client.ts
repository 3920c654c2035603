/**
 * A connection that bytes are written to, over TCP or TLS, kept open between deliveries.
 *
 * Owns: connecting, waiting until what was written has left, noticing that the other side is gone. Leaves out: framing.
 *
 * 1. The host is checked against the policy at the address that is connected to; certificates are verified.
 * 2. What the other side says is thrown away, but for the news that it has gone.
 * 3. TCP tells when bytes have left, not when they were read: what the other side had in its buffers when it died may be
 *    lost to it. There is no better in a protocol without answers.
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

/** Nothing could be written; the message is for people. */
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
    // A write to a connection that the other side has closed goes well; the news comes right behind.
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#usable() === null) throw new LineFailure('the connection was closed by the other side')
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

  /** Waits for one thing on the socket, which is destroyed where it does not happen in time. */
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
        () => end(new LineFailure(`nothing within ${this.#options.timeoutMs} ms`)),
        this.#options.timeoutMs,
      )
      socket.once('error', end).once('close', closed)
      signal.addEventListener('abort', stopped)
      start(end)
    })
  }
}

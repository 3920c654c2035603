/**
 * Our own load generator: requests over raw sockets, kept alive, one at a time on each connection (no pipelining).
 *
 * Closed loop: every connection sends its next request when it has its answer. Paced: `rate` requests a second are due
 * at fixed times, whether or not the service keeps up. Latency then counts from when a request was due, so a stall is
 * not hidden (no coordinated omission).
 */
import { connect, type Socket } from 'node:net'
import { Histogram } from './histogram.js'
import { ResponseReader } from './response-reader.js'

export interface RawLoad {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Requests a second over all connections; 0 for a closed loop. */
  readonly rate: number
  readonly requests: readonly Buffer[]
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Micros: number
  readonly p99Micros: number
  readonly maxMicros: number
  /** Answers with a status of 400 or above. */
  readonly badStatus: number
  /** Connections that broke. */
  readonly failed: number
}

/** Runs a load to its end. */
export function runRawLoad(load: RawLoad): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const run = new RawRun(load, resolve)
    run.start().catch(reject)
  })
}

class RawRun {
  readonly #load: RawLoad
  readonly #resolve: (result: LoadResult) => void
  readonly #histogram = new Histogram()
  readonly #sockets: Socket[] = []
  /** Connections without an open request (paced only). */
  readonly #idle: ((dueAt: number) => void)[] = []
  #next = 0
  #due = 0
  #startedAt = 0
  #endsAt = 0
  #badStatus = 0
  #failed = 0
  #over = false

  constructor(load: RawLoad, resolve: (result: LoadResult) => void) {
    this.#load = load
    this.#resolve = resolve
  }

  async start(): Promise<void> {
    const opened = Array.from({ length: this.#load.connections }, () => this.#open())
    const sends = await Promise.all(opened)
    this.#startedAt = performance.now()
    this.#endsAt = this.#startedAt + this.#load.seconds * 1000
    setTimeout(() => this.#finish(), this.#load.seconds * 1000)
    if (this.#load.rate === 0) for (const send of sends) send(performance.now())
    else {
      this.#idle.push(...sends)
      this.#pace()
    }
  }

  /** Opens a connection and returns the function that sends one request on it. */
  #open(): Promise<(dueAt: number) => void> {
    const socket = connect({ host: '127.0.0.1', port: this.#load.port, noDelay: true })
    this.#sockets.push(socket)
    let sentAt = 0
    const send = (dueAt: number): void => {
      sentAt = dueAt
      socket.write(this.#load.requests[this.#next++ % this.#load.requests.length] as Buffer)
    }
    const answered = (): void => {
      const now = performance.now()
      if (this.#over) return
      this.#histogram.record((now - sentAt) * 1000)
      if (this.#load.rate === 0) send(now)
      else {
        this.#idle.push(send)
        this.#sendDue(now)
      }
    }
    const reader = new ResponseReader({
      start: (status) => {
        if (status >= 400) this.#badStatus++
      },
      body: () => {},
      end: answered,
    })
    socket.on('data', (piece) => reader.feed(piece))
    return new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(send))
      socket.on('error', (error) => {
        if (this.#startedAt === 0) reject(error)
      })
      socket.on('close', () => {
        if (!this.#over) this.#failed++
      })
    })
  }

  #pace(): void {
    if (this.#over) return
    this.#sendDue(performance.now())
    setTimeout(() => this.#pace(), 1)
  }

  /** Sends what is due. A request that finds no free connection stays due. */
  #sendDue(now: number): void {
    const stepMs = 1000 / this.#load.rate
    for (;;) {
      const dueAt = this.#startedAt + this.#due * stepMs
      if (dueAt > now || dueAt >= this.#endsAt || this.#idle.length === 0) return
      this.#due++
      const send = this.#idle.shift() as (dueAt: number) => void
      send(dueAt)
    }
  }

  #finish(): void {
    this.#over = true
    const seconds = (performance.now() - this.#startedAt) / 1000
    for (const socket of this.#sockets) socket.destroy()
    this.#resolve({
      requests: this.#histogram.count,
      seconds,
      p50Micros: this.#histogram.percentile(50),
      p99Micros: this.#histogram.percentile(99),
      maxMicros: this.#histogram.max,
      badStatus: this.#badStatus,
      failed: this.#failed,
    })
  }
}

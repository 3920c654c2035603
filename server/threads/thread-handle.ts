/**
 * One HTTP thread, as the main thread sees it: its start, its messages, its end.
 *
 * Owns: to whom a message goes. Leaves out: the port (http-threads.ts), what the thread does (http-thread.ts).
 */
import { Worker, type MessagePort } from 'node:worker_threads'
import type { Log } from '../../engine/index.js'
import type { App } from '../app.js'
import type { Exchange, ExchangeHost } from '../http/exchange.js'
import type { AppDescriptor } from '../http/native.js'
import { connectionsRefused, type OpenConnections } from '../http/open-connections.js'
import type { TlsFiles } from '../http/tls.js'
import { ByteRing, ringMemory } from './byte-ring.js'
import { MainLane } from './main-lane.js'
import type { FromThread, ThreadData, ToThread } from './messages.js'
import { ServedRequests } from './served-request.js'
import type { SharedState } from './shared-state.js'
import { WAKE } from './thread-lane.js'
import { addCounts } from './traffic-counts.js'

/** Bytes of each ring. */
const RING_BYTES = 4 * 1024 * 1024
/** The bundle of http-thread.ts; the path is right from a bundle and from the compiler's output. */
const entry = new URL('../../bundle/service/http-thread.js', import.meta.url)

export interface HttpThreadsOptions {
  readonly count: number
  readonly host: string
  readonly port: number
  readonly tls: TlsFiles | undefined
  readonly app: App
  readonly shared: SharedState
  readonly rate: ThreadData['rate']
  readonly connections: OpenConnections
  readonly log: Log
  /** What happens to requests that the threads pass on. */
  readonly handling: Pick<ExchangeHost, 'fault' | 'failed' | 'over'>
  handle(exchange: Exchange): void
}

export class HttpThread {
  readonly worker: Worker
  readonly lane: MainLane
  readonly #served: ServedRequests
  readonly #options: HttpThreadsOptions
  descriptor: AppDescriptor = null
  isOver = false
  /** Who waits for the next message of a kind. */
  readonly #awaited = new Map<FromThread['t'], ((message: FromThread) => void)[]>()

  constructor(options: HttpThreadsOptions, host: ExchangeHost) {
    const { app, shared, tls, handle } = options
    this.#options = options
    const data: ThreadData = {
      name: app.service.name,
      keyHeader: app.keyHeader,
      emptyErrorMessage: app.emptyErrorMessage,
      tls,
      deciders: app.service.threads,
      rate: options.rate,
      connectionsMax: options.connections.max,
      // Only the main thread knows traces.
      servesEvents: app.tracer === null,
      shared: shared.memory,
      requests: ringMemory(RING_BYTES),
      answers: ringMemory(RING_BYTES),
    }
    this.worker = new Worker(entry, { workerData: data })
    const port = this.worker as unknown as MessagePort
    this.lane = new MainLane(app, new ByteRing(data.requests), new ByteRing(data.answers), port, shared)
    this.#served = new ServedRequests(port, host, handle)
    this.worker.on('message', (message: FromThread | typeof WAKE) => {
      if (message === WAKE) this.lane.take()
      else this.#take(message)
    })
    this.worker.on('error', (error) => this.#ended(error))
    this.worker.on('exit', () => this.#ended(new Error('an HTTP thread ended')))
  }

  tell(message: ToThread): void {
    this.worker.postMessage(message)
  }

  /** Resolves with the next message of this kind. Rejects where the thread says that it failed. */
  async next<T extends FromThread['t']>(t: T): Promise<FromThread & { t: T }> {
    const message = await new Promise<FromThread>((resolve) => {
      for (const each of [t, 'failed'] as const) this.#awaited.set(each, [...(this.#awaited.get(each) ?? []), resolve])
    })
    if (message.t === 'failed') throw new Error(message.message)
    return message as FromThread & { t: T }
  }

  #take(message: FromThread): void {
    switch (message.t) {
      case 'large':
        return this.lane.putLarge(message.body)
      case 'log':
        return this.#options.log[message.level](message.message, message.fields)
      case 'cut':
        return this.#options.log.warn('a stream brought more at once than is held, and was cut off', {
          caller: message.caller,
        })
      case 'full':
        return connectionsRefused(this.#options.log, message.open)
      case 'traffic':
        addCounts(this.#options.app.traffic, message.counts)
        break
      case 'ready':
      case 'renewed':
      case 'failed':
      case 'drained':
        break
      default:
        return this.#served.take(message)
    }
    const waiting = this.#awaited.get(message.t) ?? []
    this.#awaited.delete(message.t)
    for (const resolve of waiting) resolve(message)
  }

  #ended(error: unknown): void {
    this.lane.close()
    if (this.isOver) return
    this.isOver = true
    throw error
  }
}

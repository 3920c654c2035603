/**
 * The entry of an HTTP thread: serves connections that the main thread accepts and hands over.
 *
 * Owns: which requests are served here and which are passed on, logging and counting those that are served here.
 *
 * 1. A request during a drain is passed on, so that it gets the answer of the service.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { DecisionService } from '../../engine/index.js'
import type { App } from '../app.js'
import { keyInHeaders } from '../http/auth.js'
import { replyError, replyHttpError } from '../http/error-reply.js'
import type { Exchange } from '../http/exchange.js'
import { Listener } from '../http/listener.js'
import { OpenConnections } from '../http/open-connections.js'
import { Traffic } from '../http/traffic.js'
import { FairWindow } from '../routes/bulk/fair-window.js'
import { ThreadRounds } from '../routes/bulk/thread-rounds.js'
import { socketPaths } from '../routes/stream/stream.js'
import { ByteRing } from './byte-ring.js'
import { hotTable, namesEvent, singleService, type HotApp } from './hot-routes.js'
import type { FromThread, LogLine, ThreadData, ToThread } from './messages.js'
import { PassedRequests } from './passed-request.js'
import { SharedRate } from './shared-rate.js'
import { SharedState } from './shared-state.js'
import { ThreadLane, WAKE } from './thread-lane.js'
import { takeCounts } from './traffic-counts.js'

/** Milliseconds until what was closed is gone. */
const CLOSE_MS = 20

const data = workerData as ThreadData
const port = parentPort!
const shared = new SharedState(data.shared)
shared.countHere()
const lane = new ThreadLane(new ByteRing(data.requests), new ByteRing(data.answers), port, shared)
const traffic = new Traffic()
const table = hotTable(traffic)
const passed = new PassedRequests(port)
const drainListeners = new Set<() => void>()

function tell(message: FromThread): void {
  port.postMessage(message)
}

function log(level: LogLine['level'], message: string, fields: LogLine['fields']): void {
  tell({ t: 'log', level, message, fields })
}

/** What the code of routes uses; the rest is on the main thread. */
const app = {
  service: singleService(lane) as DecisionService,
  keyHeader: data.keyHeader,
  emptyErrorMessage: data.emptyErrorMessage,
  rateLimit: data.rate === null ? null : new SharedRate(shared, data.rate.perSecond, data.rate.burst),
  window: new FairWindow(data.deciders, shared),
  rounds: new ThreadRounds((caller) => tell({ t: 'cut', caller }), shared),
  onDrain(listener: () => void) {
    drainListeners.add(listener)
    return () => drainListeners.delete(listener)
  },
} as unknown as App
const hot: HotApp = { app, lane }

/** True where the request is served on this thread. */
function servedHere(exchange: Exchange): boolean {
  const isUsual = data.servesEvents && !exchange.draining && exchange.method !== 'head'
  if (!isUsual || exchange.hasUnreadCoding || exchange.charset !== '') return false
  const match = table.find(exchange.method, exchange.path)
  if (!match.found || !namesEvent(match.params) || exchange.query() !== '') return false
  const key = keyInHeaders(exchange, app)
  if (key === '') return false
  const principal = lane.principalOf(key)
  if (principal === null) {
    lane.learn(key)
    return false
  }
  const { scope, meter, serve } = match.value
  if (scope !== 'public' && !principal.scopes.has(scope)) return false
  exchange.key = key
  exchange.meter = meter
  app.rateLimit?.take(principal)
  serve(exchange, match.params, hot, principal)
  return true
}

function handle(exchange: Exchange): void {
  const { headFault } = exchange
  if (headFault !== null) return replyHttpError(exchange, headFault.status, headFault.message)
  if (!servedHere(exchange)) passed.pass(exchange)
}

/** Requests that were passed on are counted and logged where they are served. */
function over(exchange: Exchange, status: number): void {
  const { meter } = exchange
  if (meter === null) return
  const ms = performance.now() - exchange.startedMs
  meter.count(status, ms)
  const fields = { request_id: exchange.requestId, method: exchange.method, route: meter.path, status, ms }
  if (status >= 500 && status !== 503) log('warn', 'request', fields)
  else if (status === 401 || status === 403) log('info', 'request', fields)
  else if (shared.debug) log('debug', 'request', fields)
}

const listener = Listener.adopting({
  host: '',
  port: 0,
  tls: data.tls,
  socketPaths,
  connections: new OpenConnections({
    max: data.connectionsMax,
    words: shared.connections,
    refused: (open) => tell({ t: 'full', open }),
  }),
  handle,
  over,
  fault: replyError,
  failed: (exchange, error) =>
    log('error', 'a request failed', {
      request_id: exchange.requestId,
      method: exchange.method,
      route: exchange.meter?.path ?? '',
      err: error,
    }),
})

function renew(): void {
  try {
    listener.renew()
    tell({ t: 'renewed', descriptor: listener.descriptor })
  } catch (error) {
    tell({ t: 'failed', message: (error as Error).message })
  }
}

async function drain(limitMs: number): Promise<void> {
  listener.stopListening()
  for (const each of [...drainListeners]) each()
  tell({ t: 'drained', whole: await listener.whenIdle(limitMs) })
}

/** The library closes its handles in the next rounds of the event loop; a thread that ends before ends the process. */
function close(): void {
  listener.close()
  setTimeout(() => process.exit(0), CLOSE_MS)
}

port.on('message', (message: ToThread | typeof WAKE) => {
  if (message === WAKE) return lane.take()
  switch (message.t) {
    case 'traffic':
      return tell({ t: 'traffic', counts: takeCounts(traffic) })
    case 'renew':
      return renew()
    case 'drain':
      return void drain(message.limitMs)
    case 'close':
      return close()
    default:
      passed.take(message)
  }
})

tell({ t: 'ready', descriptor: listener.descriptor })

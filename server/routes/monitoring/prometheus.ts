/** `/metrics` for Prometheus: with a key on the port of the API, without one on the port for operators. */
import type { App } from '../../app.js'
import { replyError } from '../../http/error-reply.js'
import type { Exchange } from '../../http/exchange.js'
import { statusLine } from '../../http/reply.js'
import type { Route } from '../../http/route.js'
import { Prometheus } from '../../prometheus.js'

const books = new WeakMap<App, Prometheus>()

function send(exchange: Exchange, app: App): void {
  let book = books.get(app)
  if (book === undefined) books.set(app, (book = new Prometheus(app)))
  const { contentType } = book
  exchange.hold()
  book.text().then(
    (text) => exchange.reply(statusLine(200), contentType, text),
    (error: unknown) => replyError(exchange, error),
  )
}

const guarded = {
  method: 'GET',
  path: '/metrics',
  operationId: 'getPrometheusMetrics',
  tag: 'Monitoring',
  summary: 'Read the numbers of the service in the format of Prometheus',
  description:
    'Rates, errors and durations by route; queues, turns, flushes and stores by shard; decisions by label and confidence; ' +
    'trainings; the process. The port for operators (`SERVICE_OPS_PORT`) answers the same without a key.',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'Numbers.', mediaType: 'text/plain; version=0.0.4; charset=utf-8' } },
  serve: (exchange: Exchange, _params: readonly string[], app: App) => send(exchange, app),
} as const satisfies Route

export const prometheusRoutes: readonly Route[] = [guarded]

/** For the port that asks for no key. */
export const openPrometheusRoutes: readonly Route[] = [{ ...guarded, isProbe: true, scope: null }]

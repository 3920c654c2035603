/** `/metrics` for Prometheus: with a key on the port of the API, without one on the port for operators. */
import type { App } from '../../app.js'
import { replyError } from '../../http/error-reply.js'
import type { Exchange } from '../../http/exchange.js'
import { statusLine } from '../../http/reply.js'
import type { Route } from '../../http/route.js'
import { Prometheus } from '../../prometheus.js'

const exporters = new WeakMap<App, Prometheus>()

function send(exchange: Exchange, app: App): void {
  let exporter = exporters.get(app)
  if (exporter === undefined) exporters.set(app, (exporter = new Prometheus(app)))
  const { contentType } = exporter
  exchange.hold()
  exporter.text().then(
    (text) => exchange.reply(statusLine(200), contentType, text),
    (error: unknown) => replyError(exchange, error),
  )
}

const guarded = {
  method: 'GET',
  path: '/metrics',
  operationId: 'getPrometheusMetrics',
  tag: 'Monitoring',
  summary: 'Get the metrics of the service in the Prometheus format',
  description:
    'Requests, errors and durations by route; queues, turns, flushes and stores by shard; decisions by label and ' +
    'confidence; trainings; the process. The port for operators (`SERVICE_OPS_PORT`) serves the same without a key.',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'The metrics.', mediaType: 'text/plain; version=0.0.4; charset=utf-8' } },
  serve: (exchange: Exchange, _params: readonly string[], app: App) => send(exchange, app),
} as const satisfies Route

export const prometheusRoutes: readonly Route[] = [guarded]

/** For the port for operators, which needs no key. */
export const openPrometheusRoutes: readonly Route[] = [{ ...guarded, isProbe: true, scope: null }]

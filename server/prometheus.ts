/**
 * The metrics of the service for Prometheus. Only this file imports `prom-client`.
 *
 * Owns: names, labels and units. Leaves out: counting (the engine, http/traffic.ts), who may read
 * (monitoring/prometheus.ts).
 *
 * 1. Nothing is counted here: a scrape reads the counters that exist already, so events cost nothing extra.
 */
import { collectDefaultMetrics, Registry, type Metric } from 'prom-client'
import type { Figures, HistogramView } from '../engine/index.js'
import type { App } from './app.js'

type Labels = Readonly<Record<string, string | number>>

interface Sample {
  readonly labels: Labels
  readonly value: number
  readonly metricName?: string
}

type Kind = 'counter' | 'gauge' | 'histogram'

/** Milliseconds between two samples of the event loop delay. Each sample wakes the process. */
const LOOP_SAMPLE_MS = 100

export class Prometheus {
  readonly #app: App
  readonly #registry = new Registry()
  /** The figures of the current scrape. */
  #figures: Figures

  constructor(app: App) {
    this.#app = app
    this.#figures = app.service.monitor.figures()
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS })
    this.#addRequests()
    this.#addConnections()
    this.#addShards()
    this.#addDecisions()
    this.#addModels()
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** All metrics in the Prometheus text format. */
  async text(): Promise<string> {
    await this.#app.gatherTraffic()
    this.#figures = this.#app.service.monitor.figures()
    return await this.#registry.metrics()
  }

  #addRequests(): void {
    const { meters } = this.#app.traffic
    const seen = () => meters.filter(({ statuses }) => statuses.size > 0)
    this.#add(
      'counter',
      'decision_http_requests_total',
      'Requests by status of the answer; 0: the client disconnected first.',
      () => {
        return seen().flatMap(({ method, path: route, statuses }) => {
          return [...statuses].map(([status, value]) => ({ labels: { method, route, status }, value }))
        })
      },
    )
    this.#add(
      'histogram',
      'decision_http_request_duration_seconds',
      'Time from the headers of a request to the end of its answer.',
      (name) => {
        return seen().flatMap(({ method, path: route, seconds }) => histogramSamples(name, { method, route }, seconds))
      },
    )
  }

  #addConnections(): void {
    const { connections } = this.#app
    const one = (value: () => number) => () => [{ labels: {}, value: value() }]
    this.#add(
      'gauge',
      'decision_http_connections',
      'Open connections.',
      one(() => connections.open),
    )
    this.#add(
      'gauge',
      'decision_http_connections_max',
      'Open connections at most (SERVICE_CONNECTIONS_MAX).',
      one(() => connections.max),
    )
    this.#add(
      'counter',
      'decision_http_connections_refused_total',
      'Connections that were closed as they came.',
      one(() => connections.refused),
    )
  }

  #addShards(): void {
    const byShard = (value: (shard: Figures['shards'][number]) => number) => () => {
      return this.#figures.shards.map((figures) => ({ labels: { shard: figures.shard }, value: value(figures) }))
    }
    const histogram = (pick: (shard: Figures['shards'][number]) => HistogramView) => (name: string) => {
      return this.#figures.shards.flatMap((figures) => histogramSamples(name, { shard: figures.shard }, pick(figures)))
    }
    this.#add(
      'gauge',
      'decision_queue_messages',
      'Messages that wait or run in a mailbox.',
      byShard(({ waiting }) => waiting),
    )
    this.#add(
      'gauge',
      'decision_queue_bytes',
      'Bytes of messages that wait or run in a mailbox.',
      byShard(({ waitingBytes }) => waitingBytes),
    )
    this.#add(
      'counter',
      'decision_messages_total',
      'Messages whose turn was committed.',
      byShard(({ turns }) => turns.messages),
    )
    this.#add(
      'counter',
      'decision_turns_failed_total',
      'Turns that failed; their messages ran again or were refused.',
      byShard(({ turns }) => turns.failed),
    )
    this.#add(
      'histogram',
      'decision_turn_messages',
      'Messages in one turn.',
      histogram(({ turns }) => turns.sizes),
    )
    this.#add(
      'histogram',
      'decision_turn_duration_seconds',
      'Time from the start of a turn to its answer.',
      histogram(({ turns }) => turns.seconds),
    )
    this.#add(
      'histogram',
      'decision_flush_duration_seconds',
      'Time to commit and flush a turn.',
      histogram(({ turns }) => turns.flushSeconds),
    )
    this.#add('gauge', 'decision_store_bytes', 'Bytes on disk.', () => [
      { labels: { store: 'catalog' }, value: this.#figures.catalogBytes },
      ...this.#figures.shards.map(({ shard, storeBytes: value }) => ({ labels: { store: `shard-${shard}` }, value })),
    ])
  }

  #addDecisions(): void {
    const one = (value: (figures: Figures) => number) => () => [{ labels: {}, value: value(this.#figures) }]
    const byName = (label: string, values: (figures: Figures) => ReadonlyMap<string, number>) => () => {
      return [...values(this.#figures)].map(([name, value]) => ({ labels: { [label]: name }, value }))
    }
    this.#add(
      'counter',
      'decision_events_stored_total',
      'Events stored.',
      one(({ eventsStored }) => eventsStored),
    )
    this.#add(
      'counter',
      'decision_outliers_total',
      'Decisions on events that are outliers.',
      one(({ outliers }) => outliers),
    )
    this.#add(
      'counter',
      'decision_look_ups_total',
      'Enrichments of decided events, by outcome.',
      byName('outcome', ({ enrichments }) => enrichments),
    )
    this.#add('counter', 'decision_decisions_total', 'Decisions by label and by confidence in percent.', () => {
      return this.#figures.decisions.map(({ label, band, count }) => ({
        labels: { label, confidence: band },
        value: count,
      }))
    })
    this.#add('counter', 'decision_trainings_total', 'Trainings that ended, by outcome.', () => {
      const { finished, failed } = this.#figures.trainings
      return [
        { labels: { outcome: 'finished' }, value: finished },
        { labels: { outcome: 'failed' }, value: failed },
      ]
    })
    this.#add('gauge', 'decision_trainings_under_way', 'Trainings that wait for a thread or run.', () => {
      const { queued, running } = this.#figures.trainings
      return [
        { labels: { state: 'queued' }, value: queued },
        { labels: { state: 'running' }, value: running },
      ]
    })
    this.#add(
      'histogram',
      'decision_training_duration_seconds',
      'Time from the start of a training on its thread until its model is in use.',
      (name) => {
        return histogramSamples(name, {}, this.#figures.trainings.seconds)
      },
    )
    this.#add(
      'gauge',
      'decision_jobs',
      'Jobs.',
      byName('status', ({ jobs }) => jobs),
    )
    this.#add(
      'gauge',
      'decision_integrations',
      'Integrations.',
      byName('kind', ({ integrations }) => integrations),
    )
    this.#add('gauge', 'decision_watchdog_firing', '1 if the watchdog fires, else 0.', () => {
      return this.#figures.watchdogs.map(({ id, title, type, isFiring }) => ({
        labels: { watchdog: id, title, type },
        value: isFiring ? 1 : 0,
      }))
    })
    this.#add('gauge', 'decision_ready', '1 if the service is ready for requests, else 0.', () => {
      return [{ labels: {}, value: this.#app.state === 'ready' ? 1 : 0 }]
    })
    this.#add(
      'counter',
      'decision_log_lines_dropped_total',
      'Log lines that were dropped.',
      one((figures) => figures.logLinesDropped),
    )
  }

  #addModels(): void {
    const ofModels = (value: (models: Figures['models']) => number) => () => {
      return [{ labels: {}, value: value(this.#figures.models) }]
    }
    this.#add(
      'gauge',
      'decision_models_open',
      'Models in memory.',
      ofModels(({ count }) => count),
    )
    this.#add(
      'gauge',
      'decision_models_bytes',
      'Bytes of models in memory.',
      ofModels(({ bytes }) => bytes),
    )
    const opened = ofModels(({ opened: times }) => times)
    this.#add('counter', 'decision_models_opened_total', 'Models that were read into memory.', opened)
  }

  #add(type: Kind, name: string, help: string, read: (name: string) => readonly Sample[]): void {
    // The registry needs only these fields. The metric classes of the library would keep their own counts.
    const metric = { name, help, type, get: async () => ({ name, help, type, values: read(name), aggregator: 'sum' }) }
    this.#registry.registerMetric(metric as unknown as Metric)
  }
}

function histogramSamples(name: string, labels: Labels, { bounds, counts, sum }: HistogramView): Sample[] {
  let value = 0
  const buckets = [...bounds, '+Inf'].map((le, place) => {
    value += counts[place] as number
    return { labels: { ...labels, le }, value, metricName: `${name}_bucket` }
  })
  return [...buckets, { labels, value: sum, metricName: `${name}_sum` }, { labels, value, metricName: `${name}_count` }]
}

/**
 * Traces with OpenTelemetry. A request is traced from its headers to its answer, and its event through the mailbox and
 * its turn to the commit. Background work has traces of its own: trainings, polls, recomputations, deliveries,
 * enrichments. This file is loaded only if a collector is set.
 *
 * Owns: the tracer, its exporter and its queue; span names and attributes. Leaves out: the measured times, which come
 * from http/exchange.ts and the engine (TurnTrace, Batch).
 *
 * | span              | what it covers                                                                               |
 * |-------------------|----------------------------------------------------------------------------------------------|
 * | METHOD route      | a request; child of its `traceparent` (W3C)                                                  |
 * | mailbox           | the time that its event waits for a turn                                                     |
 * | turn              | the turn, as seen from the main thread                                                       |
 * | turn decide       | on the thread: all messages of the turn                                                      |
 * | turn commit       | the flushed commit                                                                           |
 * | training, …       | one batch of background work; turns have no such span                                        |
 *
 * 1. The traceparent of a request decides whether it is traced; without one, the ratio decides.
 * 2. At most QUEUE_SPANS spans wait for the collector; more are dropped. Only `close` waits for the collector, up to a
 *    limit.
 * 3. A span holds no key, no body and no query.
 */
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type TextMapGetter,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { cutText, type Batch, type DecisionService, type EventView, type Log, type TurnTimes } from '../engine/index.js'
import type { RequestHeaders, RequestTrace, Tracer } from './http/request-trace.js'

const QUEUE_SPANS = 2_048
const EXPORT_SPANS = 512
/** Least milliseconds between two warnings about the collector. */
const COMPLAINT_MS = 60_000
const COMPLAINT_CHARS_MAX = 300

export interface TracingOptions {
  /** The address to which spans are posted. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Milliseconds between two batches. */
  readonly delayMs: number
  /** Share of requests to trace, 0 to 1. */
  readonly ratio: number
  readonly serviceName: string
}

const getter: TextMapGetter<RequestHeaders> = {
  keys: () => ['traceparent', 'tracestate'],
  get: (request, key) => request.header(key) || undefined,
}

export class Tracing implements Tracer {
  readonly #provider: TracerProvider
  readonly #tracer: ReturnType<TracerProvider['getTracer']>
  readonly #propagator = new W3CTraceContextPropagator()

  constructor({ url, headers, timeoutMs, delayMs, ratio, serviceName }: TracingOptions, service: DecisionService) {
    complainTo(service.monitor.log('monitor'))
    const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: timeoutMs })
    const processor = new BatchSpanProcessor({
      exporter,
      maxQueueSize: QUEUE_SPANS,
      maxExportBatchSize: EXPORT_SPANS,
      scheduledDelayMillis: delayMs,
      exportTimeoutMillis: timeoutMs,
    })
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
      spanProcessors: [processor],
    })
    this.#tracer = this.#provider.getTracer('decision-service')
    service.monitor.followBatches((batch) => this.#batch(batch))
  }

  follow(request: RequestHeaders, method: string, route: string): RequestTrace | null {
    const from = this.#propagator.extract(ROOT_CONTEXT, request, getter)
    const name = `${method.toUpperCase()} ${route}`
    const attributes = { 'http.request.method': method.toUpperCase(), 'http.route': route }
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, from)
    return span.isRecording() ? new FollowedRequest(span, this.#child.bind(this)) : null
  }

  /** Sends waiting spans, for at most `limitMs` milliseconds. Nothing is traced afterwards. */
  async close(limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)))
    await Promise.race([this.#provider.shutdown().catch(() => {}), limit])
    clearTimeout(timer)
  }

  /** A span that is over already. */
  #child(parent: Context, name: string, { fromMs, toMs }: Interval, attributes: Attributes = {}): Context {
    const span = this.#tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: fromMs, attributes }, parent)
    span.end(Math.max(fromMs, toMs))
    return trace.setSpan(parent, span)
  }

  #batch({ kind, container, jobId, items, seconds, finishedMicros, error }: Batch): void {
    if (kind === 'turn') return
    const endMs = finishedMicros / 1_000
    const attributes: Attributes = {
      'decision.container': container,
      'decision.items': items,
      ...(jobId === null ? {} : { 'decision.job_id': jobId }),
    }
    const span = this.#tracer.startSpan(
      kind,
      { kind: SpanKind.INTERNAL, startTime: endMs - seconds * 1_000, attributes },
      ROOT_CONTEXT,
    )
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    span.end(endMs)
  }
}

/** Milliseconds since 1970. */
interface Interval {
  readonly fromMs: number
  readonly toMs: number
}

type Child = (parent: Context, name: string, interval: Interval, attributes?: Attributes) => Context

class FollowedRequest implements RequestTrace {
  readonly #span: Span
  readonly #context: Context
  readonly #child: Child

  constructor(span: Span, child: Child) {
    this.#span = span
    this.#context = trace.setSpan(ROOT_CONTEXT, span)
    this.#child = child
  }

  ran(postedMs: number, { shard, messages, startedMs, beganMs, workMs = 0, flushMs = 0, finishedMs }: TurnTimes): void {
    this.#child(this.#context, 'mailbox', { fromMs: postedMs, toMs: startedMs }, { 'decision.shard': shard })
    const turn = this.#child(
      this.#context,
      'turn',
      { fromMs: startedMs, toMs: finishedMs },
      {
        'decision.shard': shard,
        'decision.messages': messages,
      },
    )
    if (beganMs === undefined) return
    const decidedMs = beganMs + workMs
    this.#child(turn, 'turn decide', { fromMs: beganMs, toMs: decidedMs })
    this.#child(turn, 'turn commit', { fromMs: decidedMs, toMs: decidedMs + flushMs })
  }

  decided({ jobId, eventId, status, resultLabel, confidenceScore, outlier }: EventView): void {
    this.#span.setAttributes({
      'decision.job_id': jobId,
      'decision.event_id': eventId,
      'decision.status': status,
      'decision.result_label': resultLabel,
      'decision.confidence_score': confidenceScore,
      'decision.outlier': outlier,
    })
  }

  ended(status: number): void {
    if (status !== 0) this.#span.setAttribute('http.response.status_code', status)
    if (status === 0 || status >= 500)
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: status === 0 ? 'the client disconnected' : '' })
    this.#span.end()
  }
}

/** The message of an error that the library reports: JSON with a stack, or text. */
function reasonOf(complaint: string): string {
  try {
    const { message = complaint } = JSON.parse(complaint) as { message?: string }
    return cutText(message, COMPLAINT_CHARS_MAX)
  } catch {
    return cutText(complaint, COMPLAINT_CHARS_MAX)
  }
}

/** Writes warnings and errors of the library to the log, at a limited rate. */
function complainTo(log: Log): void {
  let last = -Infinity
  let left = 0
  const complain = (message: string): void => {
    left++
    if (performance.now() - last < COMPLAINT_MS) return
    log.warn('traces could not be sent', { what: reasonOf(message), times: left })
    last = performance.now()
    left = 0
  }
  const nothing = (): void => {}
  diag.setLogger(
    { error: complain, warn: complain, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

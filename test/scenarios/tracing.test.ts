/** Traces as a collector gets them: OTLP over HTTP, from a request to its decision. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { Tracing } from '../../server/tracing.js'
import { eventually, makeJob } from '../support/client.js'
import { HttpReceiver } from '../support/servers/receiver.js'
import { startService, type TestService } from '../support/service.js'

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

const sampled = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
const unsampled = { traceparent: '00-1bf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' }
let collector: HttpReceiver
let tracing: Tracing
let service: TestService
let jobId: number

before(async () => {
  collector = await HttpReceiver.open()
  const options = {
    url: `${collector.url}/v1/traces`,
    headers: { 'x-tenant': 'ours' },
    // Longer than a test may take.
    timeoutMs: 3_600_000,
    delayMs: 50,
    ratio: 0,
    serviceName: 'triage',
  }
  service = await startService({ tracer: (engine) => (tracing = new Tracing(options, engine)) })
  jobId = (await makeJob(service.client)).jobId
})
after(async () => {
  await service.close()
  await collector.close()
})

function spans(): Span[] {
  return collector
    .bodies()
    .flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }: any) => scopeSpans.flatMap((scope: any) => scope.spans)),
    )
}

function attribute(span: Span, name: string): unknown {
  return Object.values(span.attributes.find(({ key }) => key === name)?.value ?? {})[0]
}

function post(id: string, headers: Record<string, string> = {}): Promise<unknown> {
  return service.client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule: 'a' } }, { headers })
}

test('a request is traced to its decision, in the trace that it came with; others are not traced', async () => {
  await post('untraced')
  await post('not sampled', unsampled)
  await post('followed', sampled)
  await service.client.get('/api/v1/events/1/nothing', { headers: sampled })
  const found = await eventually(
    async () => spans(),
    (all) => all.length >= 6,
  )
  assert.deepEqual(found.map(({ name }) => name).sort(), [
    'GET /api/v1/events/{job_id}/{event_id}',
    'POST /api/v1/events/{event_id}',
    'mailbox',
    'turn',
    'turn commit',
    'turn decide',
  ])
  assert.deepEqual([...new Set(found.map(({ traceId }) => traceId))], ['0af7651916cd43dd8448eb211c80319c'])
  const named = (name: string): Span => found.find((span) => span.name === name)!
  const request = named('POST /api/v1/events/{event_id}')
  assert.equal(request.parentSpanId, 'b7ad6b7169203331')
  assert.deepEqual([named('mailbox').parentSpanId, named('turn').parentSpanId], [request.spanId, request.spanId])
  assert.deepEqual(
    [named('turn decide').parentSpanId, named('turn commit').parentSpanId],
    [named('turn').spanId, named('turn').spanId],
  )
  const times = [request, named('mailbox'), named('turn'), named('turn decide'), named('turn commit')]
  for (const span of times) assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), span.name)
  assert.deepEqual(
    ['decision.event_id', 'decision.status', 'http.response.status_code', 'http.route'].map((name) =>
      attribute(request, name),
    ),
    ['followed', 'OK', 201, '/api/v1/events/{event_id}'],
  )
  assert.equal(attribute(named('GET /api/v1/events/{job_id}/{event_id}'), 'http.response.status_code'), 404)
  const [{ headers, path, body }] = collector.received as [(typeof collector.received)[0]]
  assert.deepEqual([path, headers['x-tenant'], headers['content-type']], ['/v1/traces', 'ours', 'application/json'])
  assert.match(body, /"service.name","value":\{"stringValue":"triage"\}/)
  assert.ok(!collector.received.some(({ body: text }) => text.includes(service.client.key)))
})

test('a collector that does not answer harms nothing, and nothing waits for it', async () => {
  const held: ServerResponse[] = []
  collector.answer = (_, response) => void held.push(response)
  await Promise.all(Array.from({ length: 200 }, (_, i) => post(`lost-${i}`, sampled)))
  await eventually(
    async () => held.length,
    (count) => count > 0,
  )
  await tracing.close(300)
  assert.equal((await service.client.get(`/api/v1/events/${jobId}/lost-199`)).status, 200)
  collector.answer = (_, response) => void response.end('{}')
  for (const response of held) response.end('{}')
})

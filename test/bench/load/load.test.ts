import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runBulkLoad, type BulkLoad } from '../../../bench/load/bulk-load.js'
import { RawClient } from '../../../bench/load/raw-client.js'
import { runRawLoad } from '../../../bench/load/raw-load.js'
import { encodeRequest, readRequests, writeRequests, type RequestPlan } from '../../../bench/load/requests.js'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function serve<T>(handler: Handler, use: (port: number) => Promise<T>): Promise<T> {
  const server: Server = createServer(handler)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use((server.address() as AddressInfo).port)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text
}

/** Answers each NDJSON line as `_bulk` does. */
function answerLines(answer: (line: string) => string): Handler {
  return (request, response) => {
    void (async () => {
      let rest = ''
      for await (const piece of request) {
        const lines = (rest + String(piece)).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) response.write(`${answer(line)}\n`)
      }
      response.end()
    })()
  }
}

const bulkLoad: Omit<BulkLoad, 'port'> = {
  connections: 2,
  seconds: Number.POSITIVE_INFINITY,
  events: 200,
  rate: 0,
  blockLines: 10,
  windowLines: 40,
  headers: { 'X-Key': 'k' },
  lines: Array.from({ length: 50 }, (_, i) => `{"n":${i}}\n`),
}

test('a closed loop counts every answer and sends every request in turn', async () => {
  const seen = new Set<string>()
  const handler: Handler = (request, response) => {
    void textOf(request).then((text) => {
      seen.add(`${request.method} ${request.url} ${text} ${String(request.headers['x-key'])}`)
      response.writeHead(201).end('{}')
    })
  }
  const plans = [1, 2, 3].map((n) => ({ method: 'POST', path: `/p${n}`, body: `{"n":${n}}` }))
  const requests = plans.map((plan) => encodeRequest(plan, { 'X-Key': 'k' }))
  const load = { connections: 4, seconds: 1, rate: 0, requests }
  const result = await serve(handler, (port) => runRawLoad({ port, ...load }))
  assert.ok(result.requests > 3)
  assert.equal(result.badStatus + result.failed, 0)
  assert.ok(result.p50Micros <= result.p99Micros && result.p99Micros <= result.maxMicros)
  assert.deepEqual(
    [...seen].sort(),
    [1, 2, 3].map((n) => `POST /p${n} {"n":${n}} k`),
  )
})

test('a paced load sends no more than its rate', async () => {
  const request = encodeRequest({ method: 'GET', path: '/', body: '' }, {})
  const handler: Handler = (_, response) => response.end('ok')
  const load = { connections: 8, seconds: 0.5, rate: 200, requests: [request] }
  const result = await serve(handler, (port) => runRawLoad({ port, ...load }))
  assert.ok(result.requests > 0 && result.requests <= 101, `${result.requests}`)
})

test('refusals are counted', async () => {
  const request = encodeRequest({ method: 'GET', path: '/', body: '' }, {})
  const handler: Handler = (_, response) => response.writeHead(503).end('no')
  const load = { connections: 1, seconds: 0.5, rate: 0, requests: [request] }
  const result = await serve(handler, (port) => runRawLoad({ port, ...load }))
  assert.ok(result.badStatus >= result.requests && result.requests > 0)
})

test('a bulk load ends when every line is answered', async () => {
  const seen: string[] = []
  const handler = answerLines((line) => {
    seen.push(line)
    return '{"status":"OK","result":"label_1"}'
  })
  const result = await serve(handler, (port) => runBulkLoad({ port, ...bulkLoad }))
  assert.equal(result.events, 200)
  assert.equal(seen.length, 200)
  assert.deepEqual([result.refused, result.undecided], [0, 0])
  assert.deepEqual(new Set(seen).size, 50)
})

test('a bulk load counts refused and undecided lines', async () => {
  let n = 0
  const refusal = '{"status":"ERROR","status_code":404}'
  const handler = answerLines(() => (n++ % 4 === 0 ? refusal : '{"status":"OK","result":""}'))
  const result = await serve(handler, (port) => runBulkLoad({ port, ...bulkLoad }))
  assert.deepEqual([result.events, result.refused, result.undecided], [200, 50, 150])
})

test('a bulk load whose request is refused is an error', async () => {
  const handler: Handler = (_, response) => response.writeHead(401).end('{}')
  await assert.rejects(
    serve(handler, (port) => runBulkLoad({ port, ...bulkLoad })),
    /_bulk answered 401/,
  )
})

test('a raw client gets answers one by one', async () => {
  const handler: Handler = (request, response) => response.writeHead(request.url === '/a' ? 200 : 404).end(request.url)
  await serve(handler, async (port) => {
    const client = new RawClient(port)
    for (const [path, status] of [
      ['/a', 200],
      ['/b', 404],
      ['/a', 200],
    ] as const) {
      const answer = await client.send(encodeRequest({ method: 'GET', path, body: '' }, {}))
      assert.deepEqual(answer, { status, body: path })
    }
    client.close()
  })
})

test('requests are read back as they were written', () => {
  const directory = mkdtempSync(join(tmpdir(), 'requests-'))
  const plans: RequestPlan[] = [
    { method: 'GET', path: '/api/v1/events/1/a%20b', body: '' },
    { method: 'POST', path: '/', body: '{"text":"with spaces, and a \\n"}' },
  ]
  writeRequests(join(directory, 'r'), plans)
  assert.deepEqual(readRequests(join(directory, 'r')), plans)
  rmSync(directory, { recursive: true })
})

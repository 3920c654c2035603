import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type EventLine, type ResultLine } from '../../../server/client/index.js'
import { collectGarbage } from '../../../engine/runtime/threads/collect-garbage.js'
import type { Batch } from '../../../server/client/batches.js'
import { sendBatches } from '../../../server/client/bulk.js'
import type { Transport } from '../../../server/client/transport.js'
import { FakeService, jsonReply, type Sent } from './fake.js'

function line(n: number, hasId = true): EventLine {
  return { job_id: 1, ...(hasId ? { event_id: `e${n}` } : {}), raw_body: { n } }
}

function lines(count: number, hasId = true): EventLine[] {
  return Array.from({ length: count }, (_, n) => line(n, hasId))
}

function numbersIn(body: string | null): number[] {
  return (body ?? '')
    .split('\n')
    .filter(Boolean)
    .map((text) => (JSON.parse(text) as { raw_body: { n: number } }).raw_body.n)
}

function resultsFor(numbers: readonly number[], more = ''): Response {
  return new Response(numbers.map((n) => `${JSON.stringify({ event_id: `e${n}`, status: 'OK' })}\n`).join('') + more)
}

/** Decides every line. */
function decide(sent: Sent): Response {
  return resultsFor(numbersIn(sent.body))
}

async function idsOf(results: AsyncIterable<ResultLine>): Promise<string[]> {
  const ids: string[] = []
  for await (const result of results) ids.push('event_id' in result ? result.event_id : result.error)
  return ids
}

test('results come in the order of the lines, over all batches', async () => {
  const service = new FakeService([decide])
  const ids = await idsOf(service.client.events.bulk(lines(25), { batchLines: 10 }))
  assert.deepEqual(
    ids,
    lines(25).map(({ event_id }) => event_id),
  )
  assert.deepEqual(
    service.sent.map(({ body }) => numbersIn(body).length),
    [10, 10, 5],
  )
  assert.equal(service.sent[0]?.url.pathname, '/base/api/v1/events/_bulk')
  assert.equal(service.sent[0]?.headers.get('content-type'), 'application/x-ndjson')
})

test('a line may be JSON text; blank ones are left out, and one with line breaks is an error', async () => {
  const service = new FakeService([decide])
  const texts = [` ${JSON.stringify(line(0))}\r\n`, '', ' ', JSON.stringify(line(1))]
  assert.deepEqual(await idsOf(service.client.postEventLines({ body: texts })), ['e0', 'e1'])
  await assert.rejects(idsOf(service.client.events.bulk([JSON.stringify(line(0), null, 1)])), /line breaks/)
})

test('no line is taken before there is room for it', async () => {
  let taken = 0
  function* endless(): Generator<EventLine> {
    for (;;) yield line(taken++)
  }
  const service = new FakeService([decide])
  const results = service.client.events.bulk(endless(), { batchLines: 10, batchesAtOnce: 2 })
  await results.next()
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  assert.ok(taken <= 30, `${taken} lines`)
  // Whether the second batch is sent before the first is answered differs between versions of Node.js.
  assert.ok(service.sent.length <= 2)
  await results.return()
})

test('a line of a slow source is sent and answered without the next one', async () => {
  const service = new FakeService([decide])
  let more = (): void => {}
  async function* slow(): AsyncGenerator<EventLine> {
    yield line(0)
    await new Promise<void>((resolve) => (more = resolve))
    yield line(1)
  }
  const results = service.client.events.bulk(slow())
  assert.equal(((await results.next()).value as { event_id: string }).event_id, 'e0')
  assert.deepEqual(service.waits, [50])
  more()
  assert.equal(((await results.next()).value as { event_id: string }).event_id, 'e1')
  assert.equal((await results.next()).done, true)
})

test('a batch is sent again if all of its lines have an id, and else not', async () => {
  const broken = new TypeError('fetch failed')
  const service = new FakeService([broken, jsonReply({ error: 'busy' }, 429, { 'retry-after': '3' }), decide])
  assert.equal((await idsOf(service.client.events.bulk(lines(3)))).length, 3)
  assert.ok(service.waits.includes(1_000) && service.waits.includes(3_000))
  const without = new FakeService([broken, decide])
  await assert.rejects(idsOf(without.client.events.bulk([...lines(2), line(2, false)])), { code: 'connection_failed' })
  assert.equal(without.sent.length, 1)
})

test('lines that a service did not take, because it drains, are sent again', async () => {
  const service = new FakeService([(sent) => resultsFor(numbersIn(sent.body).slice(0, 2)), decide])
  assert.deepEqual(await idsOf(service.client.events.bulk(lines(5, false))), ['e0', 'e1', 'e2', 'e3', 'e4'])
  assert.deepEqual(numbersIn(service.sent[1]!.body), [2, 3, 4])
})

test('results that came before an error are given before it', async () => {
  const lockedOut = '{"status":"ERROR","status_code":401,"error":"the key no longer works"}\n'
  const service = new FakeService([(sent) => resultsFor(numbersIn(sent.body).slice(0, 1), lockedOut)])
  const seen: string[] = []
  const read = async (): Promise<void> => {
    for await (const result of service.client.events.bulk(lines(3)))
      seen.push((result as { event_id: string }).event_id)
  }
  await assert.rejects(read(), (error) => error instanceof ApiError && error.code === 'unauthorized')
  assert.deepEqual(seen, ['e0'])
})

test('a reader that leaves, and a signal, end the source and the requests', async () => {
  let isClosed = false
  async function* source(): AsyncGenerator<EventLine> {
    try {
      for (let n = 0; ; n++) yield line(n)
    } finally {
      isClosed = true
    }
  }
  const service = new FakeService([
    async (sent) => {
      await new Promise(setImmediate)
      return decide(sent)
    },
  ])
  for await (const _ of service.client.events.bulk(source(), { batchLines: 2 })) break
  await new Promise(setImmediate)
  assert.ok(isClosed)
  const reason = new Error('enough')
  const stop = new AbortController()
  const read = idsOf(service.client.events.bulk(source(), { batchLines: 2, signal: stop.signal }))
  setImmediate(() => stop.abort(reason))
  await assert.rejects(read, reason)
})

test('an error of the source is the error of the stream', async () => {
  const reason = new Error('the disk is gone')
  async function* source(): AsyncGenerator<EventLine> {
    yield line(0)
    throw reason
  }
  await assert.rejects(idsOf(new FakeService([decide]).client.events.bulk(source())), reason)
})

test('a batch is not kept once it is answered', async () => {
  const sent: WeakRef<Batch>[] = []
  async function* batches(): AsyncGenerator<Batch, void, void> {
    for (let n = 0; n < 8; n++) {
      const batch = { lines: 1, body: () => `${n}`, isRepeatable: () => true }
      sent.push(new WeakRef(batch))
      yield batch
    }
  }
  const transport = { send: async () => [{ event_id: 'e', status: 'OK' }] } as unknown as Transport
  let answered = 0
  for await (const { results } of sendBatches(transport, batches(), {})) {
    assert.equal(results.length, 1)
    if (++answered < 6) continue
    await new Promise(setImmediate)
    collectGarbage()
    const kept = sent.slice(0, 3).filter((batch) => batch.deref() !== undefined).length
    assert.equal(kept, 0)
  }
  assert.equal(answered, 8)
})

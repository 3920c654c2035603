import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { SourceFailure, type Source } from '../../../../engine/integration/contract.js'
import { searchEngine } from '../../../../engine/integration/search-engine/search-engine.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { never, toolsFor } from '../../../support/outgoing.js'
import { status } from '../../../support/servers/receiver.js'
import { SearchServer } from '../../../support/servers/search-server.js'

let server: SearchServer
const clock = new ManualClock()

before(async () => void (server = await SearchServer.open()))
after(() => server.close())
beforeEach(() => server.documents.clear())

function open(parameters: Record<string, string | number | boolean> = {}): Source {
  const given = { index_pattern: 'alerts-*', preserve_id: true, batch_size: 10, ...parameters }
  return searchEngine.openSource!(server.connection, given, { ...toolsFor(), clock })
}

const iso = (ms: number): string => new Date(1_700_000_000_000 + ms).toISOString()

function put(id: string, ms: number, more: Record<string, unknown> = {}, index = 'alerts-1'): void {
  server.put(index, id, { '@timestamp': iso(ms), ...more })
}

/** Polls from a checkpoint until nothing is left. Returns the ids, and the last checkpoint as after a restart. */
async function drain(source: Source, checkpoint: unknown = null): Promise<{ ids: string[]; checkpoint: unknown }> {
  const ids: string[] = []
  for (;;) {
    const piece = await source.poll(checkpoint, never)
    checkpoint = JSON.parse(JSON.stringify(piece.checkpoint))
    ids.push(...piece.documents.map(({ id }) => id))
    if (piece.documents.length === 0 && !piece.more) return { ids, checkpoint }
  }
}

test('documents are read in the order of their date, each once, and new ones after the checkpoint', async () => {
  for (let i = 0; i < 35; i++) put(`d${i}`, i * 100)
  const source = open()
  const first = await drain(source)
  assert.deepEqual(
    first.ids,
    Array.from({ length: 35 }, (_, i) => `d${i}`),
  )
  put('later', 100_000)
  assert.deepEqual((await drain(source, first.checkpoint)).ids, ['later'])
  await source.close()
})

test('however many documents have the same date, none is missing and none is read twice', async () => {
  for (let i = 0; i < 137; i++) put(`same${i}`, 0, {}, `alerts-${i % 4}`)
  for (let i = 0; i < 20; i++) put(`after${i}`, 1)
  const source = open({ batch_size: 7 })
  const { ids } = await drain(source)
  assert.deepEqual([ids.length, new Set(ids).size], [157, 157])
  await source.close()
})

test('a restart at any place continues from there', async () => {
  const random = new SeededRandom(5)
  for (let i = 0; i < 200; i++) put(`d${i}`, random.below(40), {}, `alerts-${random.below(3)}`)
  const seen: string[] = []
  let checkpoint: unknown = null
  for (let restarts = 0; restarts < 60; restarts++) {
    const source = open({ batch_size: 1 + random.below(9), lookback_seconds: 0 })
    const piece = await source.poll(checkpoint, never)
    seen.push(...piece.documents.map(({ id }) => id))
    checkpoint = JSON.parse(JSON.stringify(piece.checkpoint))
    await source.close()
  }
  assert.deepEqual([seen.length, new Set(seen).size], [200, 200])
})

test('a late document is read; a document that is read again is the same event', async () => {
  for (let i = 0; i < 30; i++) put(`d${i}`, i * 1_000)
  const source = open()
  const first = await drain(source)
  put('late', 12_345)
  clock.advanceMs(10_000)
  const again = await drain(source, first.checkpoint)
  assert.ok(again.ids.includes('late'))
  assert.ok(again.ids.length < 10, 'only what is near it is read again')
  clock.advanceMs(10_000)
  assert.deepEqual((await drain(source, again.checkpoint)).ids, [])
  await source.close()
  const restarted = open()
  put('while it was away', 20_000)
  assert.ok((await drain(restarted, again.checkpoint)).ids.includes('while it was away'))
  await restarted.close()
})

test('start, end, filter and fields select documents; another selection begins again', async () => {
  for (let i = 0; i < 10; i++) put(`d${i}`, i * 1_000, { kind: i % 2 === 0 ? 'even' : 'odd', more: i })
  const source = open({
    start_time: iso(1_500),
    end_time: iso(7_500),
    filter: 'kind:even',
    _source: '@timestamp, kind',
  })
  const { ids, checkpoint } = await drain(source)
  assert.deepEqual(ids, ['d2', 'd4', 'd6'])
  const { body } = server.http.received.at(-1) ?? { body: '' }
  assert.ok(
    server.http.received.some((one) => JSON.stringify(JSON.parse(one.body)._source) === '["@timestamp","kind"]'),
    body,
  )
  await source.close()
  const other = open({ filter: 'kind:odd' })
  assert.deepEqual((await drain(other, checkpoint)).ids, ['d1', 'd3', 'd5', 'd7', 'd9'])
  await other.close()
})

test("ids are the documents' own, or stable ids of the service", async () => {
  put('mine', 0)
  const [one, two] = [open({ preserve_id: false }), open({ preserve_id: false })]
  const [first, second] = [await drain(one), await drain(two)]
  assert.deepEqual(first.ids, second.ids)
  assert.notEqual(first.ids[0], 'mine')
  await Promise.all([one.close(), two.close()])
})

test('a partial answer, invalid JSON or an error is a failure, not the end', async () => {
  const source = open()
  const working = server.http.answer
  for (const answer of [
    status(503, { 'retry-after': '7' }),
    status(200, {}, '{'),
    status(200, {}, '{"hits":{}}'),
    status(200, {}, '['.repeat(100_000)),
    status(200, {}, '{"timed_out":true,"hits":{"hits":[]}}'),
    status(200, {}, '{"_shards":{"failed":1},"hits":{"hits":[]}}'),
    status(200, {}, '{"hits":{"hits":[{"_id":1}]}}'),
    status(401),
  ]) {
    server.http.answer = answer
    await assert.rejects(
      source.poll(null, never),
      (error: Error) => error instanceof SourceFailure && !error.message.includes('changeme'),
    )
  }
  server.http.answer = working
  assert.deepEqual((await drain(source)).ids, [])
  await source.close()
})

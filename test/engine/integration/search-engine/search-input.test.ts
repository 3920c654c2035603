import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import type { Finding } from '../../../../engine/domain/event/finding.js'
import { SourceFailure, type Source, type SourceState } from '../../../../engine/integration/contract.js'
import { searchEngine } from '../../../../engine/integration/search-engine/search-engine.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { never, toolsFor } from '../../../support/outgoing.js'
import { status } from '../../../support/servers/receiver.js'
import { SearchServer } from '../../../support/servers/search-server.js'

let server: SearchServer
const clock = new ManualClock()

before(async () => void (server = await SearchServer.open()))
after(() => server.close())
beforeEach(() => {
  server.documents.clear()
  server.indexes.clear()
})

function open(parameters: Record<string, string | number | boolean> = {}): Source {
  const given = { index_pattern: 'alerts-*', preserve_id: true, batch_size: 10, ...parameters }
  return searchEngine.openSource!(server.connection, given, { ...toolsFor(), clock })
}

const iso = (ms: number): string => new Date(1_700_000_000_000 + ms).toISOString()

function put(id: string, ms: number, more: Record<string, unknown> = {}, index = 'alerts-1'): void {
  server.put(index, id, { '@timestamp': iso(ms), ...more })
}

interface Drained {
  readonly ids: string[]
  readonly checkpoint: unknown
  readonly state: SourceState | undefined
  readonly findings: readonly Finding[]
}

/** Polls from a checkpoint until nothing is left. Returns the ids, and the last checkpoint as after a restart. */
async function drain(source: Source, checkpoint: unknown = null): Promise<Drained> {
  const ids: string[] = []
  const findings: Finding[] = []
  for (;;) {
    const piece = await source.poll(checkpoint, never)
    checkpoint = JSON.parse(JSON.stringify(piece.checkpoint))
    ids.push(...piece.documents.map(({ id }) => id))
    findings.push(...(piece.findings ?? []))
    if (piece.documents.length === 0 && !piece.more) return { ids, checkpoint, findings, state: piece.state }
  }
}

test('documents are read in the order of their date, each once, and new ones after the checkpoint', async () => {
  clock.advanceMs(200_000)
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

/** Puts a document with a date relative to the clock. */
function putNow(id: string, aheadMs: number, more: Record<string, unknown> = {}, index = 'alerts-1'): void {
  put(id, nowMs() - 1_700_000_000_000 + aheadMs, more, index)
}

const nowMs = (): number => Math.floor(clock.nowMicros() / 1_000)
const YEAR_MS = 365 * 86_400_000

test('a document of years ahead is read once and hides no other, also after a restart', async () => {
  putNow('first', -10_000)
  putNow('of 2032', 6 * YEAR_MS)
  const source = open()
  let { ids, checkpoint, state } = await drain(source)
  assert.deepEqual(ids.sort(), ['first', 'of 2032'])
  assert.match(state?.remark ?? '', /1 documents are dated tomorrow or later/)
  for (let minute = 0; minute < 3; minute++) {
    clock.advanceMs(60_000)
    putNow(`of minute ${minute}`, -1_000)
    ;({ ids, checkpoint } = await drain(source, checkpoint))
    assert.deepEqual(ids, [`of minute ${minute}`])
  }
  putNow('another of 2032', 6 * YEAR_MS)
  clock.advanceMs(6_000)
  ;({ ids, checkpoint } = await drain(source, checkpoint))
  assert.deepEqual(ids, ['another of 2032'])
  await source.close()
  const restarted = open()
  putNow('after the restart', -500)
  putNow('of 2033', 7 * YEAR_MS)
  assert.deepEqual((await drain(restarted, checkpoint)).ids.sort(), ['after the restart', 'of 2033'])
  await restarted.close()
})

test('hosts whose clocks are fast make no document of others late', async () => {
  const source = open()
  let checkpoint: unknown = null
  const seen: string[] = []
  for (let second = 0; second < 300; second++) {
    clock.advanceMs(1_000)
    if (second < 150) putNow(`fast ${second}`, 150_000)
    if (second % 3 === 0) putNow(`faster ${second}`, 2_000_000)
    putNow(`right ${second}`, -1_500)
    if (second % 10 === 0) putNow(`slow ${second}`, -120_000)
    const drained = await drain(source, checkpoint)
    checkpoint = drained.checkpoint
    seen.push(...drained.ids)
  }
  clock.advanceMs(10_000)
  seen.push(...(await drain(source, checkpoint)).ids)
  assert.deepEqual(
    [...server.documents.values()].map(({ id }) => id).filter((id) => !seen.includes(id)),
    [],
  )
  assert.deepEqual(seen.length, new Set(seen).size, 'each is handed on once')
  assert.deepEqual(seen.length, server.documents.size)
  await source.close()
})

test('whatever the clocks of hosts, delays and restarts are, no document is lost', async () => {
  for (let seed = 1; seed <= 6; seed++) {
    const random = new SeededRandom(seed)
    server.documents.clear()
    const delayed: { readonly atMs: number; readonly id: string; readonly dateMs: number; readonly index: string }[] =
      []
    const hosts = Array.from({ length: 6 }, () =>
      random.pick([0, 0, 0, 90_000, 3_000_000, 5_000_000, 3 * 86_400_000, -100_000]),
    )
    const options = { batch_size: random.pick([3, 10, 50]), lookback_seconds: 300, preserve_id: false }
    let source = open(options)
    let checkpoint: unknown = null
    const seen = new Set<string>()
    let handed = 0
    let restarts = 0
    for (let round = 0; round < 90; round++) {
      clock.advanceMs(random.pick([500, 1_000, 4_000]))
      for (let n = random.below(6); n > 0; n--) {
        const host = random.below(hosts.length)
        const date = nowMs() + (hosts[host] as number)
        const one = { id: `${round}.${n}`, dateMs: date, index: `alerts-${host % 3}` }
        // The span from its date to when it becomes visible is below lookback_seconds.
        delayed.push({ ...one, atMs: nowMs() + random.below(150_000) })
      }
      for (const one of delayed.splice(0)) {
        if (one.atMs > nowMs()) delayed.push(one)
        else put(one.id, one.dateMs - 1_700_000_000_000, {}, one.index)
      }
      const piece = await source.poll(checkpoint, never)
      checkpoint = JSON.parse(JSON.stringify(piece.checkpoint))
      for (const { id } of piece.documents) seen.add(id)
      handed += piece.documents.length
      if (random.below(25) === 0) {
        await source.close()
        source = open(options)
        restarts++
      }
    }
    for (const one of delayed) put(one.id, one.dateMs - 1_700_000_000_000, {}, one.index)
    clock.advanceMs(6_000)
    for (let pass = 0; pass < 3; pass++) {
      const { ids, checkpoint: next } = await drain(source, checkpoint)
      checkpoint = next
      for (const id of ids) seen.add(id)
      handed += ids.length
      clock.advanceMs(6_000)
    }
    assert.equal(seen.size, server.documents.size, `seed ${seed}`)
    if (restarts === 0) assert.equal(handed, seen.size, `seed ${seed}: each is handed on once`)
    await source.close()
    clock.advanceMs(86_400_000)
  }
})

test('a document that is later than that is read by its time of indexing', async () => {
  const at = (aheadMs: number): string => new Date(nowMs() + aheadMs).toISOString()
  putNow('usual', -5_000, { event: { ingested: at(-4_000) } })
  const source = open()
  let { checkpoint, ids } = await drain(source)
  assert.deepEqual(ids, ['usual'])
  for (let day = 1; day <= 3; day++) {
    clock.advanceMs(60_000)
    putNow(`late by ${day} days`, -day * 86_400_000, { event: { ingested: at(-1_000) } })
    putNow(`late without a time of indexing ${day}`, -day * 86_400_000)
    ;({ checkpoint, ids } = await drain(source, checkpoint))
    assert.deepEqual(ids, [`late by ${day} days`])
  }
  await source.close()
  putNow('late while it was away', -86_400_000, { event: { ingested: at(0) } })
  clock.advanceMs(3_600_000)
  const restarted = open()
  ;({ ids } = await drain(restarted, checkpoint))
  assert.ok(ids.includes('late while it was away'))
  await restarted.close()
  const without = open({ indexed_field: '' })
  ;({ checkpoint } = await drain(without))
  putNow('late, and nobody looks', -86_400_000, { event: { ingested: at(0) } })
  clock.advanceMs(6_000)
  assert.deepEqual((await drain(without, checkpoint)).ids, [])
  await without.close()
})

test('an index without the date field, or where it is no date, is left out and named', async () => {
  for (let i = 0; i < 25; i++) putNow(`d${i}`, -i * 100)
  server.indexes.set('alerts-empty', { fields: {} })
  server.indexes.set('alerts-text', { fields: { '@timestamp': 'keyword' } })
  putNow('a text', -1_000, {}, 'alerts-text')
  const source = open()
  const { ids, findings, state } = await drain(source)
  assert.equal(ids.length, 25)
  assert.deepEqual(
    findings.map(({ kind, field, example }) => [kind, field, example]),
    [
      ['skipped_index', 'alerts-empty', 'alerts-empty: it has no field @timestamp'],
      ['skipped_index', 'alerts-text', 'alerts-text: its field @timestamp is no date'],
    ],
  )
  assert.equal(
    state?.remark,
    'not read, because there is no field @timestamp: alerts-empty; ' +
      'not read, because @timestamp is no date: alerts-text',
  )
  await source.close()
  const none = open({ index_pattern: 'nothing-*' })
  assert.equal((await drain(none)).state?.remark, 'no index matches nothing-* yet')
  await none.close()
})

test('pages stay within the max_result_window of every index', async () => {
  for (let i = 0; i < 25_000; i++) putNow(`d${i}`, -25_000 + Math.floor(i / 500))
  const large = open({ batch_size: 10_000 })
  assert.equal(new Set((await drain(large)).ids).size, 25_000)
  await large.close()
  server.documents.clear()
  for (let i = 0; i < 400; i++) putNow(`d${i}`, -1_000, {}, `alerts-${i % 90}`)
  server.indexes.set('alerts-7', { window: 30 })
  const small = open({ batch_size: 1_000 })
  assert.deepEqual((await drain(small)).ids.length, 400)
  await small.close()
})

test('an index that does not store its documents is left out and named; alone it is a failure', async () => {
  putNow('with', -2_000)
  putNow('without', -1_000, {}, 'alerts-bare')
  server.indexes.set('alerts-bare', { withoutSource: true })
  const source = open()
  const { ids, state, findings } = await drain(source)
  assert.deepEqual(ids, ['with'])
  assert.match(state?.remark ?? '', /_source is disabled\): alerts-bare/)
  assert.deepEqual(findings[0]?.field, 'alerts-bare')
  await source.close()
  const alone = open({ index_pattern: 'alerts-bare' })
  await assert.rejects(
    alone.poll(null, never),
    (error: Error) => error instanceof SourceFailure && /_source is disabled/.test(error.message),
  )
  await alone.close()
})

test('one odd document does not hold up the others: it is nested too deep, or too large for an answer', async () => {
  let deep: Record<string, unknown> = {}
  for (let i = 0; i < 100; i++) deep = { deep }
  putNow('deep', -3_000, deep)
  putNow('usual', -2_000)
  putNow('large', -1_000, { text: 'x'.repeat(70_000_000) })
  putNow('last', -500)
  const source = open({ batch_size: 2 })
  const unfit = new Map<string, string | undefined>()
  let checkpoint: unknown = null
  for (let polls = 0; polls < 12; polls++) {
    const piece = await source.poll(checkpoint, never)
    checkpoint = piece.checkpoint
    for (const one of piece.documents) unfit.set(one.id, one.unfit)
  }
  assert.deepEqual([...unfit.keys()], ['deep', 'usual', 'large', 'last'])
  assert.match(unfit.get('large') ?? '', /more than 67108864 bytes/)
  assert.equal(unfit.get('last'), undefined)
  await source.close()
})

test('it says how far it has read, and whether more is waiting', async () => {
  for (let i = 0; i < 15; i++) putNow(`d${i}`, -60_000 + i * 1_000)
  const source = open()
  const first = await source.poll(null, never)
  assert.deepEqual(first.state, { readThroughMs: nowMs() - 51_000, isBehind: true, remark: '' })
  const { state } = await drain(source, first.checkpoint)
  assert.deepEqual(state, { readThroughMs: nowMs() - 46_000, isBehind: false, remark: '' })
  await source.close()
})

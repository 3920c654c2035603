/** Splunk against our own server, which follows its public documentation. It was never tested against Splunk itself. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { SourceFailure, type Outcome, type Source } from '../../../../engine/integration/contract.js'
import { labelTable, misfitTable } from '../../../../engine/integration/splunk/notable-update.js'
import { splunk } from '../../../../engine/integration/splunk/splunk.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { sinkContract, type Behaviour } from '../../../contracts/sink.js'
import { behaving } from '../../../support/behaviours.js'
import { eventually } from '../../../support/client.js'
import { decided, never, openSink, outgoing, toolsFor } from '../../../support/outgoing.js'
import { status } from '../../../support/servers/receiver.js'
import { SplunkServer } from '../../../support/servers/splunk-server.js'

let server: SplunkServer
const clock = new ManualClock()
const now = (): number => Math.floor(clock.nowMicros() / 1e6)

before(async () => void (server = await SplunkServer.open()))
after(() => server.close())
beforeEach(() => {
  server.events.length = 0
  server.searches.length = 0
})

function open(parameters: Record<string, string | number> = {}, connection: object = {}): Source {
  const given = {
    search: 'search index=main',
    batch_size: 10,
    start_time: new Date((now() - 1_000) * 1_000).toISOString(),
    ...parameters,
  }
  return splunk.openSource!({ ...server.connection, ...connection }, given, { ...toolsFor(), clock })
}

/** Polls until nothing is left. Returns the ids, and the last checkpoint as after a restart. */
async function drain(
  source: Source,
  checkpoint: unknown = null,
): Promise<{ ids: string[]; checkpoint: any; documents: any[] }> {
  const [ids, documents]: [string[], any[]] = [[], []]
  for (;;) {
    const piece = await source.poll(checkpoint, never)
    checkpoint = JSON.parse(JSON.stringify(piece.checkpoint))
    ids.push(...piece.documents.map(({ id }) => id))
    documents.push(...piece.documents.map(({ body }) => JSON.parse(Buffer.from(body).toString())))
    if (piece.documents.length === 0 && !piece.more) return { ids, checkpoint, documents }
  }
}

describe('Splunk as input', () => {
  it('reads every event once, in the order of indexing, however many there are in one second', async () => {
    const random = new SeededRandom(3)
    for (let i = 0; i < 230; i++) server.index(now() - 900 + 7 * random.below(12), { n: String(i) })
    server.index(now() - 500, { index: 'other' })
    const source = open({ batch_size: 7 })
    const { documents, ids } = await drain(source)
    assert.deepEqual([documents.length, new Set(ids).size, new Set(documents.map(({ n }) => n)).size], [230, 230, 230])
    const times = documents.map((document) => Number(document._indextime))
    assert.deepEqual(
      times,
      [...times].sort((a, b) => a - b),
    )
    assert.deepEqual(Object.keys(documents[0]).sort(), ['@timestamp', '_indextime', '_raw', '_time', 'n'])
    await source.close()
  })

  it('tells of bytes that are not UTF-8, and keeps the rest', async () => {
    const fake = await SplunkServer.open()
    fake.index(now() - 500, { user: 'M\xfcller' })
    fake.http.answer = (received, response) => {
      const end = response.end.bind(response)
      // Each character as one byte.
      response.end = ((text: string) => end(Buffer.from(text, 'latin1'))) as typeof response.end
      fake.answer(received, response)
    }
    const source = open({}, fake.connection)
    let piece = await source.poll(null, never)
    while (piece.documents.length === 0) piece = await source.poll(piece.checkpoint, never)
    await source.close()
    await fake.close()
    assert.equal(JSON.parse(Buffer.from(piece.documents[0]!.body).toString()).user, 'M\ufffdller')
    assert.deepEqual(
      piece.findings?.map(({ kind, count, example }) => [kind, count, example.includes('M\ufffdller')]),
      [['invalid_utf8', 1, true]],
    )
  })

  it('continues from its checkpoint after any restart', async () => {
    const random = new SeededRandom(4)
    for (let i = 0; i < 150; i++) server.index(now() - 900 + random.below(600))
    const seen: string[] = []
    let checkpoint: unknown = null
    for (let restart = 0; restart < 200; restart++) {
      const source = open({ batch_size: 1 + random.below(9), lookback_seconds: 0 })
      const piece = await source.poll(checkpoint, never)
      seen.push(...piece.documents.map(({ id }) => id))
      checkpoint = JSON.parse(JSON.stringify(piece.checkpoint))
      await source.close()
    }
    assert.deepEqual([seen.length, new Set(seen).size], [150, 150])
  })

  it('reads events that are dated years ahead, and those of an indexer whose clock is nine minutes behind', async () => {
    const source = open({ start_time: String(now() - 3_600) })
    server.index(now() - 60, { n: 'ahead', dated: now() + 6 * 365 * 86_400 })
    server.index(now() - 50, { n: 'usual' })
    const first = await drain(source)
    assert.deepEqual(
      first.documents.map(({ n }) => n),
      ['ahead', 'usual'],
    )
    clock.advanceMs(60_000)
    server.index(now() - 540, { n: 'behind' })
    assert.ok((await drain(source, first.checkpoint)).documents.some(({ n }) => n === 'behind'))
    await source.close()
  })

  it('reads a second only when it is certainly over', async () => {
    const source = open({ settle_seconds: 5, lookback_seconds: 0 })
    server.index(now() - 6)
    server.index(now() - 2)
    const first = await drain(source)
    assert.equal(first.ids.length, 1)
    server.index(now() - 2)
    clock.advanceMs(4_000)
    assert.equal((await drain(source, first.checkpoint)).ids.length, 2)
    await source.close()
  })

  it('reads late events; after a restart, events that are read again are the same', async () => {
    const source = open()
    for (let i = 0; i < 30; i++) server.index(now() - 100 + 3 * i)
    const first = await drain(source)
    server.index(now() - 60, { late: 'yes' })
    clock.advanceMs(11_000)
    const again = await drain(source, first.checkpoint)
    assert.equal(again.documents.filter(({ late }) => late === 'yes').length, 1)
    for (const id of again.ids.slice(1))
      assert.ok(first.ids.includes(id) || again.documents[again.ids.indexOf(id)].late === 'yes')
    clock.advanceMs(11_000)
    assert.deepEqual((await drain(source, again.checkpoint)).ids, [])
    await source.close()
    const restarted = open()
    const read = await drain(restarted, again.checkpoint)
    assert.ok(read.ids.length > 0 && read.ids.every((id) => first.ids.includes(id) || again.ids.includes(id)))
    await restarted.close()
  })

  it('without a start time reads what is indexed from now on; the id may be a field', async () => {
    server.index(now() - 20, { event_id: 'before' })
    const source = open({ start_time: '', id_field: 'event_id' })
    const first = await drain(source)
    server.index(now() + 1, { event_id: 'GUID@@notable@@1' })
    clock.advanceMs(20_000)
    assert.deepEqual((await drain(source, first.checkpoint)).ids, ['GUID@@notable@@1'])
    await source.close()
  })

  it('uses the older path for an older Splunk', async () => {
    server.isOld = true
    server.index(now() - 20)
    const source = open()
    assert.equal((await drain(source)).ids.length, 1)
    await source.close()
    server.isOld = false
  })

  it('reports failures, and takes nothing from a partial answer', async () => {
    server.index(now() - 20)
    const working = server.http.answer
    const source = open()
    const failure = async (): Promise<SourceFailure> => {
      const error = await source.poll(null, never).then(
        () => assert.fail('it answered'),
        (reason: unknown) => reason,
      )
      assert.ok(error instanceof SourceFailure && !error.message.includes('a-secret-token'), String(error))
      return error
    }
    for (const [answer, reason] of [
      [
        status(
          200,
          {},
          '{"preview":false,"offset":0,"result":{"ds_key":"a/1:2","ds_indexed":"7"}}\n{"messages":[{"type":"FATAL","text":"the search was cancelled"}]}',
        ),
        /cancelled/,
      ],
      [status(200, {}, '{"preview":false,"result":{"count":"7"}}'), /no storage position/],
      [status(200, {}, 'nothing of the kind'), /not JSON/],
      [status(503, { 'retry-after': '3' }), /503/],
      [behaving.half, /./],
    ] as const) {
      server.http.answer = answer
      assert.match((await failure()).message, reason)
    }
    server.http.answer = working
    await source.close()
    const locked = open({}, { token: 'wrong' })
    await assert.rejects(locked.poll(null, never), /HTTP 401/)
    await locked.close()
    assert.throws(() => splunk.openSource!({}, { search: 'x' }, toolsFor()), /this role needs the parameter url/)
  })
})

describe('Splunk as output', () => {
  it('refuses an invalid event alone; earlier ones are delivered, later ones are sent again', async () => {
    server.refuses = ({ event }) => event.event_id === 'e2'
    const sink = openSink(splunk, 'output', server.connection, { index: 'decisions' })
    const outcomes = await sink.deliver(
      ['e1', 'e2', 'e3'].map((id) => outgoing(id)),
      never,
    )
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['delivered', 'refused', 'failed'],
    )
    assert.equal((outcomes[2] as Extract<Outcome, { outcome: 'failed' }>).suspect, false)
    const { event, ...meta } = server.collected.at(-1)
    assert.deepEqual(meta, { time: 1_700_000_000, source: 'service', sourcetype: 'decision:event', index: 'decisions' })
    assert.deepEqual([event.event_id, event.delivery_id, event.service.result_label], ['e1', '7.e1', 'Drop'])
    server.refuses = () => false
    await sink.close()
  })

  it('updates the notable event that the event names, according to its decision', async () => {
    const parameters = {
      notable_id_field: 'rule.uid',
      status_by_decision: 'Drop: 5, label_0: 2',
      urgency_by_decision: 'drop:low',
      disposition_by_decision: 'Drop: disposition:6',
      owner: 'ann',
    }
    const sink = openSink(splunk, 'post_decision', server.connection, parameters)
    server.missing.add('none')
    const outcomes = await sink.deliver(
      [
        outgoing('e1', { event: decided('e1', {}, { rule: { uid: 'GUID@@notable@@1' } }) }),
        outgoing('none'),
        outgoing('e3', { event: decided('e3', { resultLabel: 'Investigate', result: 'label_2' }) }),
      ],
      never,
    )
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['delivered', 'refused', 'delivered'],
    )
    assert.match((outcomes[1] as { reason: string }).reason, /None of the given events/)
    const sent = [...server.updates].sort((a, b) => (String(a.ruleUIDs) < String(b.ruleUIDs) ? -1 : 1))
    assert.deepEqual(sent[0], {
      ruleUIDs: 'GUID@@notable@@1',
      status: '5',
      urgency: 'low',
      disposition: 'disposition:6',
      newOwner: 'ann',
      output_mode: 'json',
      comment: 'Drop with confidence 91.5 % by Alert triage',
    })
    assert.deepEqual([sent[1]?.ruleUIDs, sent[1]?.status], ['e3', undefined])
    await sink.close()
  })

  it('checks the tables of decisions', () => {
    assert.deepEqual(
      [...labelTable(' Drop : 5,Escalate:2 , ')],
      [
        ['drop', '5'],
        ['escalate', '2'],
      ],
    )
    assert.equal(misfitTable('Drop: 5', /^\d$/), null)
    assert.match(misfitTable('Drop: high', /^\d$/) ?? '', /unknown value: high/)
    assert.match(misfitTable('5', /^\d$/) ?? '', /decisions with values/)
  })
})

const invalid = status(400, {}, '{"text":"Invalid data format","code":6,"invalid-event-number":0}')
const notUpdated = status(200, {}, '{"success":false,"success_count":0,"message":"no"}')

for (const [role, hostParameter, wrong, idsOf] of [
  ['output', 'hec_url', invalid, (fake: SplunkServer) => fake.collected.map(({ event }) => String(event.event_id))],
  ['post_decision', 'url', notUpdated, (fake: SplunkServer) => fake.updates.map(({ ruleUIDs }) => String(ruleUIDs))],
] as const) {
  sinkContract({
    name: 'splunk',
    kind: splunk,
    role,
    hostParameter,
    secrets: ['a-secret-token', 'a-hec-token'],
    behaviours: Object.keys(behaving) as Behaviour[],
    async open() {
      const fake = await SplunkServer.open()
      const working = fake.http.answer
      return {
        connection: fake.connection,
        behave: (how) =>
          void (fake.http.answer = how === 'well' ? working : how === 'refusing' ? wrong : behaving[how]),
        taken: (count) =>
          eventually(
            async () => idsOf(fake),
            (ids) => ids.length >= count,
          ),
        close: () => fake.close(),
      }
    },
  })
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  SourceFailure,
  QueryRefused,
  type Known,
  type EnrichmentSource,
} from '../../../../engine/integration/contract.js'
import { bounds } from '../../../../engine/integration/bounds.js'
import { boundedFields } from '../../../../engine/integration/enrichment/enrichment-fields.js'
import { EnrichmentCache } from '../../../../engine/integration/enrichment/enrichment-cache.js'
import { enrichmentNames } from '../../../../engine/integration/enrichment/enrichment-parameters.js'
import {
  EnrichmentRequests,
  type EnrichmentAnswer,
} from '../../../../engine/integration/enrichment/enrichment-requests.js'
import { Circuit } from '../../../../engine/integration/delivery/pace.js'
import { searchEngine } from '../../../../engine/integration/search-engine/search-engine.js'
import { enrichmentContract } from '../../../contracts/enrichment.js'
import { behaving } from '../../../support/behaviours.js'
import { SearchServer } from '../../../support/servers/search-server.js'
import { until } from '../../../support/until.js'

const pace = {
  baseMs: 20,
  capMs: 40,
  eventBaseMs: 20,
  eventCapMs: 40,
  lookMs: 5,
  idleMs: 50,
  haltAfterMs: 200,
  haltPausesMs: [60_000],
}

/** A counterpart in this process. It answers on command. */
class Oracle implements EnrichmentSource {
  readonly batchMax = 3
  readonly atOnce = 2
  readonly requests: string[][] = []
  closed = 0
  answer: (subjects: readonly string[]) => Promise<Known[]> = async (subjects) =>
    subjects.map((subject) => ({ is: subject }))

  subjectOf({ subject }: Record<string, unknown>): string | null {
    if (subject === 'a bug') throw new Error('a bug')
    return (subject as string | undefined) ?? null
  }

  find(subjects: readonly string[]): Promise<Known[]> {
    this.requests.push([...subjects])
    return this.answer(subjects)
  }

  async close(): Promise<void> {
    this.closed++
  }
}

/** A clock that a test moves. Pauses and time limits are real, and end when they find that it was moved. */
class Clock {
  ms = 1_000
  readonly nowMs = (): number => this.ms
}

function open(
  oracle: Oracle,
  cacheMs = 60_000,
  circuit = new Circuit(pace, () => 0.5),
  nowMs = (): number => Math.floor(performance.now()),
): {
  looks: EnrichmentRequests
  ask: (subject?: string, ms?: number) => Promise<EnrichmentAnswer>
  failures: unknown[]
} {
  const failures: unknown[] = []
  const looks = new EnrichmentRequests({
    enrichment: oracle,
    cacheMs,
    circuit,
    pace,
    nowMs,
    failed: (_, error) => failures.push(error),
  })
  return {
    looks,
    failures,
    ask: (subject, ms = 60_000) => new Promise((resolve) => looks.ask({ subject }, nowMs() + ms, resolve)),
  }
}

describe('the enrichment requests of a step', () => {
  it('request equal subjects once, many together, and cache the answer', async () => {
    const oracle = new Oracle()
    const { looks, ask } = open(oracle)
    const answers = await Promise.all(['a', 'b', 'a', 'c', 'd', 'a'].map((subject) => ask(subject)))
    assert.deepEqual(
      answers.map((answer) => 'fields' in answer && answer.fields.is),
      ['a', 'b', 'a', 'c', 'd', 'a'],
    )
    assert.deepEqual(oracle.requests, [['a', 'b', 'c'], ['d']])
    await ask('a')
    assert.equal(oracle.requests.length, 2)
    assert.deepEqual(looks.counts, { found: 7, nothing: 0, failed: 0, late: 0, remembered: 1 })
    assert.deepEqual(await ask(), { outcome: 'nothing' })
    await looks.close()
    assert.equal(oracle.closed, 1)
  })

  it('cache that nothing was found, and drop expired answers', async () => {
    const oracle = new Oracle()
    oracle.answer = async (subjects) => subjects.map(() => null)
    const clock = new Clock()
    const { looks, ask } = open(oracle, 30, undefined, clock.nowMs)
    for (let i = 0; i < 3; i++) assert.deepEqual(await ask('a'), { outcome: 'nothing' })
    assert.equal(oracle.requests.length, 1)
    clock.ms += 30
    await ask('a')
    assert.equal(oracle.requests.length, 2)
    await looks.close()
  })

  it('release the circuit breaker for the next step if they are closed during a test request', async () => {
    const oracle = new Oracle()
    const circuit = new Circuit(pace, () => 0.5)
    const first = open(oracle, 0, circuit)
    oracle.answer = async () => {
      throw new SourceFailure('away')
    }
    while (!circuit.isTripped()) await first.ask('a', 100)
    oracle.answer = () => new Promise((_, reject) => (giveUp = () => reject(new SourceFailure('given up'))))
    let giveUp: (() => void) | null = null
    while (giveUp === null) {
      await sleep(5)
      void first.ask('a', 10)
    }
    const closing = first.looks.close()
    ;(giveUp as () => void)()
    await closing
    oracle.answer = async (subjects) => subjects.map((subject) => ({ is: subject }))
    const second = open(oracle, 0, circuit)
    await sleep(50)
    assert.deepEqual(await second.ask('b'), { outcome: 'found', fields: { is: 'b' } })
    await second.looks.close()
  })

  it('answer late after the time limit, and cache the answer that comes afterwards', async () => {
    const oracle = new Oracle()
    let go: () => void = () => {}
    oracle.answer = (subjects) =>
      new Promise((resolve) => (go = () => resolve(subjects.map((subject) => ({ is: subject })))))
    const clock = new Clock()
    const { looks, ask } = open(oracle, undefined, undefined, clock.nowMs)
    const late = ask('a', 40)
    await until(() => oracle.requests.length === 1)
    clock.ms += 40
    assert.deepEqual(await late, { outcome: 'late', reason: '' })
    go()
    await sleep(0)
    assert.equal((await ask('a')).outcome, 'found')
    assert.equal(oracle.requests.length, 1)
    await looks.close()
  })

  it('retry while a query has time left, and then give the reason of the failure', async () => {
    const oracle = new Oracle()
    const clock = new Clock()
    const { looks, ask } = open(oracle, undefined, undefined, clock.nowMs)
    let failures = 2
    const well = oracle.answer
    oracle.answer = async (subjects) => {
      if (failures-- <= 0) return well(subjects)
      // Behind the failure, and behind the pause after it.
      setTimeout(() => (clock.ms += pace.capMs))
      throw new SourceFailure('HTTP 503')
    }
    const [patient, hasty] = await Promise.all([ask('a'), ask('b', 1)])
    assert.deepEqual(
      [patient.outcome, hasty.outcome, 'reason' in hasty && hasty.reason],
      ['found', 'failed', 'HTTP 503'],
    )
    await looks.close()
  })

  it('fail at once while the breaker is open, and test when the counterpart works again', async () => {
    const oracle = new Oracle()
    const clock = new Clock()
    const { looks, ask } = open(oracle, undefined, undefined, clock.nowMs)
    const well = oracle.answer
    // Time passes while it tries, and none afterwards.
    oracle.answer = () => {
      setTimeout(() => (clock.ms += looks.circuit.isTripped() ? 0 : pace.capMs))
      return Promise.reject(new SourceFailure('connection refused'))
    }
    assert.deepEqual(await ask('a'), { outcome: 'failed', reason: 'connection refused' })
    const before = oracle.requests.length
    assert.deepEqual(await ask('b'), { outcome: 'failed', reason: 'connection refused' })
    assert.equal(oracle.requests.length, before)
    oracle.answer = well
    clock.ms += pace.capMs
    assert.equal((await ask('c')).outcome, 'found')
    assert.equal(looks.circuit.failures, 0)
    await looks.close()
  })

  it('fail a refused query alone, and do not cache it', async () => {
    const oracle = new Oracle()
    const { looks, ask } = open(oracle)
    oracle.answer = async (subjects) =>
      subjects.map((subject) => (subject === 'odd' ? new QueryRefused('not an address') : null))
    const [odd, even] = await Promise.all([ask('odd'), ask('even')])
    assert.deepEqual([odd, even], [{ outcome: 'failed', reason: 'not an address' }, { outcome: 'nothing' }])
    await ask('odd')
    assert.deepEqual([oracle.requests.length, looks.circuit.failures, looks.reason], [2, 0, 'not an address'])
    await ask('another')
    assert.equal(looks.reason, '')
    await looks.close()
  })

  it('answer every query when they are closed, and survive a bug', async () => {
    const oracle = new Oracle()
    const { looks, ask, failures } = open(oracle)
    assert.equal((await ask('a bug')).outcome, 'failed')
    assert.equal(failures.length, 1)
    let reject: (error: Error) => void = () => {}
    oracle.answer = () => new Promise((_, fail) => (reject = fail))
    const waiting = ask('a')
    await until(() => oracle.requests.length === 1)
    const closing = looks.close()
    assert.deepEqual(await waiting, { outcome: 'failed', reason: 'the step was closed' })
    reject(new Error('too late'))
    await closing
  })
})

describe('the fields of an enrichment', () => {
  it('are limited in number, in bytes and in depth, and only plain values', () => {
    let deep: object = { end: 1 }
    for (let i = 0; i < 20; i++) deep = { deep }
    const fields = boundedFields({
      text: 'x'.repeat(10_000),
      half: 'a\ud800',
      nothing: null,
      no: undefined,
      wrong: Number.NaN,
      list: [1, 'a', null, [true]],
      deep,
      many: Array.from({ length: 1_000 }, (_, i) => i),
      ['__proto__']: 1,
      constructor: 2,
      left: 'out',
    })
    assert.equal(String(fields.text).length, bounds.enrichmentTextCharsMax)
    assert.deepEqual([fields.half, fields.list, fields.left], ['a\ufffd', [1, 'a', [true]], undefined])
    assert.ok(
      !Object.hasOwn(fields, 'constructor') && !Object.hasOwn(fields, '__proto__') && !Object.hasOwn(fields, 'nothing'),
    )
    assert.ok(JSON.stringify(fields).length < 2 * bounds.enrichmentBytesMax && !JSON.stringify(fields).includes('end'))
  })

  it('are cached within limits; the least recently used answer goes first', () => {
    const cache = new EnrichmentCache(1_000)
    for (let i = 0; i < 20; i++) cache.put(`s${i}`, { text: 'x'.repeat(1024 * 1024) }, 0)
    assert.ok(cache.size <= 16)
    assert.equal(cache.get('s0', 0), undefined)
    assert.notEqual(cache.get('s19', 0), undefined)
    assert.equal(cache.get('s19', 1_000), undefined)
  })

  it('are named after the step, else after the title, else after both', () => {
    const step = (integrationId: number, name?: string) => ({
      integrationId,
      role: 'enrichment' as const,
      enabled: true,
      parameters: name === undefined ? {} : { name },
    })
    assert.deepEqual(
      enrichmentNames([
        { step: step(1), title: 'Threat intel (prod)' },
        { step: step(2, 'assets'), title: 'x' },
        { step: step(3), title: 'Assets' },
        { step: step(4), title: '…' },
      ]),
      ['threat_intel_prod', 'assets', 'assets_3', 'look_up'],
    )
  })
})

enrichmentContract({
  name: 'search engine',
  kind: searchEngine,
  hostParameter: 'hosts',
  secrets: ['changeme-now'],
  parameters: {
    index_pattern: 'cmdb-*',
    event_field: 'source.ip',
    document_field: 'ip',
    fields: 'owner.team,tags',
    size: 2,
    newest_by: '@timestamp',
  },
  known: [
    [{ source: { ip: '10.0.0.1' } }, { owner: { team: ['web', 'db'] }, tags: ['x', 'y'], count: 2 }],
    [{ source: { ip: ['10.0.0.3', '10.0.0.9'] } }, { owner: { team: ['it'] }, count: 1 }],
    [{ 'source.ip': '"}{\n' }, null],
    [{ source: { ip: '10.9.9.9' } }, null],
  ],
  mute: { source: { ip: null, port: 7 } },
  async open() {
    const server = await SearchServer.open()
    const working = server.http.answer
    server.put('cmdb-1', 'a', {
      ip: '10.0.0.1',
      owner: { team: 'web' },
      tags: ['x'],
      secret: 1,
      '@timestamp': '2026-01-01T00:00:00Z',
    })
    server.put('cmdb-2', 'b', {
      ip: '10.0.0.1',
      owner: { team: 'db' },
      tags: ['x', 'y'],
      '@timestamp': '2026-01-02T00:00:00Z',
    })
    server.put('cmdb-2', 'c', { ip: '10.0.0.3', owner: { team: 'it' } })
    server.put('other', 'd', { ip: '10.0.0.1', owner: { team: 'none of them' } })
    const refusing = '{"responses":[{"error":{"type":"parsing_exception","reason":"no such thing"},"status":400}]}'
    return {
      connection: server.connection,
      behave: (how) => {
        server.http.answer =
          how === 'well' ? working : how === 'refusing' ? (_, response) => void response.end(refusing) : behaving[how]
      },
      get requests() {
        return server.http.received.length
      },
      close: () => server.close(),
    }
  },
})

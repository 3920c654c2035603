/** Threat intelligence against a small TAXII 2.1 server; medallion, a real one, is in test/long. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { HostPolicy } from '../../../../engine/integration/http/host-policy.js'
import { taxii } from '../../../../engine/integration/taxii/taxii.js'
import { TaxiiClient } from '../../../../engine/integration/taxii/taxii-client.js'
import { ThreatFeed } from '../../../../engine/integration/taxii/threat-feed.js'
import { enrichmentContract } from '../../../contracts/enrichment.js'
import { behaving } from '../../../support/behaviours.js'
import { eventually } from '../../../support/client.js'
import { never, toolsFor } from '../../../support/outgoing.js'
import { status } from '../../../support/servers/receiver.js'
import { TaxiiServer } from '../../../support/servers/taxii-server.js'

function fill(server: TaxiiServer): void {
  server.add(
    'one',
    {
      id: 'indicator--1',
      name: 'Bad address',
      pattern: "[ipv4-addr:value = '192.0.2.1']",
      confidence: 80,
      labels: ['botnet'],
      indicator_types: ['malicious-activity'],
      kill_chain_phases: [{ kill_chain_name: 'lockheed-martin-cyber-kill-chain', phase_name: 'delivery' }],
    },
    {
      id: 'indicator--2',
      name: 'Bad network',
      pattern: "[ipv4-addr:value ISSUBSET '192.0.2.0/24']",
      confidence: 30,
      labels: ['scanner'],
    },
    { id: 'malware--1', type: 'malware', name: 'not an indicator' },
    { id: 'indicator--3', name: 'Not understood', pattern: "[process:name = 'x']" },
  )
  server.add('two', {
    id: 'indicator--4',
    pattern: "[domain-name:value = 'bad.example'] OR [url:value = 'http://bad.example/x']",
  })
  server.add('unreadable', { id: 'indicator--5', pattern: "[domain-name:value = 'secret.example']" })
}

const ofAddress = {
  matched: true,
  count: 2,
  confidence: 80,
  values: ['192.0.2.1'],
  indicator_ids: ['indicator--1', 'indicator--2'],
  names: ['Bad address', 'Bad network'],
  indicator_types: ['malicious-activity'],
  labels: ['botnet', 'scanner'],
  kill_chain_phases: ['lockheed-martin-cyber-kill-chain:delivery'],
}

enrichmentContract({
  name: 'taxii',
  kind: taxii,
  hostParameter: 'url',
  secrets: ['a-secret-password'],
  parameters: {},
  known: [
    [{ source: { ip: '192.0.2.1' }, destination: { ip: '198.51.100.7' } }, ofAddress],
    [
      { data: { srcip: '192.0.2.9' } },
      {
        ...ofAddress,
        count: 1,
        confidence: 30,
        values: ['192.0.2.9'],
        indicator_ids: ['indicator--2'],
        names: ['Bad network'],
        indicator_types: [],
        labels: ['scanner'],
        kill_chain_phases: [],
      },
    ],
    [
      { url: { full: 'HTTP://Bad.Example/x' } },
      {
        matched: true,
        count: 1,
        values: ['bad.example', 'http://bad.example/x'],
        indicator_ids: ['indicator--4'],
        names: [],
        indicator_types: [],
        labels: [],
        kill_chain_phases: [],
      },
    ],
    [{ dns: { question: { name: 'secret.example' } } }, null],
  ],
  mute: { source: { ip: 'no address' }, message: '192.0.2.1' },
  async open() {
    const server = await TaxiiServer.open()
    fill(server)
    const working = server.http.answer
    return {
      connection: server.connection,
      behave: (how) => void (server.http.answer = how === 'well' ? working : behaving[how]),
      get requests() {
        return server.http.received.length
      },
      close: () => server.close(),
    }
  },
})

describe('collections of a TAXII server', () => {
  async function withClient(
    run: (client: TaxiiClient, server: TaxiiServer) => Promise<void>,
    connection: object = {},
  ): Promise<void> {
    const server = await TaxiiServer.open()
    fill(server)
    const client = new TaxiiClient({ ...server.connection, ...connection }, toolsFor())
    await run(client, server).finally(async () => {
      client.close()
      await server.close()
    })
  }

  it('are the readable ones, or the wanted ones, by discovery or by the API root itself', () =>
    withClient(async (client, server) => {
      assert.deepEqual(
        (await client.collections([], never)).map(({ title }) => title),
        ['Collection one', 'Collection two'],
      )
      assert.deepEqual(
        (await client.collections(['Collection two', 'unreadable'], never)).map(({ title }) => title),
        ['Collection two'],
      )
      await assert.rejects(client.collections(['nothing'], never), /none of the collections/)
      const direct = new TaxiiClient({ ...server.connection, url: `${server.http.url}/root` }, toolsFor())
      assert.equal((await direct.collections([], never)).length, 2)
      direct.close()
    }))

  it('are read in pages, by next or by time, from the end of the last read', () =>
    withClient(async (client, server) => {
      for (const saysNext of [true, false]) {
        server.saysNext = saysNext
        const [one] = await client.collections(['one'], never)
        const ids: unknown[] = []
        const take = ({ objects }: { objects: readonly unknown[] }): void =>
          void ids.push(...objects.map((object) => (object as { id: string }).id))
        const last = await client.read(one!, '', take, never)
        assert.deepEqual(ids, ['indicator--1', 'indicator--2', 'indicator--3'])
        assert.equal(await client.read(one!, last, take, never), last)
        assert.equal(ids.length, 3)
        const again = `indicator--late-${saysNext}`
        server.add('one', { id: again, pattern: "[domain-name:value = 'late.example']" })
        await client.read(one!, last, take, never)
        assert.deepEqual(ids.slice(3), [again])
        server.collections.get('one')!.pop()
      }
    }))

  it('that never end are not read for ever; an API root of another origin gets no request and no password', () =>
    withClient(async (client, server) => {
      const [one] = await client.collections(['one'], never)
      const before = server.http.received.length
      for (const page of ['{"more":true}', '{"more":true,"next":"a"}']) {
        server.http.answer = status(200, {}, page)
        await assert.rejects(
          client.read(one!, '', () => {}, never),
          /more pages, but does not say where/,
        )
      }
      assert.ok(server.http.received.length < before + 5)
      server.http.answer = status(200, {}, '{"api_roots":["http://127.0.0.2:1/root/"]}')
      await assert.rejects(client.collections([], never), /another origin/)
    }))
})

describe('a feed of indicators', () => {
  it('reads added and revoked indicators, stays while the server is down, and reports its state', async () => {
    const server = await TaxiiServer.open()
    fill(server)
    const tools = {
      policy: new HostPolicy(['127.0.0.1']),
      clock: new ManualClock(),
      serviceName: 'service',
      timeZone: 'UTC',
    }
    const feed = new ThreatFeed({
      client: new TaxiiClient(server.connection, tools),
      collections: [],
      pollMs: 10,
      indicatorsMax: 100,
      nowMs: () => Date.parse('2026-06-01T00:00:00Z'),
    })
    assert.match(feed.summary(), /nothing read yet/)
    const find = async (value: string): Promise<number> =>
      (await feed.index()).find('domain-name', value, Date.parse('2026-06-01T00:00:00Z')).length
    assert.equal(await find('bad.example'), 1)
    assert.equal(feed.summary(), '3 indicators; 1 with unsupported patterns')
    server.add('one', { id: 'indicator--9', pattern: "[domain-name:value = 'new.example']" })
    await eventually(
      () => find('new.example'),
      (count) => count === 1,
    )
    server.add('two', { id: 'indicator--4', modified: '2026-02-01T00:00:00Z', revoked: true })
    await eventually(
      () => find('bad.example'),
      (count) => count === 0,
    )
    const working = server.http.answer
    server.http.answer = status(503)
    await eventually(
      async () => feed.summary(),
      (summary) => /the last read failed: HTTP 503/.test(summary),
    )
    assert.equal(await find('new.example'), 1)
    server.http.answer = working
    await eventually(
      async () => feed.summary(),
      (summary) => !/the last read failed/.test(summary),
    )
    await feed.close()
    await server.close()
  })
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import {
  checkServers,
  mustBeChecked,
  serverFault,
  streamFault,
  type ServerFacts,
} from '../../../../../engine/runtime/log/jetstream/cluster-check.js'

const now = Date.parse('2026-01-01T00:00:00Z')
const fit: ServerFacts = {
  version: '2.15.2',
  now: '2026-01-01T00:00:01.5Z',
  jetstream: { config: { sync_always: true } },
}

describe('a server', () => {
  it('is fit for a log from 2.15.2 on, below 2.16', () => {
    for (const version of ['2.15.2', '2.15.3', '2.15.10']) assert.equal(serverFault({ ...fit, version }, now), null)
    for (const version of ['2.9.10', '2.14.9', '2.15.1', '2.16.0', '3.0.0', ''])
      assert.match(serverFault({ ...fit, version }, now) ?? '', /install 2\.15\.2 or a newer 2\.15/, version)
  })

  it('must flush before it acknowledges', () => {
    assert.match(
      serverFault({ ...fit, jetstream: { config: { sync_always: false } } }, now) ?? '',
      /sync_interval: always/,
    )
    assert.match(serverFault({ ...fit, jetstream: { config: {} } }, now) ?? '', /sync_interval: always/)
    assert.match(serverFault({ version: '2.15.2' }, now) ?? '', /JetStream is off/)
  })

  it('has a clock that differs by less than five seconds', () => {
    assert.equal(serverFault({ ...fit, now: '2026-01-01T00:00:04Z' }, now), null)
    assert.match(serverFault({ ...fit, now: '2025-12-31T23:59:50Z' }, now) ?? '', /its clock differs by 10 s/)
  })
})

describe('the servers of a cluster', () => {
  it('may be away in part for a node that starts again, and not for a new one', async (t) => {
    const facts = { ...fit, jetstream: { ...fit.jetstream, meta: { name: 'test' } } }
    const server = createServer((_, response) => void response.end(JSON.stringify(facts))).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const there = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const monitors = [there, there, 'http://127.0.0.1:9']
    await checkServers(monitors, () => now, 1)
    await assert.rejects(
      checkServers(monitors, () => now),
      /open its http port/,
    )
    await assert.rejects(
      checkServers([there, ...monitors.slice(2), ...monitors.slice(2)], () => now, 1),
      /open its http port/,
    )
  })
})

describe('the server that a node is connected to', () => {
  it('is one of those that were checked', () => {
    const ids = new Set(['A', 'B'])
    mustBeChecked({ ids, isAll: true }, 'A')
    assert.throws(() => mustBeChecked({ ids, isAll: true }, 'C'), /none of those at SERVICE_CLUSTER_MONITORS/)
    // One that is away may be the one that is connected.
    mustBeChecked({ ids, isAll: false }, 'C')
  })
})

describe('a stream', () => {
  const config = {
    num_replicas: 3,
    storage: 'file',
    discard: 'new',
    retention: 'limits',
    max_msgs: -1,
    max_bytes: -1,
    max_age: 0,
  } as const

  it('is fit for a log with three copies in files, and no limit', () => {
    assert.equal(streamFault(config, 3), null)
    for (const other of [{ num_replicas: 1 }, { storage: 'memory' }, { discard: 'old' }, { max_age: 5 }] as const)
      assert.match(streamFault({ ...config, ...other } as never, 3) ?? '', /must be/, JSON.stringify(other))
  })

  it('must not acknowledge before it has flushed', () => {
    assert.match(streamFault({ ...config, persist_mode: 'async' }, 3) ?? '', /persist_mode is async/)
  })
})

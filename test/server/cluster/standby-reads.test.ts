/** An owner, and a node that follows its logs and answers reads from its copies. The logs are files here. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine, Refusal, type Engine } from '../../../engine/index.js'
import { refusalExtra } from '../../../engine/actor/reply.js'
import { refuseTurn } from '../../../engine/actor/turn-task.js'
import { encodeCatalogRecord, type LoggedEntry } from '../../../engine/runtime/log/catalog/catalog-record.js'
import { LoggedTurns } from '../../../engine/runtime/log/logged-turns.js'
import type { LogRecord, RecordLog, TurnLog } from '../../../engine/runtime/log/turn-log.js'
import type { SendTurn } from '../../../engine/runtime/log/spread/seat.js'
import { FileLog } from '../../../engine/runtime/log/file-log.js'
import { makeDataDir } from '../../../engine/store/directory/data-dir.js'
import { ReadPoint } from '../../../engine/services/cluster/read-point.js'
import { NodeData } from '../../../engine/services/cluster/node-data.js'
import { Standby } from '../../../engine/services/cluster/standby.js'
import { Door } from '../../../server/cluster/door.js'
import { readOperations, writeOperations } from '../../../server/cluster/operations.js'
import { LAG_HEADER, StandbyReads } from '../../../server/cluster/standby-reads.js'
import { replyJson } from '../../../server/http/reply.js'
import { routes } from '../../../server/routes/index.js'
import { Client } from '../../support/client.js'
import { jobOf } from '../../support/cluster-job.js'
import { newDirectory } from '../../support/engine/files.js'
import { openWebSocket } from '../../support/live/web-socket.js'
import { rmSync } from 'node:fs'
import { httpNotice } from '../../../server/http/native.js'
import { Server } from '../../../server/server.js'

const KEY = 'management-key-for-tests-0123456789'
const WRITER = '0011223344556677'
/** A node waits for its copy for a little longer. What took longer here says nothing. */
const WAITS_MS = 1_500
const headers = { 'x-service-api-key': KEY }
const options = {
  name: 'service',
  shards: 2,
  threads: 1,
  bootstrapKey: KEY,
  adminPassword: 'administrator',
  passwordCost: 10,
}
const directory = newDirectory()
const silent = { enabled: () => false, debug() {}, info() {}, warn() {}, error() {} }

const document = {
  resources: {
    sender: { type: 'api_key', properties: { name: 'sender' } },
    input: {
      type: 'integration',
      properties: {
        title: 'input',
        integration_type: 'External REST API',
        parameters: { api_key: "{{api_keys(name='sender')}}", data_type: 'alerts' },
      },
    },
    job: {
      type: 'job',
      properties: {
        title: 'job',
        category: 'Decision intelligence',
        decision_points: ['rule', 'host'],
        advanced_settings: {
          custom_labels: ['A', 'B', 'C'].map((name) => ({ name, hex_color: '#ED0A2C' })),
        },
        pipeline_integrations: [{ resource: 'input', integration_type: 'input', enabled: true }],
      },
    },
  },
}

/** A log whose reader gets records late. */
function behind(log: RecordLog, until: () => Promise<void>): RecordLog {
  async function* late(after: number, signal: AbortSignal): AsyncGenerator<LogRecord> {
    for await (const record of log.follow(after, signal)) {
      await until()
      yield record
    }
  }
  const others = ['append', 'last', 'read', 'extent', 'purge', 'close'] as const
  return Object.assign({ follow: late }, ...others.map((name) => ({ [name]: log[name].bind(log) }))) as RecordLog
}

describe('a node that follows the owner', () => {
  let engine: Engine
  let owner: Server
  let data: NodeData
  let standby: Standby
  let reads: StandbyReads
  let door: Door
  let point: ReadPoint
  let positions: () => { shards: number[]; catalog: number } | null
  let used: string[] = []
  let isAnswering = true
  /** Jobs and keys that a test made. */
  let count = 0
  /** The standby takes in no record of the catalog before this. */
  let following = Promise.resolve()
  const forwarded: string[] = []
  const logs = [0, 1].map((shard) => new FileLog(join(directory, `turns-${shard}`)))
  const catalogLog = new FileLog(join(directory, 'catalog'))
  let base = ''
  let ownerBase = ''

  before(async () => {
    const writers: LoggedTurns[] = []
    const turns: TurnLog = {
      runner: (shard) => {
        const writer = new LoggedTurns({ ...shard, log: logs[shard.shard] as FileLog, writer: WRITER })
        writers[shard.shard] = writer
        return writer.run
      },
    }
    let end = 0
    const append = (kind: 'catalog' | 'ledger', entries: readonly LoggedEntry[]): number => {
      // A file appends at once.
      void catalogLog.append(encodeCatalogRecord({ kind, writer: WRITER, entries }), end)
      return ++end
    }
    const catalog = {
      append: (entries: readonly LoggedEntry[]) => append('catalog', entries),
      appendLedger: (entries: readonly LoggedEntry[]) => void append('ledger', entries),
    }
    engine = await openEngine({ ...options, dataDir: join(directory, 'owner') }, { turns, catalog, lastMicros: 0 })
    owner = await Server.start(engine, { host: '127.0.0.1', port: 0, emptyErrorMessage: false })
    ownerBase = `http://127.0.0.1:${owner.port}`
    positions = () => (isAnswering ? { shards: writers.map(({ applied }) => applied), catalog: end } : null)
    makeDataDir(join(directory, 'standby'))
    const common = {
      options: { ...options, dataDir: join(directory, 'standby') },
      logs,
      stopped: (error: unknown) => assert.fail(String(error)),
      failed: (_what: string, error: unknown) => assert.fail(String(error)),
      progressed: () => point?.progressed(),
    }
    // The owner of all shards is an engine that other nodes cannot reach.
    const send: SendTurn = async (task) => ({
      ...refuseTurn(task, refusalExtra(new Refusal('log_unavailable', 'no node runs this shard'))),
      ranElsewhere: true,
    })
    data = await NodeData.open({ ...common, prepare: async () => {}, send })
    standby = new Standby({
      ...common,
      data,
      catalogLog: behind(catalogLog, () => following),
      used: (id) => void used.push(id),
    })
    point = new ReadPoint({
      applied: () => ({ shards: data.seats.applied, catalog: standby.applied }),
      ofOwner: async () => positions(),
      ofLogs: async () => null,
    })
    door = await Door.open({
      host: '127.0.0.1',
      port: 0,
      socketPaths: ['/api/v2/events/stream'],
      failed: (error) => assert.fail(String(error)),
      waitsFor: (request, method) => reads.waitsFor(request, method),
      elsewhere: (exchange, waited) => {
        if (reads.takes(exchange)) return reads.served.take(exchange)
        if (waited === undefined || waited === null) {
          forwarded.push(exchange.path)
          return replyJson(exchange, 200, { forwarded: true })
        }
        if (waited > 0) exchange.notes = [[LAG_HEADER, String(waited)]]
        reads.served.take(exchange)
      },
    })
    const server = { host: '127.0.0.1', port: 0, emptyErrorMessage: false }
    reads = await StandbyReads.open(
      door,
      {
        service: standby.reads,
        lagMs: () => point.lagMs(),
        catalogCurrent: (sinceMs) => point.catalogCurrent(sinceMs),
        knownLagMs: null,
      },
      { server, log: silent },
    )
    base = `http://127.0.0.1:${door.port}`
  })

  after(async () => {
    point.close()
    await reads.close()
    door.close()
    await standby.close()
    await data.close()
    await owner.drain(1_000)
    await engine.close()
    await owner.close()
    rmSync(directory, { recursive: true, force: true })
  })

  async function ask(at: string, path: string, body?: unknown, more: Record<string, string> = {}) {
    const answer = await fetch(at + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, lag: answer.headers.get(LAG_HEADER), body: (await answer.json()) as any }
  }

  it('answers what a client wrote at the owner a moment ago', async () => {
    assert.equal((await ask(ownerBase, '/api/v2/resources', document)).status, 200)
    for (let i = 0; i < 20; i++) {
      const event = { job_id: 1, raw_body: { rule: `r${i % 3}`, host: `h${i % 2}`, note: `n${i}` } }
      assert.equal((await ask(ownerBase, `/api/v1/events/e${i}`, event)).status, 201)
      const found = await ask(base, `/api/v1/events/1/e${i}`)
      assert.deepEqual([found.status, found.lag], [200, null])
      assert.deepEqual(found, await ask(ownerBase, `/api/v1/events/1/e${i}`))
    }
    assert.deepEqual(forwarded, [])
  })

  it('answers all reads as the owner does', async () => {
    const all: readonly (readonly [string, unknown?])[] = [
      ['/api/v1/events/1/e3/export'],
      ['/api/v2/events/1/e3/explanation'],
      ['/api/v2/events/1/e3/similar'],
      ['/api/v2/jobs/1/decide', { raw_body: { rule: 'r1', host: 'h1' } }],
      ['/api/v2/events/query', { job_ids: [1], size: 5 }],
      ['/api/v2/events/raw_es_query', { query_body: { query: { match_all: {} } } }],
      ['/api/v2/filters/fields', { job_ids: [1] }],
      ['/api/v2/filters/fields_mapping', { job_ids: [1] }],
      ['/api/v2/events/facets', { job_ids: [1], fields: ['host'] }],
      ['/api/v1/events/1/nothing'],
      ['/api/v1/events/2/e1'],
    ]
    // On a busy machine time may have run out (`partial`) where everything was counted.
    const without = (text: string): string => text.replace(/"(took|within_ms|request_id|partial)":[^,}]*/g, '')
    for (const [path, body] of all) {
      const here = await ask(base, path, body)
      const there = await ask(ownerBase, path, body)
      assert.equal(here.status, there.status, path)
      assert.equal(without(JSON.stringify(here.body)), without(JSON.stringify(there.body)), path)
    }
    const list = await ask(base, '/api/v2/events/list', { job_ids: [1], size: 50 })
    assert.equal(list.body.events.length, 20)
    const file = await fetch(`${base}/api/v2/jobs/1/events-file?format=csv`, { headers })
    assert.equal((await file.text()).trim().split('\n').length, 21)
    assert.deepEqual(forwarded, [])
  })

  it('refuses a key that was deleted at the owner', async () => {
    const made = await ask(ownerBase, '/api/v2/resources', {
      resources: { gone: { type: 'api_key', properties: { name: 'gone' } } },
    })
    const value = JSON.stringify(made.body).match(/"(?:api_key|value|key)":"([^"]{20,})"/)?.[1] as string
    const status = async (): Promise<number> =>
      (await ask(base, '/api/v2/events/query', { job_ids: [1] }, { 'x-service-api-key': value })).status
    const before = await status()
    const deleted = await fetch(`${ownerBase}/api/v2/resources?resource_type=api_key&title=gone`, {
      method: 'DELETE',
      headers,
    })
    assert.equal(deleted.status, 200)
    assert.notEqual(before, 401)
    assert.equal(await status(), 401)
  })

  it('follows decisions as server-sent events and over a WebSocket', async () => {
    const leaving = new AbortController()
    const stream = await fetch(`${base}/api/v2/events/stream?job_id=1`, { headers, signal: leaving.signal })
    assert.equal(stream.status, 200)
    let text = ''
    const reading = (async () => {
      for await (const piece of stream.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(piece).toString()
        if (text.includes('streamed')) return
      }
    })()
    while (!text.includes('ready')) await sleep(10)
    const event = { job_id: 1, raw_body: { rule: 'r1', host: 'h1' } }
    assert.equal((await ask(ownerBase, '/api/v1/events/streamed', event)).status, 201)
    await reading
    leaving.abort()
    assert.match(text, /"event_id":"streamed"/)
    const socket = await openWebSocket(new Client(base, KEY), '/api/v2/events/stream?job_id=1')
    // Where node:http serves instead of uWebSockets.js, a request that waits cannot become a WebSocket: it is refused.
    if (httpNotice !== null && !('until' in socket)) return
    assert.ok('until' in socket)
    await socket.until((texts) => texts.length > 0)
    assert.equal((await ask(ownerBase, '/api/v1/events/socketed', event)).status, 201)
    await socket.until((texts) => texts.some((one) => one.includes('"event_id":"socketed"')))
    socket.socket.destroy()
  })

  it('opens a WebSocket as browsers ask for it, and refuses one without a key as the owner does', async () => {
    const path = '/api/v2/events/stream?job_id=1'
    const socket = await openWebSocket(new Client(base, KEY), path, { 'cache-control': 'no-cache', pragma: 'no-cache' })
    if ('until' in socket) socket.socket.destroy()
    else assert.notEqual(httpNotice, null, 'uWebSockets.js serves it')
    const refused = await openWebSocket(new Client(base, ''), path)
    assert.ok('status' in refused)
    assert.equal(refused.status, 401)
  })

  it('tells which keys were used, by their ids', () => {
    assert.ok(used.length > 0)
    assert.ok(used.every((id) => /^[0-9a-f]{24}$/.test(id)))
    engine.noteUses([...used, 'unknown'])
    used = []
  })

  it('leaves everything else to the owner, and reads whose client wants the owner', async () => {
    forwarded.length = 0
    await ask(base, '/api/v1/jobs/1')
    await ask(base, '/api/v1/events/1/e1', undefined, { 'cache-control': 'no-cache' })
    await fetch(`${base}/api/v1/events/1/e1`)
    assert.deepEqual(forwarded, ['/api/v1/jobs/1', '/api/v1/events/1/e1', '/api/v1/events/1/e1'])
  })

  it('takes events itself, and refuses them where no node runs their shard', async () => {
    forwarded.length = 0
    const posted = await ask(base, '/api/v1/events/another', { job_id: 1, raw_body: {} })
    assert.deepEqual([posted.status, forwarded], [503, []])
  })

  /** What the node answers to a change that the owner has made and the node has not taken in, then and afterwards. */
  async function beforeAndAfter<T>(change: () => Promise<() => Promise<T>>): Promise<{ early: T; late: T | null }> {
    for (let tries = 1; ; tries++) {
      const { early, late, tookMs } = await oneTry(change)
      if (tookMs < WAITS_MS || tries === 20) return { early, late }
    }
  }

  async function oneTry<T>(change: () => Promise<() => Promise<T>>) {
    let follow = (): void => {}
    following = new Promise((resolve) => (follow = resolve))
    try {
      const request = await change()
      isAnswering = false
      const early = await request()
      isAnswering = true
      const beganMs = performance.now()
      let late: T | null = null
      const answered = request().then((answer) => (late = answer))
      // It asks the owner meanwhile, and is told that it is behind.
      await sleep(100)
      const hasWaited = late === null
      follow()
      late = await answered
      const tookMs = performance.now() - beganMs
      assert.ok(hasWaited || tookMs > WAITS_MS, 'it waits')
      return { early, late, tookMs }
    } finally {
      isAnswering = true
      follow()
    }
  }

  /** Makes a job at the owner; returns its id. */
  async function makeJob(title: string): Promise<number> {
    assert.equal((await ask(ownerBase, '/api/v2/resources', jobOf(title))).status, 200)
    return (await ask(ownerBase, '/api/v1/jobs/get_by_name', { job_name: title })).body.job_id as number
  }

  // Its shard has no owner here: 503 says that the job is known.
  it('refuses an event for a job as unknown only where its catalog is current, or nobody says so', async () => {
    const { early, late } = await beforeAndAfter(async () => {
      const id = await makeJob(`new ${++count}`)
      return async () => (await ask(base, '/api/v1/events/x1', { job_id: id, raw_body: {} })).status
    })
    assert.deepEqual([early, late], [404, 503])
    assert.equal((await ask(base, '/api/v1/events/x1', { job_id: 4_711, raw_body: {} })).status, 404)
  })

  it('does the same for a vote, and for a line of a stream', async () => {
    const { early, late } = await beforeAndAfter(async () => {
      const id = await makeJob(`newer ${++count}`)
      return async () => {
        const vote = fetch(`${base}/api/v1/events/${id}/x/feedback`, {
          method: 'PUT',
          headers,
          body: '{"feedback":"A"}',
        })
        const lines = fetch(`${base}/api/v1/events/_bulk`, {
          method: 'POST',
          headers,
          body: `{"job_id":${id},"raw_body":{}}\n`,
        })
        const [{ status }, line] = await Promise.all([vote, lines.then((answer) => answer.json())])
        return [status, (line as { status_code: number }).status_code]
      }
    })
    assert.deepEqual(
      [early, late],
      [
        [404, 404],
        [503, 503],
      ],
    )
  })

  it('refuses a key as unknown only where its catalog is current, or nobody says so', async () => {
    const { early, late } = await beforeAndAfter(async () => {
      const resources = { fresh: { type: 'api_key', properties: { name: `fresh ${++count}` } } }
      const made = await ask(ownerBase, '/api/v2/resources', { resources })
      const key = JSON.stringify(made.body).match(/"(?:api_key|value|key)":"([^"]{20,})"/)?.[1] as string
      const posted = { job_id: 1, raw_body: {} }
      return async () => (await ask(base, '/api/v1/events/x2', posted, { 'x-service-api-key': key })).status
    })
    assert.equal(early, 401)
    assert.notEqual(late, 401)
  })

  it('asks the owner once for many wrong keys', async () => {
    let asked = 0
    const truly = positions
    positions = () => {
      asked++
      return truly()
    }
    const wrong = { 'x-service-api-key': 'wrong-key-for-tests-0123456789' }
    const beganMs = performance.now()
    const all = Array.from({ length: 200 }, () => ask(base, '/api/v1/events/x3', { job_id: 1, raw_body: {} }, wrong))
    for (const { status } of await Promise.all(all)) assert.equal(status, 401)
    positions = truly
    // At most one in 25 ms, beside the one that looks each second.
    const most = 2 + (performance.now() - beganMs) / 24
    assert.ok(asked >= 1 && asked <= most, `${asked} questions, ${most} at most`)
  })

  it('says how old an answer may be where nobody knows whether the copies are current', async () => {
    isAnswering = false
    const found = await ask(base, '/api/v1/events/1/e1')
    const stated = await fetch(`${base}/api/v2/jobs/1/events-file?format=csv`, { headers })
    await stated.text()
    isAnswering = true
    assert.equal(found.status, 200)
    assert.ok(Number(found.lag) >= 1)
    assert.ok(Number(stated.headers.get(LAG_HEADER)) >= 1)
    // Who comes before somebody has answered again does not wait for it.
    while ((await ask(base, '/api/v1/events/1/e1')).lag !== null);
  })
})

describe('the reads of a standby', () => {
  it('are operations of the API', () => {
    const known = new Set(routes.map(({ operationId }) => operationId))
    assert.deepEqual(
      [...readOperations, ...writeOperations].filter((id) => !known.has(id)),
      [],
    )
  })
})

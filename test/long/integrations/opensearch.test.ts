/**
 * The search engine kind against a real OpenSearch node, with a proxy in between that cuts, delays and breaks answers.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import { SeededRandom } from '../../../engine/rng.js'
import { afterwards } from '../../support/afterwards.js'
import { eventually, type Client } from '../../support/client.js'
import { spawnService, type ChildService } from '../../support/service.js'
import { counterpart, isShort, skipUnless } from './counterparts.js'
import { openSearchJars, startOpenSearch, type OpenSearchNode } from './opensearch-node.js'

const KILLS = isShort ? 5 : 50
const SPEED_DOCUMENTS = isShort ? 40_000 : 100_000

const jars = counterpart('OpenSearch', openSearchJars)
const options = { skip: skipUnless(jars, 'OpenSearch') }

let node: OpenSearchNode
let proxy: Server
let cutEvery = 0

before(async () => {
  if (jars === null) return
  node = await startOpenSearch(jars)
  const random = new SeededRandom(7)
  proxy = createServer((client) => {
    const upstream = connect(node.port, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.on('data', (bytes: Buffer) => {
        if (cutEvery === 0 || random.below(cutEvery) > 0) return void to.write(bytes)
        // Half of it, and then nothing.
        to.write(bytes.subarray(0, bytes.length >> 1), () => to.destroy())
      })
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
})
after(async () => {
  proxy?.close()
  await node?.close()
})

function connection(): object {
  return { hosts: '127.0.0.1', port: (proxy.address() as AddressInfo).port, user: '', password: '', schema: 'http' }
}

async function index(name: string, from: number, to: number, dateOf: (i: number) => number): Promise<void> {
  for (let at = from; at < to; at += 2_000) {
    let lines = ''
    for (let i = at; i < Math.min(to, at + 2_000); i++) {
      lines += `${JSON.stringify({ index: { _index: name, _id: `d${i}` } })}\n`
      lines += `${JSON.stringify({ '@timestamp': new Date(dateOf(i)).toISOString(), rule: { id: String(i % 50) }, i, pad: 'x'.repeat(900) })}\n`
    }
    assert.equal((await node.ask('POST', '/_bulk?refresh=true', lines)).errors, false)
  }
}

async function setUp(client: Client, pattern: string, title: string): Promise<number> {
  const parameters = { index_pattern: pattern, preserve_id: true, batch_size: 1_000, lookback_seconds: 600 }
  const answer = await client.post('/api/v2/resources', {
    search: {
      type: 'integration',
      properties: { title: 'OpenSearch', integration_type: 'Search engine', parameters: connection() },
    },
    job: {
      type: 'job',
      properties: {
        title,
        decision_points: ['rule.id'],
        pipeline_integrations: [
          { resource: 'search', integration_type: 'input', parameters },
          {
            resource: 'search',
            integration_type: 'output',
            parameters: { index: `decided-${pattern.replace('*', '')}` },
          },
        ],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.created.find((one: any) => one.type === 'job').internal_id
}

const events = async (client: Client, jobId: number): Promise<number> =>
  (await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count

async function written(name: string): Promise<number> {
  await node.ask('POST', `/${name}/_refresh?ignore_unavailable=true`)
  return (await node.ask('GET', `/${name}/_count?ignore_unavailable=true`)).count
}

test(
  'documents of three shards with equal dates, and late ones, become events once; each event becomes a document',
  options,
  async (context) => {
    await node.ask('PUT', '/ties-1', { settings: { number_of_shards: 3, number_of_replicas: 0 } })
    const start = Date.now() - 3_600_000
    await index('ties-1', 0, 5_000, (i) => start + Math.floor(i / 500))
    const service = await spawnService({ privateHosts: ['127.0.0.1'] })
    afterwards(context, () => service.close())
    const jobId = await setUp(service.client, 'ties-*', 'Ties')
    await eventually(
      () => events(service.client, jobId),
      (count) => count === 5_000,
      60_000,
    )
    await index('ties-1', 5_000, 5_010, () => start + 3)
    await eventually(
      () => events(service.client, jobId),
      (count) => count === 5_010,
      60_000,
    )
    await eventually(
      () => written('decided-ties-'),
      (count) => count === 5_010,
      60_000,
    )
  },
)

test(`through ${KILLS} kills and cut connections no document is lost or duplicated`, options, async (context) => {
  await node.ask('PUT', '/kills-1', { settings: { number_of_shards: 2, number_of_replicas: 0 } })
  const random = new SeededRandom(11)
  const start = Date.now() - 3_600_000
  const dates = Array.from({ length: 10_000 + KILLS * 1_000 }, () => start + random.below(20_000)).sort((a, b) => a - b)
  await index('kills-1', 0, 10_000, (i) => dates[i] as number)
  cutEvery = 40
  let service: ChildService = await spawnService({ privateHosts: ['127.0.0.1'] })
  afterwards(context, () => service.close())
  const { dataDir } = service
  const jobId = await setUp(service.client, 'kills-*', 'Kills')
  let indexed = 10_000
  for (let kill = 0; kill < KILLS; kill++) {
    await index('kills-1', indexed, indexed + 1_000, (i) => dates[i] as number)
    indexed += 1_000
    await new Promise((resolve) => setTimeout(resolve, 200 + random.below(800)))
    await service.kill()
    service = await spawnService({ privateHosts: ['127.0.0.1'], dataDir })
  }
  cutEvery = 0
  await eventually(
    () => events(service.client, jobId),
    (count) => count >= indexed,
    120_000,
  )
  await eventually(
    () => written('decided-kills-'),
    (count) => count >= indexed,
    120_000,
  )
  await new Promise((resolve) => setTimeout(resolve, 8_000))
  assert.equal(await events(service.client, jobId), indexed)
  assert.equal(await written('decided-kills-'), indexed)
})

test(
  'decisions are written back to the alerts of Wazuh, which are not read again for that',
  options,
  async (context) => {
    const alert = (i: number): object => ({
      timestamp: new Date(Date.now() - 60_000).toISOString(),
      rule: { id: String(i % 5), level: 3 },
    })
    const lines = Array.from(
      { length: 300 },
      (_, i) =>
        `{"index":{"_index":"wazuh-alerts-4.x-2026.01.0${1 + (i % 3)}","_id":"w${i}"}}\n${JSON.stringify(alert(i))}\n`,
    )
    await node.ask('POST', '/_bulk?refresh=true', lines.join(''))
    const service = await spawnService({ privateHosts: ['127.0.0.1'] })
    afterwards(context, () => service.close())
    const answer = await service.client.post('/api/v2/resources', {
      wazuh: {
        type: 'integration',
        properties: { title: 'Wazuh', integration_type: 'Wazuh', parameters: connection() },
      },
      job: {
        type: 'job',
        properties: {
          title: 'Wazuh',
          decision_points: ['rule.id'],
          pipeline_integrations: [
            { resource: 'wazuh', integration_type: 'input' },
            { resource: 'wazuh', integration_type: 'output' },
          ],
        },
      },
    })
    assert.equal(answer.status, 200, answer.text)
    const jobId = answer.body.created.find((one: any) => one.type === 'job').internal_id
    const decided = async (): Promise<number> => {
      await node.ask('POST', '/wazuh-alerts-*/_refresh')
      return (await node.ask('POST', '/wazuh-alerts-*/_count', { query: { term: { 'service.job_id': jobId } } })).count
    }
    await eventually(decided, (count) => count === 300, 60_000)
    const { hits } = await node.ask('POST', '/wazuh-alerts-*/_search', {
      size: 1,
      version: true,
      query: { ids: { values: ['w7'] } },
    })
    assert.equal(hits.hits[0]._source.rule.id, '2')
    await new Promise((resolve) => setTimeout(resolve, 8_000))
    assert.equal(await events(service.client, jobId), 300)
    const later = await node.ask('POST', '/wazuh-alerts-*/_search', {
      size: 1,
      version: true,
      query: { ids: { values: ['w7'] } },
    })
    assert.deepEqual(later.hits.hits[0]._source, hits.hits[0]._source)
    assert.equal(later.hits.hits[0]._version, hits.hits[0]._version)
  },
)

test('input keeps up with many documents a second', options, async (context) => {
  await node.ask('PUT', '/speed-1', { settings: { number_of_shards: 2, number_of_replicas: 0 } })
  const start = Date.now() - 3_600_000
  await index('speed-1', 0, SPEED_DOCUMENTS, (i) => start + i)
  const service = await spawnService({ privateHosts: ['127.0.0.1'] })
  afterwards(context, () => service.close())
  const parameters = { index_pattern: 'speed-*', preserve_id: true, batch_size: 5_000, lookback_seconds: 0 }
  const begun = performance.now()
  const answer = await service.client.post('/api/v2/resources', {
    search: {
      type: 'integration',
      properties: { title: 'OpenSearch', integration_type: 'Search engine', parameters: connection() },
    },
    job: {
      type: 'job',
      properties: {
        title: 'Speed',
        decision_points: ['rule.id'],
        pipeline_integrations: [{ resource: 'search', integration_type: 'input', parameters }],
      },
    },
  })
  const jobId = answer.body.created.find((one: any) => one.type === 'job').internal_id
  await eventually(
    () => events(service.client, jobId),
    (count) => count === SPEED_DOCUMENTS,
    120_000,
  )
  const perSecond = Math.round(SPEED_DOCUMENTS / ((performance.now() - begun) / 1_000))
  console.log(`search engine input: ${perSecond} documents of 1 KB a second`)
})

test(
  'clocks ahead, indexes that cannot be read and small pages lose no document of the others',
  options,
  async (context) => {
    const day = 86_400_000
    const lines = (name: string, documents: readonly object[]): string =>
      documents
        .map((one: any) => `${JSON.stringify({ index: { _index: name, _id: one.id } })}\n${JSON.stringify(one)}\n`)
        .join('')
    const put = async (name: string, documents: readonly object[]): Promise<void> => {
      assert.equal((await node.ask('POST', '/_bulk?refresh=true', lines(name, documents))).errors, false)
    }
    const dated = (id: string, aheadMs: number, more: object = {}): object => ({
      id,
      '@timestamp': new Date(Date.now() + aheadMs).toISOString(),
      ...more,
    })
    const date = { type: 'date' }
    const mapped = (properties: object, more: object = {}): object => ({ mappings: { properties, ...more } })
    await node.ask('PUT', '/odd-empty', { settings: { number_of_shards: 1 } })
    await node.ask('PUT', '/odd-text', mapped({ '@timestamp': { type: 'keyword' } }))
    await node.ask('PUT', '/odd-bare', mapped({ '@timestamp': date }, { _source: { enabled: false } }))
    await node.ask('PUT', '/odd-nanos', mapped({ '@timestamp': { type: 'date_nanos' } }))
    await node.ask('PUT', '/odd-small', { ...mapped({ '@timestamp': date }), settings: { max_result_window: 700 } })
    await node.ask('PUT', '/odd-usual', mapped({ '@timestamp': date, event: { properties: { ingested: date } } }))
    await put('odd-text', [dated('text', -1_000)])
    await put('odd-bare', [dated('bare', -1_000), dated('bare too', -900)])
    await put('odd-nanos', [{ id: 'nanos', '@timestamp': '2026-03-01T10:00:00.123456789Z' }])
    await put(
      'odd-small',
      Array.from({ length: 2_000 }, (_, i) => dated(`s${i}`, -60_000 + (i % 50))),
    )
    await put('odd-usual', [dated('of 2032', 6 * 365 * day), dated('fast', 150_000), dated('right', -2_000)])
    const service = await spawnService({ privateHosts: ['127.0.0.1'] })
    afterwards(context, () => service.close())
    const parameters = { index_pattern: 'odd-*', preserve_id: true, batch_size: 10_000 }
    const answer = await service.client.post('/api/v2/resources', {
      search: {
        type: 'integration',
        properties: { title: 'OpenSearch', integration_type: 'Search engine', parameters: connection() },
      },
      job: {
        type: 'job',
        properties: {
          title: 'Odd',
          decision_points: ['id'],
          pipeline_integrations: [{ resource: 'search', integration_type: 'input', parameters }],
        },
      },
    })
    const jobId = answer.body.created.find((one: any) => one.type === 'job').internal_id
    const taken = (): Promise<number> => events(service.client, jobId)
    const input = async (): Promise<any> => (await service.client.get('/api/v2/integrations/inputs')).body[0]
    await eventually(taken, (count) => count === 2_004, 60_000)
    const { reason, status, read_through: through, behind_seconds: behind } = await input()
    assert.equal(status, 'running')
    assert.match(reason, /no field @timestamp: odd-empty; .*is no date: odd-text; .*_source is disabled\): odd-bare/)
    assert.ok(behind <= 5 && Math.abs(Date.parse(through) - Date.now()) < 60_000)
    for (let minute = 1; minute <= 3; minute++) {
      await put('odd-usual', [dated(`fast ${minute}`, 150_000), dated(`right ${minute}`, -1_000)])
      await eventually(taken, (count) => count === 2_004 + 2 * minute, 30_000)
    }
    const ingested = new Date().toISOString()
    await put('odd-usual', [dated('late', -3 * day, { event: { ingested } }), dated('late and unknown', -3 * day)])
    await eventually(taken, (count) => count === 2_011, 30_000)
    const warnings = (await service.client.get(`/api/v1/jobs/${jobId}`)).body.warnings as any[]
    assert.deepEqual(
      warnings
        .filter(({ type }) => type === 'skipped_index')
        .map(({ loc }) => loc.at(-1))
        .sort(),
      ['odd-bare', 'odd-empty', 'odd-text'],
    )
  },
)

test('25,000 documents are read in pages of 10,000', options, async (context) => {
  await node.ask('PUT', '/pages-1', { settings: { number_of_shards: 2, number_of_replicas: 0 } })
  const start = Date.now() - 3_600_000
  await index('pages-1', 0, 25_000, (i) => start + Math.floor(i / 300))
  const service = await spawnService({ privateHosts: ['127.0.0.1'] })
  afterwards(context, () => service.close())
  const answer = await service.client.post('/api/v2/resources', {
    search: {
      type: 'integration',
      properties: { title: 'OpenSearch', integration_type: 'Search engine', parameters: connection() },
    },
    job: {
      type: 'job',
      properties: {
        title: 'Pages',
        decision_points: ['rule.id'],
        pipeline_integrations: [
          {
            resource: 'search',
            integration_type: 'input',
            parameters: { index_pattern: 'pages-*', preserve_id: true, batch_size: 10_000 },
          },
        ],
      },
    },
  })
  const jobId = answer.body.created.find((one: any) => one.type === 'job').internal_id
  await eventually(
    () => events(service.client, jobId),
    (count) => count === 25_000,
    60_000,
  )
})

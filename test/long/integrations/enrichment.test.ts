/** Enrichment from a real OpenSearch node: fields of every sort, many at once, missing indexes, wrong queries. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { QueryRefused, type OpenedParameters } from '../../../engine/integration/contract.js'
import { SearchEnrichment } from '../../../engine/integration/search-engine/search-enrichment.js'
import { eventually, inputResources } from '../../support/client.js'
import { never, toolsFor } from '../../support/outgoing.js'
import { startService } from '../../support/service.js'
import { counterpart, skipUnless } from './counterparts.js'
import { openSearchJars, startOpenSearch, type OpenSearchNode } from './opensearch-node.js'

const ASSETS = 1_000
const EVENTS = 3_000

const jars = counterpart('OpenSearch', openSearchJars)
const options = { skip: skipUnless(jars, 'OpenSearch') }

let node: OpenSearchNode

before(async () => {
  if (jars === null) return
  node = await startOpenSearch(jars)
  const properties = {
    ip: { type: 'ip' },
    name: { type: 'text', fields: { keyword: { type: 'keyword' } } },
    port: { type: 'integer' },
    seen: { type: 'date' },
    owner: { properties: { team: { type: 'keyword' } } },
  }
  await node.ask('PUT', '/assets-1', {
    settings: { number_of_shards: 2, number_of_replicas: 0 },
    mappings: { properties },
  })
  let lines = ''
  for (let i = 0; i < ASSETS; i++) {
    const asset = {
      ip: `10.0.${i >> 8}.${i & 255}`,
      name: `Host ${i}`,
      port: i,
      owner: { team: `team ${i % 7}` },
      tags: ['a', `t${i % 3}`],
      seen: new Date(1_700_000_000_000 + i).toISOString(),
    }
    lines += `${JSON.stringify({ index: { _index: 'assets-1', _id: `a${i}` } })}\n${JSON.stringify(asset)}\n`
  }
  assert.equal((await node.ask('POST', '/_bulk?refresh=true', lines)).errors, false)
})
after(() => node?.close())

const connection = (): OpenedParameters => ({
  hosts: '127.0.0.1',
  port: node.port,
  user: '',
  password: '',
  schema: 'http',
  timeout_seconds: 10,
})

async function find(parameters: OpenedParameters, values: readonly unknown[]): Promise<any[]> {
  const enrichment = new SearchEnrichment(
    connection(),
    { index_pattern: 'assets-*', event_field: 'value', ...parameters },
    toolsFor(),
  )
  try {
    const known = await enrichment.find(
      values.map((value) => enrichment.subjectOf({ value }) as string),
      never,
    )
    return known.map((one) => (one instanceof QueryRefused ? one : JSON.parse(JSON.stringify(one))))
  } finally {
    await enrichment.close()
  }
}

test('addresses, keywords and numbers are found, and what does not exist is not', options, async () => {
  const fields = 'owner.team,port'
  assert.deepEqual(await find({ document_field: 'ip', fields }, ['10.0.0.7', '10.9.9.9', ['10.0.0.8', '10.9.9.9']]), [
    { owner: { team: 'team 0' }, port: 7, count: 1 },
    null,
    { owner: { team: 'team 1' }, port: 8, count: 1 },
  ])
  assert.deepEqual(await find({ document_field: 'name.keyword', fields }, ['Host 12', 'host 12', '"}]} OR *']), [
    { owner: { team: 'team 5' }, port: 12, count: 1 },
    null,
    null,
  ])
  assert.deepEqual(await find({ document_field: 'port', fields: 'name' }, [41, '42']), [
    { name: 'Host 41', count: 1 },
    { name: 'Host 42', count: 1 },
  ])
  const [newest] = await find(
    { document_field: 'owner.team', fields: 'port,tags', size: 3, newest_by: 'seen', filter: 'port:<500' },
    ['team 1'],
  )
  assert.deepEqual([newest.count, newest.port, newest.tags.sort()], [3, [498, 491, 484], ['a', 't0', 't1', 't2']])
})

test('a missing index has no results; a wrong query fails with the reason, and no other fails', options, async () => {
  assert.deepEqual(await find({ index_pattern: 'nothing-*,none', document_field: 'ip' }, ['10.0.0.7']), [null])
  const [wrong, right] = await find({ document_field: 'ip', fields: 'port' }, ['no address', '10.0.0.7'])
  assert.ok(wrong instanceof QueryRefused && /no address/.test(wrong.reason), JSON.stringify(wrong))
  assert.deepEqual(right, { port: 7, count: 1 })
  const [unread] = await find({ document_field: 'ip', filter: 'ip:(' }, ['10.0.0.7'])
  assert.ok(unread instanceof QueryRefused && unread.reason !== '')
})

test('thousands of events are enriched and decided', options, async () => {
  const service = await startService({ privateHosts: ['127.0.0.1'] })
  const { client } = service
  const parameters = {
    index_pattern: 'assets-*',
    event_field: 'source.ip',
    document_field: 'ip',
    fields: 'owner.team',
    time_limit_seconds: 30,
  }
  const answer = await client.post('/api/v2/resources', {
    ...inputResources('sender'),
    assets: {
      type: 'integration',
      properties: { title: 'Assets', integration_type: 'Search engine', parameters: connection() },
    },
    job: {
      type: 'job',
      properties: {
        title: 'job',
        decision_points: ['rule', 'enrichment.assets.owner.team'],
        pipeline_integrations: [
          { resource: 'input', integration_type: 'input', enabled: true },
          { resource: 'assets', integration_type: 'enrichment', enabled: true, parameters },
        ],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  const jobId = answer.body.created.find((one: any) => one.type === 'job').internal_id
  const lines = Array.from({ length: EVENTS }, (_, i) =>
    JSON.stringify({
      job_id: jobId,
      raw_body: { rule: 'r', i, source: { ip: `10.0.${(i % ASSETS) >> 8}.${(i % ASSETS) & 255}` } },
    }),
  )
  await client.bulk(lines.join('\n'))
  const count = async (filter: object): Promise<number> =>
    (await client.post('/api/v2/events/query', { job_ids: [jobId], size: 0, filters: [filter] })).body.total_count
  await eventually(
    () => count({ field: 'service.inference_status', operator: 'is', value: 'OK' }),
    (decided) => decided === EVENTS,
    60_000,
  )
  assert.equal(await count({ field: 'enrichment.assets.owner.team', operator: 'exists' }), EVENTS)
  assert.equal(
    await count({ field: 'enrichment.assets.owner.team', operator: 'is', value: 'team 3' }),
    (EVENTS / ASSETS) * Math.floor((ASSETS + 3) / 7),
  )
  await service.close()
})

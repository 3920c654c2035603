/** Threat intelligence against medallion, the TAXII 2.1 server of OASIS. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TaxiiClient } from '../../../engine/integration/taxii/taxii-client.js'
import { eventually, inputResources, type Client } from '../../support/client.js'
import { never, toolsFor } from '../../support/outgoing.js'
import { startService, type TestService } from '../../support/service.js'
import { counterpart, skipUnless } from './counterparts.js'
import { COLLECTION, medallionPackages, startMedallion, type Medallion } from './medallion.js'

const INDICATORS = 250

const packages = counterpart('medallion', medallionPackages)
const options = { skip: skipUnless(packages, 'medallion') }

let medallion: Medallion
let service: TestService
let client: Client
let made = 0

function indicator(pattern: string, more: object = {}): object {
  const id = `indicator--${String(++made).padStart(8, '0')}-0000-4000-8000-000000000000`
  const at = '2026-01-01T00:00:00.000Z'
  return {
    type: 'indicator',
    spec_version: '2.1',
    id,
    created: at,
    modified: at,
    valid_from: at,
    pattern_type: 'stix',
    name: `made ${made}`,
    pattern,
    ...more,
  }
}

before(async () => {
  if (packages === null) return
  medallion = await startMedallion(packages)
  await medallion.add(
    Array.from({ length: INDICATORS }, (_, i) =>
      indicator(`[ipv4-addr:value = '198.51.100.${i}']`, { confidence: i % 100, labels: [`label ${i}`] }),
    ),
  )
  await medallion.add([
    indicator("[domain-name:value = 'gone.example']", { valid_until: '2026-01-02T00:00:00.000Z' }),
    indicator("[process:name = 'not understood']"),
    {
      type: 'identity',
      spec_version: '2.1',
      id: 'identity--00000000-0000-4000-8000-000000000001',
      created: '2026-01-01T00:00:00.000Z',
      modified: '2026-01-01T00:00:00.000Z',
      name: 'somebody',
    },
  ])
  service = await startService({ privateHosts: ['127.0.0.1'] })
  client = service.client
})
after(async () => {
  await service?.close()
  await medallion?.close()
})

test('every indicator is read, in pages, once; later only new ones', options, async () => {
  const reader = new TaxiiClient(medallion.connection, toolsFor())
  const [collection] = await reader.collections([COLLECTION], never)
  assert.deepEqual(
    (await reader.collections(['Indicators of the tests'], never)).map(({ title }) => title),
    ['Indicators of the tests'],
  )
  const ids: string[] = []
  let pages = 0
  const take = ({ objects }: { objects: readonly unknown[] }): void => {
    pages++
    ids.push(...objects.map((object) => (object as { id: string }).id))
  }
  const last = await reader.read(collection!, '', take, never)
  assert.ok(pages >= 3 && last !== '')
  assert.deepEqual([ids.length, new Set(ids).size], [INDICATORS + 2, INDICATORS + 2])
  ids.length = 0
  await reader.read(collection!, last, take, never)
  assert.deepEqual(ids, [])
  await medallion.add([indicator("[domain-name:value = 'added.example']")])
  await reader.read(collection!, last, take, never)
  assert.equal(ids.length, 1)
  reader.close()
  const locked = new TaxiiClient({ ...medallion.connection, password: 'wrong' }, toolsFor())
  await assert.rejects(locked.collections([], never), /HTTP 401/)
  locked.close()
})

test('events are decided by the indicators that match them, later indicators too', options, async () => {
  const answer = await client.post('/api/v2/resources', {
    ...inputResources('sender'),
    intel: {
      type: 'integration',
      properties: { title: 'Intel', integration_type: 'Threat intelligence (TAXII)', parameters: medallion.connection },
    },
    job: {
      type: 'job',
      properties: {
        title: 'job',
        decision_points: ['rule', 'enrichment.intel.matched'],
        pipeline_integrations: [
          { resource: 'input', integration_type: 'input', enabled: true },
          {
            resource: 'intel',
            integration_type: 'enrichment',
            enabled: true,
            parameters: { poll_seconds: 10, time_limit_seconds: 20 },
          },
        ],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  const jobId = answer.body.created.find((one: any) => one.type === 'job').internal_id
  let posted = 0
  const enriched = async (rawBody: object): Promise<any> => {
    const id = `e${++posted}`
    assert.equal(
      (await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule: 'r', ...rawBody } })).status,
      201,
    )
    const { body } = await eventually(
      () => client.get(`/api/v1/events/${jobId}/${id}/export`),
      ({ body: { status } }) => status === 'OK',
      30_000,
    )
    return body.service_event.enrichment.intel
  }
  const hit = await enriched({ source: { ip: '198.51.100.42' } })
  assert.deepEqual([hit.found, hit.matched, hit.count, hit.confidence, hit.labels], [true, true, 1, 42, ['label 42']])
  assert.deepEqual(await enriched({ source: { ip: '192.0.2.1' } }), { found: false })
  assert.deepEqual(await enriched({ dns: { question: { name: 'gone.example' } } }), { found: false })
  const [step] = (await client.get('/api/v2/integrations/enrichments')).body
  assert.match(step.summary, /25\d indicators; 1 with unsupported patterns/)
  await medallion.add([indicator("[url:value = 'http://later.example/x']")])
  await eventually(
    () => enriched({ url: { full: 'http://later.example/x' } }),
    ({ found }) => found,
    60_000,
  )
})

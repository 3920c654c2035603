/**
 * Root cause analysis over a real port: set up with parameters, alerts of services that call each other, clusters,
 * feedback.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { verifyDataDir } from '../../engine/index.js'
import { eventually, makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

const dataDir = mkdtempSync(join(tmpdir(), 'root-cause-'))
let service: TestService
let client: Client

before(async () => {
  service = await startService({ dataDir })
  client = service.client
})
after(() => rmSync(dataDir, { recursive: true }))

const category = 'Automated root cause analysis'

async function causeJob(
  parameters: Record<string, unknown> = {},
  advancedSettings: Record<string, unknown> = {},
): Promise<number> {
  const steps =
    Object.keys(parameters).length === 0
      ? {}
      : {
          pipeline_integrations: [
            { resource: 'Clustering processor', integration_type: 'processor', enabled: true, parameters },
          ],
        }
  const properties = { category, decision_points: [], advanced_settings: advancedSettings, ...steps }
  return (await makeJob(client, properties)).jobId
}

async function send(
  jobId: number,
  id: string,
  seconds: number,
  { name, callees = [], type }: { readonly name: string; readonly callees?: readonly string[]; readonly type: string },
): Promise<void> {
  const time = new Date(Date.now() - 3_600_000 + seconds * 1000).toISOString()
  const rawBody = { '@timestamp': time, service: { name, callees }, alert: { type } }
  const answer = await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: rawBody })
  assert.equal(answer.status, 201, answer.text)
}

test('alerts of services that call each other are one cluster; its tree begins with the cause', async () => {
  const jobId = await causeJob({}, { decide_untrained: true })
  await send(jobId, 'db', 0, { name: 'db', type: 'disk full' })
  await send(jobId, 'api', 4, { name: 'api', callees: ['db'], type: 'latency' })
  await send(jobId, 'web', 9, { name: 'web', callees: ['api'], type: 'errors' })
  await send(jobId, 'mail', 10, { name: 'mail', type: 'queue' })
  const listed = await client.get(`/api/v2/jobs/${jobId}/clusters?min_size=2`)
  assert.deepEqual([listed.body.clusters.length, listed.body.total], [1, 2], listed.text)
  const behind = new Date(Date.parse(listed.body.clusters[0].last_time) + 500).toISOString()
  const sizes = async (query: string): Promise<number[]> => {
    return (await client.get(`/api/v2/jobs/${jobId}/clusters?${query}`)).body.clusters.map(
      ({ size }: { size: number }) => size,
    )
  }
  assert.deepEqual([await sizes(`start_date=${behind}`), await sizes(`end_date=${behind}`)], [[1], [3]])
  assert.equal((await client.get(`/api/v2/jobs/${jobId}/clusters?start_date=soon`)).status, 422)
  const [cluster] = listed.body.clusters
  assert.deepEqual([cluster.size, cluster.state, cluster.root_causes[0].event_id], [3, 'open', 'db'])
  const tree = await client.get(`/api/v2/jobs/${jobId}/clusters/${cluster.cluster_id}`)
  const [root] = tree.body.members
  assert.deepEqual([root.event_id, root.members[0].event_id, root.members[0].members[0].event_id], ['db', 'api', 'web'])
  assert.deepEqual([root.result_label, root.members[0].result_label], ['Root cause', 'Symptom'])
  assert.equal(root.members[0].follows_from.side, 'later_lists_earlier')
  const { body } = await client.get(`/api/v1/events/${jobId}/db/export`)
  const place = body.service_event.service.cluster
  assert.deepEqual([place.cluster_id, place.follows_from, place.followers], [cluster.cluster_id, null, 1])
  assert.deepEqual(
    place.decisions.map((each: { result_label: string }) => each.result_label),
    ['Irrelevant', 'Root cause'],
  )
})

test('an untrained job decides nothing, but suggests labels in clusters and exports', async () => {
  const labels = ['Symptom', 'Root cause', 'Irrelevant'].map((name) => ({ name }))
  const jobId = await causeJob({}, { custom_labels: labels })
  await send(jobId, 'db', 0, { name: 'db', type: 'disk full' })
  await send(jobId, 'api', 4, { name: 'api', callees: ['db'], type: 'latency' })
  const { body: event } = await client.get(`/api/v1/events/${jobId}/db`)
  assert.deepEqual([event.status, event.result, event.result_label, event.confidence_score], ['OK', '', '', 0])
  const { body: exported } = await client.get(`/api/v1/events/${jobId}/db/export`)
  const { suggestion } = exported.service_event.service
  const { confidence_score: confidence, ...named } = suggestion
  assert.deepEqual(named, { result: 'label_1', result_label: 'Root cause', source: 'untrained' })
  assert.ok(confidence > 0 && confidence < 60, String(confidence))
  const listed = await client.get(`/api/v2/jobs/${jobId}/clusters?min_size=2`)
  const tree = await client.get(`/api/v2/jobs/${jobId}/clusters/${listed.body.clusters[0].cluster_id}`)
  const [root] = tree.body.members
  assert.deepEqual([root.result, root.suggestion], ['', suggestion])
  assert.equal(root.members[0].suggestion.result_label, 'Symptom')
  const wrong = await client.post('/api/v2/resources', {
    resources: {
      job: { type: 'job', properties: { title: 'x', category, advanced_settings: { decide_untrained: 'maybe' } } },
    },
  })
  assert.equal(wrong.status, 422, wrong.text)
})

test('the parameters of the processors are kept, shown and checked', async () => {
  const jobId = await causeJob({ equal_fields: ['site'], gap_s: 30, linkage: 'window' })
  const shown = await client.get(`/api/v2/resources?resource_type=job&id=${jobId}`)
  assert.match(shown.text, /"equal_fields":\["site"\]/)
  assert.match(shown.text, /"gap_s":30/)
  for (const parameters of [{ gap_s: 0 }, { equal_fields: 'site' }, { equal_fields: [1] }, { linkage: 'all' }]) {
    const refused = await client.post('/api/v2/resources', {
      resources: {
        job: {
          type: 'job',
          properties: {
            title: 'refused',
            category,
            decision_points: [],
            pipeline_integrations: [
              { resource: 'Clustering processor', integration_type: 'processor', enabled: true, parameters },
            ],
          },
        },
      },
    })
    assert.equal(refused.status, 422, refused.text)
  }
  const schema = await client.get(
    '/api/v2/resources/integration/parameters/schema?type=Clustering%20processor&role=processor',
  )
  assert.equal(schema.body.properties['Clustering processor'].properties.equal_fields.type, 'array')
})

test('feedback and a training make decisions confident; a bulk is decided the same', async () => {
  const jobId = await causeJob()
  for (let i = 0; i < 8; i++) {
    await send(jobId, `r${i}`, i * 60, { name: 'db', type: 'disk full' })
    await send(jobId, `s${i}`, i * 60 + 5, { name: 'api', callees: ['db'], type: 'latency' })
    await client.put(`/api/v1/events/${jobId}/r${i}/feedback`, { feedback: 'Root cause' })
    await client.put(`/api/v1/events/${jobId}/s${i}/feedback`, { feedback: 'Symptom' })
  }
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`, { username: 'ann' })).status, 200)
  const job = await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state.startsWith('RETRAIN_'),
    30_000,
  )
  assert.equal(job.body.retrain_state, 'RETRAIN_FINISHED', job.body.retrain_msg)
  await send(jobId, 'r', 3_000, { name: 'db', type: 'disk full' })
  await send(jobId, 's', 3_005, { name: 'api', callees: ['db'], type: 'latency' })
  const { body } = await client.get(`/api/v1/events/${jobId}/s`)
  assert.equal(body.result_label, 'Symptom')
  assert.ok(body.confidence_score > 60, String(body.confidence_score))
  const [line] = await client.bulk(
    JSON.stringify({ job_id: jobId, raw_body: { service: { name: 'web', callees: [] }, alert: { type: 'x' } } }),
  )
  assert.equal(line.status, 'OK')
})

test('every record, index, counter and model is consistent afterwards', async () => {
  await service.close()
  assert.deepEqual((await verifyDataDir(dataDir)).problems, [])
})

/** Webhooks of Prometheus Alertmanager over a port. The bodies follow its documentation (webhook_config, version 4). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeJob, type Client, type JobSetup } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let job: JobSetup
let path: string

before(async () => {
  service = await startService()
  job = await makeJob(service.client)
  client = service.client.withKey(job.key)
  path = `/api/v1/alertmanager/${job.jobId}`
})
after(() => service.close())

const startsAt = '2026-01-05T06:00:00.123456789Z'
const id = `c1d2e3f405162738-${Date.parse(startsAt)}`

function alert(more: object = {}): object {
  return {
    status: 'firing',
    labels: { alertname: 'DiskFull', severity: 'critical', instance: 'a:9100' },
    annotations: { summary: 'The disk is full.' },
    startsAt,
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus/graph',
    fingerprint: 'c1d2e3f405162738',
    ...more,
  }
}

function webhook(...alerts: object[]): object {
  return {
    version: '4',
    groupKey: '{}:{alertname="DiskFull"}',
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'decisions',
    groupLabels: {},
    commonLabels: {},
    commonAnnotations: {},
    externalURL: 'http://alertmanager:9093',
    alerts,
  }
}

const count = async (): Promise<number> =>
  (await service.client.get(`/api/v1/jobs/${job.jobId}`)).body.processed_documents_count
const exported = async (): Promise<any> =>
  (await service.client.get(`/api/v1/events/${job.jobId}/${id}/export`)).body.service_event

test('each alert is an event, with its fields at top level', async () => {
  const answer = await client.post(path, webhook(alert(), alert({ fingerprint: 'ff', labels: { alertname: 'Other' } })))
  assert.deepEqual([answer.status, answer.body], [200, { status: 'ok' }])
  assert.equal(await count(), 2)
  const event = await exported()
  assert.equal(event.labels.alertname, 'DiskFull')
  assert.deepEqual(
    [event.status, event.receiver, event.externalURL],
    ['firing', 'decisions', 'http://alertmanager:9093'],
  )
})

test('an alert sent again is the same event; a resolved alert is a new version of it', async () => {
  assert.equal((await client.post(path, webhook(alert()))).status, 200)
  assert.equal(await count(), 2)
  assert.equal(
    (await client.post(path, webhook(alert({ status: 'resolved', endsAt: '2026-01-05T06:10:00Z' })))).status,
    200,
  )
  assert.equal(await count(), 2)
  assert.equal((await exported()).status, 'resolved')
})

test('a body without alerts is refused with its place, and nothing of it is stored', async () => {
  for (const body of [{}, { alerts: 7 }, { alerts: null }, []]) {
    const answer = await client.post(path, body)
    assert.equal(answer.status, Array.isArray(body) ? 200 : 422, answer.text)
    if (answer.status === 422) assert.match(answer.text, /alerts: Field required/)
  }
  assert.equal((await client.post(path, 'no alert')).status, 422)
  assert.equal((await client.post(path, '{"alerts": [')).status, 400)
  assert.equal(await count(), 2)
})

/** The monitoring API over a real port: the parts of the service, restarts under load, the log as ZIP. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { eventually, makeJob } from '../support/client.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../support/service.js'

const base = '/api/monitoring/api/v1'
let service: TestService

before(async () => {
  service = await startService({ shards: 2, threads: 2 })
})
after(() => service.close())

interface View {
  component_type: string
  container_id: string
  health: string
  restarts: number
  restartable: boolean
  started_at: string
  status: string
  log_level: string
}

async function containers(): Promise<View[]> {
  return (await service.client.get(`${base}/containers/all`)).body.containers
}

/** The files of an archive, by name. */
function unzip(bytes: Buffer): Map<string, string> {
  const files = new Map<string, string>()
  let at = bytes.readUInt32LE(bytes.length - 6)
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const [size, nameLength, extra, comment, local] = [
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
      bytes.readUInt32LE(at + 42),
    ]
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    files.set(name, inflateRawSync(bytes.subarray(from, from + size)).toString())
    at += 46 + nameLength + extra + comment
  }
  return files
}

async function download(path: string): Promise<Map<string, string>> {
  const answer = await fetch(`${service.baseUrl}${base}/${path}`, { headers: { 'x-service-api-key': MANAGEMENT_KEY } })
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-disposition') ?? '', /filename="[\w.-]+\.zip"/)
  return unzip(Buffer.from(await answer.arrayBuffer()))
}

const parts = ['api/main', 'store/catalog', 'store/shard-1', 'monitor/process']

test('every container is listed, and they are healthy; parts that are none are known by name', async () => {
  const all = await containers()
  assert.deepEqual(
    all.map((each) => `${each.component_type}/${each.container_id}`),
    ['actor/0', 'actor/1', 'trainer/main', 'query/main', 'integration/main', 'monitor/main'],
  )
  assert.ok(all.every(({ restartable }) => restartable))
  for (const part of parts) {
    const { status, body } = await service.client.get(`${base}/containers/info/${part}`)
    assert.deepEqual([status, body.health], [200, 'healthy'], part)
  }
  assert.deepEqual(
    all.filter(({ health }) => health === 'unhealthy'),
    [],
  )
})

test('the health of each is checked in the container itself', async () => {
  for (const { component_type: component, container_id: id } of await containers()) {
    const { status, body } = await service.client.post(`${base}/containers/healthcheck/${component}/${id}`)
    assert.equal(status, 200)
    assert.notEqual(body.health, 'unhealthy', `${component}/${id}: ${body.reason}`)
  }
})

test('restarts under load lose nothing, and refuse nothing', async () => {
  const { jobId } = await makeJob(service.client)
  const restarted = new Map<string, number>()
  let done = false
  const restarting = (async () => {
    // While events arrive, but with an end: each one starts a thread.
    for (let round = 0; round < 6 || (!done && round < 11); round++) {
      const name = ['actor/0', 'actor/1', 'query/main', 'trainer/main', 'integration/main'][round % 5] as string
      const answer = await service.client.post(`${base}/containers/restart/${name}`)
      assert.equal(answer.status, 200, answer.text)
      restarted.set(name, (restarted.get(name) ?? 0) + 1)
    }
    const all = await service.client.post(`${base}/containers/restart/all`)
    assert.ok(
      all.body.containers.every(({ restarted: worked }: { restarted: boolean }) => worked),
      all.text,
    )
  })()
  const ids = Array.from({ length: 400 }, (_, at) => `event-${at}`)
  for (let at = 0; at < ids.length; at += 50) {
    await Promise.all(
      ids.slice(at, at + 50).map(async (id) => {
        const answer = await service.client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule: id } })
        assert.equal(answer.status, 201, answer.text)
      }),
    )
  }
  done = true
  await restarting
  for (const id of ids) assert.equal((await service.client.get(`/api/v1/events/${jobId}/${id}`)).status, 200, id)
  const view = (await containers()).find((each) => each.component_type === 'actor' && each.container_id === '0')
  assert.equal(view?.restarts, (restarted.get('actor/0') ?? 0) + 1)
  assert.equal(view?.health, 'healthy')
})

test('a restart of all restarts each that is listed and says so; each has a start of its own', async () => {
  const before = await containers()
  const { body } = await service.client.post(`${base}/containers/restart/all`)
  const nameOf = ({ component_type, container_id }: View): string => `${component_type}/${container_id}`
  assert.deepEqual(body.containers.map(nameOf), before.map(nameOf))
  assert.ok(body.containers.every((one: { restarted: boolean; reason: string }) => one.restarted && one.reason === ''))
  const after = await containers()
  for (const [at, now] of after.entries()) {
    const then = before[at] as View
    assert.ok(now.started_at > then.started_at, `${nameOf(now)} ${then.started_at} ${now.started_at}`)
    assert.equal(now.restarts, then.restarts + 1)
  }
  assert.equal(new Set(after.map(({ started_at: at }) => at)).size, after.length)
})

test('a restart of the monitoring shows in its container; other parts cannot be restarted', async () => {
  const info = async (): Promise<View> => (await service.client.get(`${base}/containers/info/monitor/main`)).body
  const before = await info()
  assert.equal((await service.client.post(`${base}/restart`)).status, 200)
  const after = await info()
  assert.equal(after.restarts, before.restarts + 1)
  assert.ok(after.started_at > before.started_at)
  for (const part of parts) {
    assert.equal((await service.client.post(`${base}/containers/restart/${part}`)).status, 409, part)
  }
})

test('restarts and log levels are in the audit log', async () => {
  await service.client.post(`${base}/containers/restart/actor/1`)
  await service.client.post(`${base}/containers/loglevel/actor/1`, { log_level: 'warn' })
  await service.client.post(`${base}/loglevel`, { log_level: 'info' })
  await service.client.post(`${base}/restart`)
  const { body } = await service.client.get(`${base}/audit/logs?object_type=container&size=4&sort_order=desc`)
  assert.deepEqual(
    body.audit_logs.map((one: { action: string; object_id: string }) => [one.action, one.object_id]),
    [
      ['restarted', 'monitor/main'],
      ['log level changed', 'monitor/main'],
      ['log level changed', 'actor/1'],
      ['restarted', 'actor/1'],
    ],
  )
  const [, , level] = body.audit_logs
  assert.deepEqual(level.changes, { log_level: { before: 'info', after: 'warn' } })
  assert.ok(level.user.length > 0)
})

test('a restarted thread knows jobs, buckets and votes as before', async () => {
  const { jobId } = await makeJob(service.client)
  await service.client.post('/api/v1/events/one', { job_id: jobId, raw_body: { rule: 'known' } })
  await service.client.put(`/api/v1/events/${jobId}/one/feedback`, { feedback: 'Escalate' })
  await service.client.post(`${base}/containers/restart/all`)
  const answer = await service.client.post('/api/v1/events/two', { job_id: jobId, raw_body: { rule: 'known' } })
  assert.equal(answer.status, 201, answer.text)
  const event = await service.client.get(`/api/v1/events/${jobId}/two`)
  assert.equal(event.body.bucket_state, 'pending', event.text)
})

test('the latest actions are listed by kind', async () => {
  const { body } = await service.client.get(`${base}/batches/latest?type=turn&size=5`)
  assert.ok(body.batches.length > 0)
  for (const { type, component_type: component, items, status } of body.batches) {
    assert.deepEqual([type, component, status], ['turn', 'actor', 'finished'])
    assert.ok(items >= 1)
  }
})

test('the level of one container changes, and of no other', async () => {
  assert.equal(
    (await service.client.post(`${base}/containers/loglevel/query/main`, { log_level: 'debug' })).status,
    200,
  )
  const levels = Object.fromEntries((await containers()).map((each) => [each.component_type, each.log_level]))
  assert.equal(levels.query, 'debug')
  assert.equal(levels.trainer, 'info')
  const wrong = await service.client.post(`${base}/containers/loglevel/query/main`, { log_level: 'loud' })
  assert.equal(wrong.status, 422)
})

test('the log of one container has its lines only; that of all has every file', async () => {
  const one = await download('logs/export-zip/actor/0')
  const lines = (one.get('actor-0.log') ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>)
  assert.ok(lines.some(({ msg }) => msg === 'restarting'))
  assert.ok(lines.every(({ component, container }) => component === 'actor' && container === '0'))
  const all = await download('logs/export-all')
  assert.ok((all.get('service.log') ?? '').includes('"component":"monitor"'))
})

test('the export of objects has jobs in full and no secret', async () => {
  const { body, text } = await service.client.get(`${base}/objects/export`)
  assert.ok(
    body.resources.some((each: Record<string, { properties?: { decision_points?: unknown } }>) => {
      return Object.values(each).some((value) => value?.properties?.decision_points !== undefined)
    }),
    text.slice(0, 500),
  )
  assert.ok(!text.includes(MANAGEMENT_KEY))
})

test('a service that was restarted as a whole continues its monitoring', async () => {
  assert.equal((await service.client.post(`${base}/restart`)).status, 200)
  await eventually(
    () => service.client.get(`${base}/health/check`),
    ({ body }) => body.status === 'OK',
  )
})

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

test('every component has its containers, and they are healthy', async () => {
  const all = await containers()
  const names = all.map((each) => `${each.component_type}/${each.container_id}`)
  for (const name of [
    'api/main',
    'actor/0',
    'actor/1',
    'trainer/main',
    'query/main',
    'integration/main',
    'store/catalog',
    'store/shard-1',
    'monitor/process',
  ]) {
    assert.ok(names.includes(name), `${name} of ${names.join(' ')}`)
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

/** Named views, assignments, presence and notes over HTTP. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeJob, type Client } from '../../support/client.js'
import { ADMIN_PASSWORD, startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let ann: Client
let jobId: number

before(async () => {
  service = await startService()
  client = service.client
  const token = await client.post('/api/v2/token', { username: 'admin', password: ADMIN_PASSWORD }, { key: null })
  ann = client.withKey(token.body.api_token)
  jobId = (await makeJob(client)).jobId
  await client.post('/api/v1/events/e1', { job_id: jobId, raw_body: { rule: 'a' } })
  await client.post('/api/v1/events/e2', { job_id: jobId, raw_body: { rule: 'b' } })
})
after(() => service.close())

const names = async (of: Client): Promise<string[]> =>
  (await of.get('/api/v2/views')).body.views.map(({ name }: any) => name)

test("a view is its owner's, shared or not, and only the owner changes it", async () => {
  const made = await ann.post('/api/v2/views', { name: 'Mine', query: { filters: [], job_id: jobId } })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual([made.body.own, made.body.shared, made.body.owner], [true, false, 'admin'])
  await ann.post('/api/v2/views', { name: 'For all', shared: true, query: {} })
  assert.deepEqual(await names(ann), ['For all', 'Mine'])
  assert.deepEqual(await names(client), ['For all'])
  const path = `/api/v2/views/${made.body.view_id}`
  assert.equal((await client.put(path, { name: 'Taken', query: {} })).status, 404)
  assert.equal((await client.delete(path)).status, 404)
  const changed = await ann.put(path, { name: 'Ours', shared: true, query: { page: 'events' } })
  assert.deepEqual([changed.status, changed.body.query], [200, { page: 'events' }])
  assert.deepEqual(await names(client), ['For all', 'Ours'])
  assert.equal((await ann.delete(path)).status, 200)
  assert.deepEqual(await names(ann), ['For all'])
  assert.equal((await ann.post('/api/v2/views', { name: 'Long', query: { text: 'x'.repeat(20_000) } })).status, 422)
})

test('who takes an event says who had it: of two at once the second is told, and nothing is lost', async () => {
  const path = `/api/v2/events/${jobId}/e2/assignment`
  const taken = await Promise.all(['ann', 'bob'].map((assignee) => client.put(path, { assignee, expected: null })))
  assert.deepEqual(taken.map(({ status }) => status).sort(), [200, 409])
  const refused = taken.find(({ status }) => status === 409)
  const { assignee } = (await client.get(path)).body
  assert.match(refused?.text ?? '', new RegExp(`e2 has changed hands: ${assignee} has it since 20`))
  const other = assignee === 'ann' ? 'bob' : 'ann'
  assert.equal((await client.put(path, { assignee: other, expected: assignee })).status, 200)
  assert.equal((await client.put(path, { assignee: null, expected: assignee })).status, 409)
  // What is so already is no conflict, and without `expected` nobody asks.
  assert.equal((await client.put(path, { assignee: other, expected: assignee })).status, 200)
  assert.equal((await client.put(path, { assignee: 'eve' })).body.assignee, 'eve')
  assert.equal((await client.put(path, { assignee: null, expected: 'eve' })).body.assignee, null)
  assert.match((await client.put(path, { assignee: 'ann', expected: 'eve' })).text, /nobody has it/)
})

test('an event has somebody, or nobody, and the audit log knows', async () => {
  const path = `/api/v2/events/${jobId}/e1/assignment`
  assert.equal((await client.get(path)).body.assignee, null)
  const given = await ann.put(path, { assignee: 'bob' })
  assert.deepEqual([given.status, given.body.assignee, given.body.by], [200, 'bob', 'admin'])
  const listed = (await client.get(`/api/v2/jobs/${jobId}/assignments?assignee=bob`)).body.assignments
  assert.deepEqual(
    listed.map(({ event_id }: any) => event_id),
    ['e1'],
  )
  assert.deepEqual((await client.get(`/api/v2/jobs/${jobId}/assignments?assignee=eve`)).body.assignments, [])
  await ann.put(path, { assignee: null })
  assert.equal((await client.get(path)).body.assignee, null)
  assert.equal((await ann.put(`/api/v2/events/${jobId}/none/assignment`, { assignee: 'bob' })).status, 404)
  const { body } = await client.get(`/api/monitoring/api/v1/audit/logs?job_id=${jobId}&object_id=e1&sort_order=asc`)
  assert.deepEqual(
    body.audit_logs.map(({ action, changes }: any) => [action, changes.assignee.after]),
    [
      ['assigned', 'bob'],
      ['assignment withdrawn', null],
    ],
  )
})

test('who looks at an event sees who else does', async () => {
  const path = `/api/v2/events/${jobId}/e1/presence`
  const lookers = async (of: Client): Promise<string[]> =>
    (await of.put(path)).body.lookers.map(({ name }: any) => name).sort()
  assert.deepEqual(await lookers(ann), ['admin'])
  assert.deepEqual(await lookers(client), ['admin', 'management'])
  assert.equal((await ann.put(`/api/v2/events/${jobId}/none/presence`)).status, 404)
})

test('notes of people stand beside those of agents', async () => {
  const path = `/api/v2/events/${jobId}/e1/notes`
  assert.deepEqual((await client.get(path)).body.notes, [])
  assert.equal((await ann.post(path, { text: 'Confirmed by phone.' })).status, 201)
  await client.post(`/api/v2/events/${jobId}/e1/add_agentic_notes`, { agent_notes: 'Seen before.' })
  const { notes } = (await client.get(path)).body
  assert.deepEqual(
    notes.map(({ author, note }: any) => [author, note]),
    [
      ['admin', 'Confirmed by phone.'],
      ['management', 'Seen before.'],
    ],
  )
  assert.equal((await ann.post(path, { text: '' })).status, 422)
  assert.equal((await ann.post(`/api/v2/events/${jobId}/none/notes`, { text: 'x' })).status, 404)
})

test('views and assignments are there after a restart, and assignments go with their job', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'decision-service-'))
  try {
    const dataDir = join(directory, 'data')
    const first = await startService({ dataDir })
    const job = await makeJob(first.client)
    await first.client.post('/api/v1/events/e1', { job_id: job.jobId, raw_body: { rule: 'a' } })
    await first.client.post('/api/v2/views', { name: 'Kept', query: { a: 1 } })
    await first.client.put(`/api/v2/events/${job.jobId}/e1/assignment`, { assignee: 'bob' })
    await first.close()
    const second = await startService({ dataDir })
    assert.deepEqual(await names(second.client), ['Kept'])
    const kept = await second.client.get(`/api/v2/jobs/${job.jobId}/assignments`)
    assert.equal(kept.body.assignments[0].assignee, 'bob')
    await second.client.delete(`/api/v2/resources?resource_type=job&title=${encodeURIComponent(job.title)}`)
    await second.close()
    const third = await startService({ dataDir })
    assert.equal((await third.client.get(`/api/v2/jobs/${job.jobId}/assignments`)).status, 404)
    await third.close()
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

test('two people at the same queue begin at different events, and see the rest after them', async () => {
  const { jobId: queue } = await makeJob(client)
  for (let at = 0; at < 8; at++)
    await client.post(`/api/v1/events/q${at}`, { job_id: queue, raw_body: { rule: `rule ${at}` } })
  const person = async (username: string) => {
    await client.post('/api/v2/users', { username, password: 'correct horse battery', role: 'analyst' })
    const { body } = await client.post('/api/v2/token', { username, password: 'correct horse battery' }, { key: null })
    const own = client.withKey(body.api_token)
    return async (count: number): Promise<string[]> => {
      const answer = await own.get(`/api/v2/jobs/${queue}/next?count=${count}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.next.map(({ event_id: id }: any) => id)
    }
  }
  const [first, second] = [await person('first'), await person('second')]
  const alone = await first(8)
  const [one, other] = [await first(8), await second(8)]
  assert.deepEqual(one, alone)
  assert.deepEqual(other, [...alone.slice(4), ...alone.slice(0, 4)])
  assert.notDeepEqual(await first(1), await second(1))
  // A program asks for others, and gets the order of worth.
  assert.deepEqual(
    (await client.get(`/api/v2/jobs/${queue}/next?count=8&cortex_user=eve`)).body.next.map((one: any) => one.event_id),
    alone,
  )
})

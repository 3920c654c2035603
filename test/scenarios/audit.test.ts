import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { after, before, test } from 'node:test'
import { auditTables, sequenceKey } from '../../engine/services/audit/audit-tables.js'
import { openCatalog } from '../../engine/store/directory/environments.js'
import { WriteBatch } from '../../engine/store/environment.js'
import { eventually, makeJob, type Client } from '../support/client.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../support/service.js'

const base = '/api/monitoring/api/v1/audit'
let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

/** Entries that a query finds. */
async function logs(query: Record<string, string | number>): Promise<any> {
  const text = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  )
  const answer = await client.get(`${base}/logs?${text}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

async function voted(): Promise<{ jobId: number; key: string; title: string }> {
  const job = await makeJob(client)
  await client.post('/api/v1/events/e1', { job_id: job.jobId, raw_body: { rule: 'a' } })
  const input = client.withKey(job.key)
  for (const [user, feedback] of [
    ['ann', 'Drop'],
    ['bob', 'Escalate'],
    ['bob', 'Drop'],
  ]) {
    const answer = await input.put(`/api/v1/events/${job.jobId}/e1/feedback`, {
      cortex_user: user,
      feedback,
      closing_notes: 'not to be told',
    })
    assert.equal(answer.status, 200)
  }
  return job
}

test('whoever gives feedback sees it in the log at once: the key, the analyst, the vote and its effect', async () => {
  const { jobId, title } = await voted()
  const { audit_logs: entries, total_count: total } = await logs({ job_id: jobId, action: 'voted', sort_order: 'asc' })
  assert.equal(total, 3)
  const seen = entries.map(
    ({ user, user_kind: kind, analyst, object_type: type, object_id: id, job_title: job }: any) => [
      user.slice(0, 4),
      kind,
      analyst,
      type,
      id,
      job,
    ],
  )
  assert.deepEqual(
    seen,
    ['ann', 'bob', 'bob'].map((analyst) => ['test', 'input', analyst, 'event', 'e1', title]),
  )
  assert.deepEqual(
    entries.map(({ changes }: any) => changes),
    [
      { vote: { before: null, after: 'Drop' }, consensus: { before: null, after: 'Drop' } },
      { vote: { before: null, after: 'Escalate' }, consensus: { before: 'Drop', after: 'Undecided' } },
      { vote: { before: 'Escalate', after: 'Drop' }, consensus: { before: 'Undecided', after: 'Drop' } },
    ],
  )
  assert.ok(!JSON.stringify(entries).includes('not to be told'))
})

test('whoever has events decided again is in the log, with the fields of the filter and not its values', async () => {
  const { jobId } = await makeJob(client)
  await client.post('/api/v1/events/e1', { job_id: jobId, raw_body: { rule: 'a' } })
  assert.equal((await client.post(`/api/v2/events/${jobId}/e1/reprocess`)).status, 200)
  const filters = [{ field: 'rule', operator: 'is', value: 'not to be told' }]
  const query = await client.post(`/api/v2/events/${jobId}/reprocess`, { start_date: 'now-1d', filters })
  assert.equal(query.status, 200)
  const path = `/api/v2/events/${jobId}/reprocess/${query.body.task_id}`
  await eventually(
    () => client.get(path),
    ({ body }) => body.status === 'finished',
    60_000,
  )
  assert.equal((await client.delete(path)).status, 200)
  const { audit_logs: entries } = await logs({ job_id: jobId, object_type: 'event,task', sort_order: 'asc' })
  assert.deepEqual(
    entries.map(({ user, action, object_type: type, object_id: id }: any) => [user, action, type, id]),
    [
      ['management', 'reprocessing requested', 'event', 'e1'],
      ['management', 'reprocessing requested', 'task', query.body.task_id],
    ],
    'a task that is over is not cancelled',
  )
  assert.deepEqual(entries[1].details, {
    date_field: '@timestamp',
    start_date: 'now-1d',
    end_date: null,
    filtered_by: ['rule'],
  })
})

test('every management change is in the log, with its author and what changed', async () => {
  const { jobId, key, title } = await makeJob(client)
  await client.post(`/api/v2/jobs/${jobId}/stop`)
  await client.post(`/api/v2/jobs/${jobId}/start`)
  await client.post('/api/v1/events/a', { job_id: jobId, raw_body: { rule: 'a' } })
  await client.post('/api/v1/events/b', { job_id: jobId, raw_body: { rule: 'b' } })
  const events = [
    { raw_body: { rule: 'c' }, label: { cortex_user: 'eve', feedback: 'Drop' } },
    { raw_body: { rule: 'd' }, label: { cortex_user: 'eve', feedback: 'Escalate' } },
  ]
  assert.equal((await client.post(`/api/v1/bulk/${jobId}`, { count: 2, events })).status, 201)
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train?username=ann`)).status, 200)
  await client.delete(`/api/v2/resources?resource_type=job&title=${encodeURIComponent(title)}`)
  const { audit_logs: entries } = await logs({ job_id: jobId, sort_order: 'asc' })
  // The job may be deleted before or after its training has ended.
  const own = entries.filter(({ user }: any) => user !== 'service')
  const seen = own.map(({ action, object_type: type, user }: any) => `${user} ${action} ${type}`)
  assert.deepEqual(
    seen,
    [
      'created job',
      'stopped job',
      'started job',
      'voted event',
      'voted event',
      'training requested job',
      'deleted job',
    ].map((what) => `management ${what}`),
  )
  assert.deepEqual(own[1].changes, { status: { before: 'STARTED', after: 'STOPPED' } })
  assert.equal(own[5].details.username, 'ann')
  const all = JSON.stringify((await logs({ size: 200 })).audit_logs)
  for (const secret of [key, MANAGEMENT_KEY, 'raw_body']) assert.ok(!all.includes(secret))
})

test('filters combine, pages are parts of one order, and a text is found in any value', async () => {
  const { jobId } = await voted()
  assert.equal((await logs({ job_id: jobId, user: 'bob' })).total_count, 2)
  assert.equal((await logs({ job_id: jobId, user: 'bob', action: 'created' })).total_count, 0)
  assert.equal((await logs({ job_id: jobId, action: 'voted,created', object_type: 'event,job' })).total_count, 4)
  assert.equal((await logs({ job_id: jobId, object_id: 'e1', search: 'ESCALATE' })).total_count, 2)
  assert.equal((await logs({ search: 'nothing has this text' })).total_count, 0)
  const whole = await logs({ size: 200 })
  const pages = await Promise.all([0, 1, 2].map(async (page) => (await logs({ page, size: 3 })).audit_logs))
  assert.deepEqual(pages.flat(), whole.audit_logs.slice(0, 9))
  const [latest, earlier] = whole.audit_logs
  assert.equal((await logs({ start_date: latest.timestamp })).total_count, 1)
  assert.equal((await logs({ end_date: latest.timestamp, size: 1 })).audit_logs[0].sequence, earlier.sequence)
  assert.deepEqual((await logs({ sort_order: 'asc', size: 1 })).audit_logs[0].sequence, 1)
  assert.deepEqual(await logs({ size: 0, job_id: jobId }), {
    audit_logs: [],
    total_count: 4,
    total_count_is_exact: true,
    page: 0,
    size: 0,
    next: null,
  })
})

test('the filterable fields are listed with the values in use', async () => {
  const { jobId, title } = await voted()
  const { fields } = (await client.get(`${base}/filterable_fields_terms`)).body
  assert.deepEqual(
    fields.map(({ field }: any) => field),
    ['user', 'analyst', 'action', 'object_type', 'job_id'],
  )
  const termsOf = (name: string): any[] => fields.find(({ field }: any) => field === name).terms
  assert.deepEqual(
    termsOf('job_id').find(({ value }) => value === String(jobId)),
    { value: String(jobId), title, count: 4 },
  )
  for (const { field, terms } of fields) {
    for (const { value, count } of terms.slice(0, 5)) {
      const page = (await client.get(`${base}/logs?size=0&${field}=${encodeURIComponent(value)}`)).body
      // A filter for a user finds analysts, too.
      const found = field === 'user' ? page.total_count >= count : page.total_count === count
      assert.ok(found, `${field} ${value}: ${page.total_count}, listed ${count}`)
    }
  }
  assert.ok(termsOf('analyst').some(({ value }) => value === 'bob'))
  assert.ok(termsOf('action').some(({ value }) => value === 'voted'))
})

test('a wrong filter is 422 with its place, a key without the scope 403, none 401', async () => {
  for (const [query, name] of [
    ['start_date=yesterday', 'start_date'],
    ['size=201', 'size'],
    ['page=-1', 'page'],
    ['sort_order=up', 'sort_order'],
    ['job_id=x', 'job_id'],
  ]) {
    const answer = await client.get(`${base}/logs?${query}`)
    assert.deepEqual([answer.status, answer.body.detail[0].loc], [422, ['query', name]])
  }
  assert.equal((await client.get(`${base}/verify?sequence=1`)).status, 422)
  const { key } = await makeJob(client)
  for (const path of ['logs', 'filterable_fields_terms', 'verify']) {
    assert.equal((await client.withKey(key).get(`${base}/${path}`)).status, 403)
    assert.equal((await client.get(`${base}/${path}`, { key: null })).status, 401)
  }
})

test('the chain is proved, against an entry noted elsewhere too, and a changed history is found', async () => {
  const own = await startService()
  try {
    await makeJob(own.client)
    const { body: verdict } = await own.client.get(`${base}/verify`)
    assert.equal(verdict.intact, true)
    await makeJob(own.client)
    const noted = `sequence=${verdict.entries}&hash=${verdict.head}`
    assert.equal((await own.client.get(`${base}/verify?${noted}`)).body.intact, true)
    assert.equal((await own.client.get(`${base}/verify?sequence=2&hash=${verdict.head}`)).body.broken.sequence, 2)
    const catalog = openCatalog(own.dataDir, auditTables)
    const batch = new WriteBatch()
    const value = Buffer.from(catalog.get('audit', sequenceKey(3))!)
    batch.put('audit', sequenceKey(3), Buffer.from(value.toString('latin1').replace('created', 'deleted'), 'latin1'))
    catalog.commit(batch)
    await catalog.close()
    const { body: broken } = await own.client.get(`${base}/verify`)
    assert.deepEqual([broken.intact, broken.broken.sequence], [false, 3])
  } finally {
    await own.close()
  }
})

test('the command proves the log of a directory that no service uses, and rejects others', async () => {
  const program = fileURLToPath(new URL('../../server/audit-verify.js', import.meta.url))
  const run = (...args: string[]): { status: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      encoding: 'utf8',
      timeout: 120_000,
    })
    return { status, output: stdout + stderr }
  }
  const { dataDir } = service
  assert.deepEqual(
    [run('--data-dir', dataDir).status, run('--data-dir', `${dataDir}/none`).status, run().status],
    [2, 2, 2],
  )
})

/** Findings: what was odd in events is told as a warning of the job, with a count and the first example (S38). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let job: Awaited<ReturnType<typeof makeJob>>

before(async () => {
  service = await startService()
  job = await makeJob(service.client)
  client = service.client.withKey(job.key)
})
after(() => service.close())

/** An event whose user has a byte that is not UTF-8. */
function oddEvent(user: string): Buffer {
  return Buffer.from(`{"job_id": ${job.jobId}, "raw_body": {"rule": "r", "user": "${user}"}}`, 'latin1')
}

async function oddWarnings(of: Client): Promise<any[]> {
  const { body } = await of.get(`/api/v1/jobs/${job.jobId}`)
  return body.warnings.filter(({ type }: { type: string }) => type === 'invalid_utf8')
}

test('are counted, with the first example, and taken all the same', async () => {
  assert.deepEqual(await oddWarnings(service.client), [])
  for (const user of ['M\xfcller', 'Bj\xf6rn'])
    assert.equal((await client.post('/api/v1/events/', oddEvent(user))).status, 201)
  const [warning] = await eventually(
    () => oddWarnings(service.client),
    (found) => found[0]?.count === 2,
  )
  assert.match(warning.msg, /^2 events had bytes that are not UTF-8\./)
  assert.match(warning.example, /"user": "M\ufffdller"/)
  assert.ok(warning.first_seen < warning.last_seen)
})

test('are shown without an example to a key that may not read events', async () => {
  const [warning] = await oddWarnings(client)
  assert.equal(warning.count, 2)
  assert.ok(!('example' in warning))
})

test('go when events are erased, whose values an example may hold', async () => {
  const erased = await service.client.post(`/api/v2/events/${job.jobId}/delete`, {
    filters: [{ field: 'rule', operator: 'is', value: 'r' }],
  })
  assert.equal(erased.status, 200, erased.text)
  assert.deepEqual(await oddWarnings(service.client), [])
})

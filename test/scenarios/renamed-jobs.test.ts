/** A title is what finds a job. It changes without a second job, and nothing of the job is lost. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

const apply = (properties: object, query = '') =>
  client.post(`/api/v2/resources${query}`, { resources: { job: { type: 'job', properties } } })
const jobs = async (): Promise<{ job_id: number; title: string }[]> => (await client.get('/api/v2/jobs')).body
const titles = async (): Promise<string[]> => (await jobs()).map(({ title }) => title)

/** A job with an event and a vote. */
async function withHistory(title: string): Promise<number> {
  const { jobId } = await makeJob(client, { title, decision_points: ['rule'] })
  await client.post('/api/v1/events/e?wait=true', { job_id: jobId, raw_body: { rule: 'scan' } })
  const voted = await client.put(`/api/v1/events/${jobId}/e/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  assert.equal(voted.status, 200, voted.text)
  return jobId
}

test('a renamed job keeps its id, events and votes; the same document again changes nothing', async () => {
  const jobId = await withHistory('Triage')
  const document = { title: 'Triage, Berlin', renamed_from: 'Triage' }
  const renamed = await apply(document)
  assert.equal(renamed.status, 200, renamed.text)
  assert.deepEqual(
    [renamed.body.created, renamed.body.warnings.filter(({ type }: any) => type === 'second_job')],
    [[], []],
  )
  assert.deepEqual([renamed.body.updated[0].internal_id, renamed.body.updated[0].title], [jobId, 'Triage, Berlin'])
  const { body: job } = await client.get(`/api/v1/jobs/${jobId}`)
  assert.equal(job.title, 'Triage, Berlin')
  assert.equal(job.processed_documents_count, 1)
  const { body: consensus } = await client.get(`/api/v2/events/${jobId}/e/consensus`)
  assert.deepEqual(
    consensus.votes.map(({ label }: any) => label),
    ['Drop'],
  )
  const again = await apply(document)
  assert.equal(again.status, 200, again.text)
  assert.deepEqual(again.body.created, [])
  assert.deepEqual(await titles(), ['Triage, Berlin'])
  assert.equal((await apply({ title: 'Triage' })).body.created.length, 1, 'the old title is free')
})

test('two jobs do not become one, and two resources are not one job', async () => {
  await withHistory('One')
  await withHistory('Two')
  const both = await apply({ title: 'Two', renamed_from: 'One' })
  assert.equal(both.status, 422, both.text)
  assert.match(
    both.text,
    /"One" is job \d+, and \\"Two\\" is job \d+: two jobs do not become one|two jobs do not become one/,
  )
  const kept = await apply({ title: 'Three', renamed_from: 'One' }, '?overwrite=false')
  assert.equal(kept.status, 409, kept.text)
  const job = (title: string, renamed_from?: string) => ({ type: 'job', properties: { title, renamed_from } })
  for (const resources of [
    { a: job('Three', 'One'), b: job('One') },
    { a: job('Three', 'One'), b: job('Four', 'One') },
  ]) {
    const refused = await client.post('/api/v2/resources', { resources })
    assert.equal(refused.status, 422, refused.text)
    assert.match(refused.text, /renamed_from/)
  }
  assert.deepEqual(
    (await titles()).filter((title) => /^(One|Two|Three|Four)$/.test(title)),
    ['One', 'Two'],
  )
})

test('a document of one job that makes another says so, and so does a rename of a job that is not there', async () => {
  const jobId = await withHistory('Read')
  const [listed] = (await client.get(`/api/v2/resources?resource_type=job&id=${jobId}`)).body
  const { properties } = Object.values(listed)[0] as { properties: object }
  assert.deepEqual((await apply(properties)).body.created, [])
  const second = await apply({ ...properties, title: 'Read again' })
  assert.equal(second.body.created.length, 1, second.text)
  const [warning] = second.body.warnings.filter(({ type }: any) => type === 'second_job')
  assert.match(warning.msg, new RegExp(`read from job ${jobId}, "Read"\\. No job is called "Read again"`))
  assert.match(warning.action, /"renamed_from": "Read"/)
  const missing = await apply({ title: 'New name', renamed_from: 'Raed' })
  assert.match(JSON.stringify(missing.body.warnings), /No job is called .+Raed/)
  // Of another service: the same id is another job there.
  const foreign = await apply({ ...properties, title: 'Elsewhere', created_at: '2020-01-01T00:00:00.000000Z' })
  assert.deepEqual(
    foreign.body.warnings.filter(({ type }: any) => type === 'second_job'),
    [],
  )
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually, makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

const ISO_MICROS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/
let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

async function post(jobId: number, id: string, rule: string): Promise<void> {
  assert.equal((await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule } })).status, 201)
}

async function vote(jobId: number, id: string, analyst: string, feedback: string): Promise<void> {
  assert.equal(
    (await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: analyst, feedback })).status,
    200,
  )
}

async function train(jobId: number): Promise<void> {
  assert.equal((await client.post(`/api/v2/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
}

test('an override wins over all votes until it is withdrawn (S15)', async () => {
  const { jobId } = await makeJob(client)
  await post(jobId, 'e', 'a')
  await post(jobId, 'other', 'b')
  await vote(jobId, 'e', 'ann', 'Drop')
  await vote(jobId, 'e', 'bob', 'Drop')
  await vote(jobId, 'other', 'ann', 'Escalate')
  const path = `/api/v2/events/${jobId}/e/consensus`
  const overridden = await client.put(path, { consensus: 'escalate' })
  assert.equal(overridden.status, 200, overridden.text)
  assert.deepEqual(
    [overridden.body.consensus, overridden.body.overridden, overridden.body.override.user],
    ['Escalate', true, 'management'],
  )
  await vote(jobId, 'e', 'eve', 'Drop')
  assert.equal((await client.get(path)).body.consensus, 'Escalate')
  const withdrawn = await client.delete(path)
  assert.deepEqual([withdrawn.status, withdrawn.body.consensus, withdrawn.body.override], [200, 'Drop', null])
  assert.equal((await client.delete(path)).status, 404)
  const { audit_logs: entries } = (
    await client.get(`/api/monitoring/api/v1/audit/logs?job_id=${jobId}&action=consensus overridden,override withdrawn`)
  ).body
  assert.deepEqual(
    entries.map(({ action, user, changes }: any) => [action, user, changes]),
    [
      [
        'override withdrawn',
        'management',
        { override: { before: 'Escalate', after: null }, consensus: { before: 'Escalate', after: 'Drop' } },
      ],
      [
        'consensus overridden',
        'management',
        { override: { before: null, after: 'Escalate' }, consensus: { before: 'Drop', after: 'Escalate' } },
      ],
    ],
  )
})

test('what analysts wrote beside their votes is shown with them', async () => {
  const { jobId } = await makeJob(client)
  await post(jobId, 'e', 'a')
  const indicators = [{ ip: '192.0.2.7' }]
  const path = `/api/v1/events/${jobId}/e/feedback`
  await client.put(path, { cortex_user: 'ann', feedback: 'Drop', closing_notes: 'A scan of ours.', indicators })
  await vote(jobId, 'e', 'bob', 'Escalate')
  const { votes } = (await client.get(`/api/v2/events/${jobId}/e/consensus`)).body
  assert.deepEqual(
    votes.map((each: any) => [each.analyst, each.closing_notes, each.indicators]),
    [
      ['ann', 'A scan of ours.', indicators],
      ['bob', null, null],
    ],
  )
  const [listed] = (await client.get(`/api/v2/jobs/${jobId}/disagreements`)).body.disagreements
  assert.deepEqual(Object.keys(listed.votes[0]), ['analyst', 'label', 'timestamp', 'event_id'])
})

test('an override is trained on, answers from the knowledge base, and a withdrawal calls for a training (S13, S16)', async () => {
  const { jobId } = await makeJob(client)
  for (const rule of ['a', 'b', 'c']) await post(jobId, rule, rule)
  await vote(jobId, 'a', 'ann', 'Drop')
  // Nobody has voted on this event: the administrator's override is enough.
  const { body: bucket } = await client.put(`/api/v2/events/${jobId}/b/consensus`, { consensus: 'Escalate' })
  assert.deepEqual(
    [bucket.votes, bucket.consensus, bucket.bucket_state, bucket.events_count],
    [[], 'Escalate', 'pending', 1],
  )
  assert.deepEqual(bucket.decision_points, { rule: 'b', 'source.ip': null })
  await train(jobId)
  const [line] = await client.bulk(JSON.stringify({ job_id: jobId, raw_body: { rule: 'b' } }))
  assert.deepEqual([line.result_label, line.bucket_state], ['Escalate', 'in_knowledge_base'])
  const path = `/api/v2/jobs/${jobId}/buckets/${bucket.bucket_id}/consensus`
  const withdrawn = await client.delete(path)
  assert.deepEqual(
    [withdrawn.status, withdrawn.body.consensus, withdrawn.body.bucket_state, withdrawn.body.events_count],
    [200, null, 'retrain', 2],
  )
  const again = await client.put(path, { label: 'label_0' })
  assert.deepEqual([again.body.consensus, again.body.bucket_state], ['Escalate', 'in_knowledge_base'])
})

test('an event of a job without buckets is overridden alone', async () => {
  const { jobId } = await makeJob(client, { category: 'Event centric decision intelligence' })
  await post(jobId, 'one', 'a')
  await post(jobId, 'two', 'a')
  await client.put(`/api/v2/events/${jobId}/one/consensus`, { consensus: 'Drop' })
  const [one, two] = await Promise.all(
    ['one', 'two'].map(async (id) => (await client.get(`/api/v2/events/${jobId}/${id}/consensus`)).body),
  )
  assert.deepEqual([one.consensus, one.event_id, one.bucket_id, two.consensus], ['Drop', 'one', null, null])
})

test('an unknown event or bucket is 404, a wrong label 400, a missing label 422, and an analyst may not override', async () => {
  const { jobId, key } = await makeJob(client)
  await post(jobId, 'e', 'a')
  const path = `/api/v2/events/${jobId}/e/consensus`
  assert.equal((await client.put(path, { consensus: 'Nonsense' })).status, 400)
  assert.equal((await client.put(path, '{')).status, 400)
  assert.deepEqual((await client.put(path, {})).body.detail[0].loc, ['body', 'consensus'])
  const unknown = [
    `/api/v2/events/${jobId}/nobody/consensus`,
    '/api/v2/events/99999/e/consensus',
    `/api/v2/jobs/${jobId}/buckets/zz/consensus`,
    `/api/v2/jobs/${jobId}/buckets/${'0'.repeat(32)}/consensus`,
  ]
  for (const each of unknown) {
    assert.deepEqual(
      [
        (await client.get(each)).status,
        (await client.put(each, { consensus: 'Drop' })).status,
        (await client.delete(each)).status,
      ],
      [404, 404, 404],
      each,
    )
  }
  const input = client.withKey(key)
  assert.deepEqual(
    [(await input.put(path, { consensus: 'Drop' })).status, (await input.delete(path)).status],
    [403, 403],
  )
})

describe('disagreements', () => {
  test('are the buckets on which analysts differ, with each vote, its analyst and time, the latest first', async () => {
    const { jobId } = await makeJob(client)
    for (const rule of ['agreed', 'tied', 'majority', 'settled', 'silent']) await post(jobId, rule, rule)
    for (const [id, analyst, label] of [
      ['agreed', 'ann', 'Drop'],
      ['agreed', 'bob', 'Drop'],
      ['tied', 'ann', 'Drop'],
      ['tied', 'bob', 'Escalate'],
      ['majority', 'ann', 'Drop'],
      ['majority', 'bob', 'Escalate'],
      ['majority', 'eve', 'Escalate'],
      ['settled', 'ann', 'Drop'],
      ['settled', 'bob', 'Investigate'],
    ] as const)
      await vote(jobId, id, analyst, label)
    await client.put(`/api/v2/events/${jobId}/settled/consensus`, { consensus: 'Drop' })
    const path = `/api/v2/jobs/${jobId}/disagreements`
    const { body } = await client.get(path)
    assert.equal(body.total_count, 3)
    assert.deepEqual(
      body.disagreements.map(({ decision_points: { rule }, consensus, overridden }: any) => [
        rule,
        consensus,
        overridden,
      ]),
      [
        ['settled', 'Drop', true],
        ['majority', 'Escalate', false],
        ['tied', 'Undecided', false],
      ],
    )
    const { votes, events_count: events } = body.disagreements[2]
    assert.equal(events, 1)
    assert.deepEqual(
      votes.map(({ analyst, label, event_id: id }: any) => [analyst, label, id]),
      [
        ['ann', 'Drop', 'tied'],
        ['bob', 'Escalate', 'tied'],
      ],
    )
    for (const { timestamp } of votes) assert.match(timestamp, ISO_MICROS)
    const rules = async (query: string): Promise<string[]> => {
      return (await client.get(`${path}?${query}`)).body.disagreements.map((each: any) => each.decision_points.rule)
    }
    assert.deepEqual(await rules('undecided=true'), ['tied'])
    assert.deepEqual(await rules('overridden=True'), ['settled'])
    assert.deepEqual(await rules('overridden=false'), ['majority', 'tied'])
    assert.deepEqual(await rules('page=1&size=2'), ['tied'])
    await vote(jobId, 'tied', 'bob', 'Drop')
    assert.deepEqual(await rules(''), ['settled', 'majority'])
  })

  test('are events if the job has no buckets', async () => {
    const { jobId } = await makeJob(client, { category: 'Event centric decision intelligence' })
    for (const id of ['one', 'two']) await post(jobId, id, 'a')
    for (const [id, analyst, label] of [
      ['one', 'ann', 'Drop'],
      ['one', 'bob', 'Escalate'],
      ['two', 'ann', 'Drop'],
    ] as const)
      await vote(jobId, id, analyst, label)
    const { body } = await client.get(`/api/v2/jobs/${jobId}/disagreements`)
    assert.deepEqual(
      body.disagreements.map(({ event_id: id, bucket_id: bucket }: any) => [id, bucket]),
      [['one', null]],
    )
  })

  test('of an unknown job are 404, a wrong page 422', async () => {
    const { jobId } = await makeJob(client)
    assert.equal((await client.get('/api/v2/jobs/99999/disagreements')).status, 404)
    assert.equal((await client.get(`/api/v2/jobs/${jobId}/disagreements?size=101`)).status, 422)
  })
})

test('votes are evidence: 6 of 10 voted events of a bucket answer with near 60 % (S15, S16)', async () => {
  const { jobId } = await makeJob(client)
  for (let i = 0; i < 20; i++) {
    await post(jobId, `mixed ${i}`, 'a')
    await post(jobId, `clear ${i}`, 'b')
  }
  for (let i = 0; i < 10; i++) {
    await vote(jobId, `mixed ${i}`, 'ann', i % 5 < 3 ? 'Drop' : 'Escalate')
    await vote(jobId, `clear ${i}`, 'ann', 'Escalate')
  }
  await train(jobId)
  await post(jobId, 'next', 'a')
  const { body } = await client.get(`/api/v1/events/${jobId}/next`)
  assert.equal(body.result_label, 'Drop')
  assert.ok(body.confidence_score > 50 && body.confidence_score < 70, `${body.confidence_score}`)
  const { body: consensus } = await client.get(`/api/v2/events/${jobId}/next/consensus`)
  assert.deepEqual([consensus.split, consensus.mixed], [{ Escalate: 4, Drop: 6, Investigate: 0 }, true])
})

test('a vote shows its reach, may be about the whole bucket, and can be withdrawn', async () => {
  const { jobId } = await makeJob(client)
  for (const id of ['e', 'f', 'g']) await post(jobId, id, 'a')
  const path = `/api/v1/events/${jobId}/e/feedback`
  const { body: reach } = await client.get(`/api/v2/events/${jobId}/e/feedback`)
  assert.deepEqual([reach.applies_to_events, reach.consensus], [3, null])
  await vote(jobId, 'f', 'ann', 'Drop')
  await vote(jobId, 'g', 'ann', 'Drop')
  const whole = await client.put(path, { cortex_user: 'ann', feedback: 'Escalate', scope: 'bucket' })
  assert.equal(whole.status, 200, whole.text)
  assert.deepEqual(
    [whole.body.status, whole.body.consensus_before, whole.body.consensus, whole.body.split.Escalate],
    ['updated', 'Drop', 'Escalate', 2],
  )
  const missing = await client.put(path, { cortex_user: 'ann', feedback: null })
  assert.deepEqual([missing.status, /scope "bucket"/.test(missing.body.error)], [404, true])
  const gone = await client.delete(`${path}?cortex_user=ann&scope=bucket`)
  assert.deepEqual([gone.status, gone.body.consensus, gone.body.bucket_state], [200, null, 'new'])
  await vote(jobId, 'e', 'bob', 'Drop')
  assert.equal((await client.put(path, { cortex_user: 'bob', feedback: null })).body.consensus, null)
  assert.equal((await client.get(`/api/v1/jobs/${jobId}`)).body.feedback_documents_count, 0)
})

test('a mixed bucket is listed with fields that tell its events apart, and one call adds one as a point', async () => {
  const { jobId } = await makeJob(client)
  const send = (id: string, rule: string, country: string) =>
    client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule, geo: { country }, serial: id } })
  for (let i = 0; i < 24; i++) {
    await send(`a${i}`, 'a', i % 2 === 0 ? 'de' : 'xx')
    await vote(jobId, `a${i}`, 'ann', i % 2 === 0 ? 'Drop' : 'Escalate')
  }
  await send('b', 'b', 'de')
  await vote(jobId, 'b', 'ann', 'Drop')
  const { body: mixed } = await client.get(`/api/v2/jobs/${jobId}/mixed-buckets`)
  assert.equal(mixed.total_count, 1)
  assert.deepEqual(mixed.mixed_buckets[0].split, { Escalate: 12, Drop: 12, Investigate: 0 })
  assert.equal(mixed.separating_fields[0].field, 'geo.country')
  assert.ok(!mixed.separating_fields.some(({ field }: any) => field === 'serial' || field === 'rule'))
  const path = `/api/v2/jobs/${jobId}/decision-points`
  const added = await client.post(path, { add: ['geo.country', 'rule'] })
  assert.equal(added.status, 200, added.text)
  assert.deepEqual(added.body.decision_points.slice(-1), ['geo.country'])
  const shown = (await client.get(`/api/v1/jobs/${jobId}`)).body
  assert.deepEqual(shown.features, added.body.decision_points)
  assert.deepEqual(
    shown.warnings.map(({ type }: any) => type),
    ['mixed_buckets'],
  )
})

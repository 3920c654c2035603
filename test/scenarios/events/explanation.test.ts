/** Why an event has its decision, what a body would be decided as, and similar events, for every client. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { limits } from '../../../engine/limits.js'
import { decidesAsItComes, eventually, makeJob, type Answer, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number
/** The key of the job's input, and of another job's. */
let own: Client
let strange: Client

const points = ['rule', 'source.ip', 'host.name', 'severity']

interface Body {
  rule?: string
  source?: { ip: string }
  host?: { name: string }
  severity?: number
}

function bodyOf(i: number): Body {
  const bad = i % 3 === 0
  return {
    rule: bad ? 'Ransomware note' : 'Password changed',
    source: { ip: `192.0.2.${i % 50}` },
    host: { name: `host-${i % 4}` },
    severity: bad ? 80 + (i % 10) : 10 + (i % 10),
  }
}

const strangers: Body = { rule: 'Ransomware note', source: { ip: '10.9.8.7' }, host: { name: 'new' }, severity: 12 }

before(async () => {
  service = await startService()
  client = service.client
  const made = await makeJob(client, { ...decidesAsItComes, decision_points: points })
  jobId = made.jobId
  own = client.withKey(made.key)
  strange = client.withKey((await makeJob(client)).key)
  for (let i = 0; i < 60; i++) {
    await client.post(`/api/v1/events/e${i}`, { job_id: jobId, raw_body: bodyOf(i) })
    const feedback = i % 3 === 0 ? 'Escalate' : 'Drop'
    await client.put(`/api/v1/events/${jobId}/e${i}/feedback`, { cortex_user: 'ann', feedback })
  }
  await train()
  await client.post('/api/v1/events/new', { job_id: jobId, raw_body: strangers })
})
after(() => service.close())

async function train(): Promise<void> {
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  const trained = (answer: Answer): boolean => answer.body.retrain_state === 'RETRAIN_FINISHED'
  await eventually(() => client.get(`/api/v1/jobs/${jobId}`), trained, 60_000)
}

function explanation(eventId: string, by = client): Promise<Answer> {
  return by.get(`/api/v2/events/${jobId}/${eventId}/explanation`)
}

function decide(rawBody: unknown, more: object = {}, by = client): Promise<Answer> {
  return by.post(`/api/v2/jobs/${jobId}/decide`, { raw_body: rawBody, ...more })
}

function similar(eventId: string, query = '', by = client): Promise<Answer> {
  return by.get(`/api/v2/events/${jobId}/${eventId}/similar${query}`)
}

function without(body: Body, paths: readonly string[]): unknown {
  const copy: any = structuredClone(body)
  for (const path of paths) {
    const [first, second] = path.split('.') as [string, string?]
    if (second === undefined) delete copy[first]
    else delete copy[first][second]
  }
  return copy
}

test('a decision is explained field by field: without it, the same as an event that lacks it', async () => {
  const { status, body } = await explanation('new')
  assert.equal(status, 200)
  const { decision, model, votes } = body
  const { body: event } = await client.get(`/api/v1/events/${jobId}/new`)
  for (const field of ['status', 'result', 'result_label', 'confidence_score', 'outlier'])
    assert.deepEqual(decision[field], event[field], field)
  assert.deepEqual([decision.source, decision.exact, decision.by_earlier_model, votes], ['model', true, false, null])
  assert.deepEqual([model.id, model.active, model.voted_events, model.pairs_tried], [`model_${jobId}_1`, true, 60, 6])
  assert.ok(!Number.isNaN(Date.parse(model.trained_at)))
  assert.deepEqual(
    model.fields.flatMap((one: any) => one.fields.map(({ field }: any) => field)).sort(),
    points.toSorted(),
  )
  for (const one of [...model.fields, model.pair]) {
    const paths = one.fields.map(({ field }: any) => field)
    const { body: answer } = await decide(without(strangers, paths))
    assert.equal(answer.source, 'model')
    assert.deepEqual(
      [one.result, one.confidence_score, one.outlier_score],
      [answer.result, answer.confidence_score, answer.outlier_score],
      paths.join(),
    )
  }
  for (const one of [...model.fields, model.pair]) {
    const paths = one.fields.map(({ field }: any) => field)
    const rawBody = without(strangers, paths)
    // Each posted event moves the stream, and with it the confidence of the next one.
    const { body: answer } = await decide(rawBody)
    await client.post(`/api/v1/events/without-${paths.join()}`, { job_id: jobId, raw_body: rawBody })
    const { body: posted } = await client.get(`/api/v1/events/${jobId}/without-${paths.join()}`)
    assert.deepEqual([posted.result, posted.confidence_score], [one.result, answer.confidence_score])
  }
  assert.equal(model.nearest.length, 5)
  for (const { result_label: label, consensus, event_id: id } of model.nearest) {
    assert.equal(label, Number(id.slice(1)) % 3 === 0 ? 'Escalate' : 'Drop')
    assert.equal(consensus, label)
  }
})

test('a voted bucket is explained by its votes', async () => {
  const { body } = await explanation('e3')
  assert.deepEqual(
    [body.votes.consensus, body.votes.bucket_state, body.votes.votes_count],
    ['Escalate', 'in_knowledge_base', 1],
  )
  assert.deepEqual(body.votes.split, { Escalate: 1, Drop: 0, Investigate: 0 })
  assert.equal(body.decision.source, 'none')
  const { body: now } = await decide(bodyOf(3), { explain: true })
  assert.deepEqual(
    [now.source, now.result_label, now.bucket_state, now.known_bucket],
    ['knowledge_base', 'Escalate', 'in_knowledge_base', true],
  )
  assert.equal(now.explanation.decision.exact, true)
  assert.equal(now.bucket_id, body.votes.bucket_id)
})

test('a body is decided without being stored', async () => {
  const before = (await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count
  const { status, body } = await decide({ rule: 'never stored' }, { title: 'a', severity: 3, job_id: String(jobId) })
  assert.equal(status, 200)
  assert.deepEqual([body.known_bucket, body.bucket_state, body.note, body.explanation], [false, 'new', null, undefined])
  assert.equal((await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count, before)
  await client.post('/api/v1/events/sent', { job_id: jobId, raw_body: { rule: 'never stored' } })
  const { body: sent } = await client.get(`/api/v1/events/${jobId}/sent`)
  assert.deepEqual(
    [body.result, body.confidence_score, body.outlier],
    [sent.result, sent.confidence_score, sent.outlier],
  )
})

test('what is wrong with a body is said as for an event', async () => {
  const path = `/api/v2/jobs/${jobId}/decide`
  const refused = async (body: unknown, status: number, words: RegExp): Promise<void> => {
    const answer = await client.post(path, body)
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, words)
  }
  await refused('{"broken', 400, /not JSON/)
  await refused('[]', 422, /must be a JSON object/)
  await refused({}, 422, /raw_body.*Field required/)
  await refused({ raw_body: 7 }, 422, /should be an object/)
  await refused({ raw_body: {}, explain: 'perhaps' }, 422, /explain.*boolean/)
  await refused({ raw_body: {}, job_id: jobId + 1 }, 422, /name the same job/)
  await refused(
    `{"raw_body": {"a": ${'['.repeat(limits.eventDepthMax + 1)}${']'.repeat(limits.eventDepthMax + 1)}}}`,
    413,
    /level|deep/,
  )
  await refused('{"raw_body": {"n": 1e999}}', 422, /number/)
  assert.equal((await similar('new', '?count=0')).status, 422)
  assert.equal((await similar('new', '?cuont=5')).status, 422)
  assert.equal((await explanation('never')).status, 404)
  assert.equal((await similar('never')).status, 404)
})

test('similar events are other buckets, with what is different', async () => {
  const { status, body } = await similar('new', '?count=4')
  assert.equal(status, 200)
  assert.deepEqual(
    [body.similar.length, body.complete, body.model, body.equal_events],
    [4, true, `model_${jobId}_1`, 1],
  )
  const likeness = body.similar.map((one: any) => one.likeness)
  assert.deepEqual(
    likeness,
    likeness.toSorted((a: number, b: number) => b - a),
  )
  for (const { event_id: id, differences } of body.similar) {
    assert.notEqual(id, 'new')
    assert.equal((await client.get(`/api/v1/events/${jobId}/${id}`)).status, 200)
    assert.ok(differences.length > 0)
  }
})

test('analysts and input keys may ask, each about the jobs that they see', async () => {
  await client.post('/api/v2/users', { username: 'ann', password: 'long enough for ann', role: 'analyst' })
  const token = await client.post('/api/v2/token', { username: 'ann', password: 'long enough for ann' })
  assert.equal(token.status, 200, token.text)
  for (const by of [client.withKey(token.body.api_token), own])
    for (const ask of [explanation('new', by), similar('new', '', by), decide(strangers, {}, by)])
      assert.equal((await ask).status, 200)
  for (const ask of [explanation('new', strange), similar('new', '', strange), decide(strangers, {}, strange)])
    assert.equal((await ask).status, 404)
})

test('a decision of an earlier model is explained by that model', async () => {
  const before = (await explanation('new')).body
  for (let i = 0; i < 20; i++)
    await client.put(`/api/v1/events/${jobId}/e${i}/feedback`, { cortex_user: 'bob', feedback: 'Investigate' })
  for (let i = 20; i < 30; i++)
    await client.put(`/api/v1/events/${jobId}/e${i}/feedback`, { cortex_user: 'ann', feedback: 'Investigate' })
  await train()
  const { decision, model } = (await explanation('new')).body
  assert.deepEqual([decision.by_earlier_model, decision.exact, model.version, model.active], [true, true, 1, false])
  assert.deepEqual(
    [model.fields, model.pair, model.answer],
    [before.model.fields, before.model.pair, before.model.answer],
  )
  assert.equal((await decide(strangers)).body.model, `model_${jobId}_2`)
})

test('a stopped job says that an event would wait', async () => {
  const { jobId: stopped } = await makeJob(client)
  await client.post(`/api/v2/jobs/${stopped}/stop`)
  const { body } = await client.post(`/api/v2/jobs/${stopped}/decide`, { raw_body: { rule: 'a' } })
  assert.deepEqual([body.status, body.result], ['pending_inference', ''])
  assert.match(body.note, /stopped/)
})

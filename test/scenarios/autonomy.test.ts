/** The safety contract over HTTP: shadow collects, gates open, close and are revoked, and people get their queue. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ManualClock } from '../../engine/clock.js'
import { eventually, makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client
const clock = new ManualClock(1_900_000_000_000_000)
const HOUR_MS = 3_600_000

before(async () => {
  service = await startService({ clock })
  client = service.client
})
after(() => service.close())

const send = (jobId: number, id: string, rule: string) =>
  client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule, source: { ip: '192.0.2.1' } } })
const vote = async (jobId: number, id: string, feedback: string, user = 'ann') => {
  const answer = await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: user, feedback })
  assert.equal(answer.status, 200, answer.text)
}
const autonomyOf = async (jobId: number, id: string): Promise<string> =>
  (await client.get(`/api/v1/events/${jobId}/${id}`)).body.autonomy
const seen = async (jobId: number): Promise<any> => (await client.get(`/api/v2/jobs/${jobId}/autonomy`)).body

async function train(jobId: number): Promise<void> {
  const asked = await client.post(`/api/v1/jobs/${jobId}/train?username=ann`)
  assert.equal(asked.status, 200, asked.text)
  const done = await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state.startsWith('RETRAIN_'),
    30_000,
  )
  assert.equal(done.body.retrain_state, 'RETRAIN_FINISHED', done.body.retrain_msg)
}

/** A trained job: the rule tells threats from noise. */
async function trained(more: object = {}): Promise<number> {
  const { jobId } = await makeJob(client, { decision_points: ['rule'], ...more })
  for (let i = 0; i < 24; i++) {
    await send(jobId, `t${i}`, i % 2 === 0 ? 'threat' : 'noise')
    await vote(jobId, `t${i}`, i % 2 === 0 ? 'Escalate' : 'Drop')
  }
  await train(jobId)
  return jobId
}

/** Easy terms, so that few audits prove them. */
const easy = {
  mode: 'open',
  hold_out_rate: 0.5,
  audit_deadline_hours: 24,
  labels: [{ label: 'Drop', epsilon: 0.5, delta: 0.5, thresholds: [50] }],
}
const set = async (jobId: number, contract: object): Promise<any> => {
  const answer = await client.put(`/api/v2/jobs/${jobId}/autonomy`, contract)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Sends events of noise until so many of them have that autonomy; returns those. */
async function sendUntil(jobId: number, name: string, wanted: string, count: number): Promise<string[]> {
  const found: string[] = []
  for (let i = 0; found.length < count; i++) {
    assert.ok(i < 200, `${wanted} does not come`)
    const id = `${name}-${i}`
    await send(jobId, id, 'noise')
    if ((await autonomyOf(jobId, id)) === wanted) found.push(id)
  }
  return found
}

const auditsOf = (jobId: number, name: string, count: number) => sendUntil(jobId, name, 'audit', count)

describe('a safety contract', () => {
  test('in shadow collects evidence and settles nothing; opened, it settles what audits prove', async () => {
    const jobId = await trained()
    const shadow = await set(jobId, { ...easy, mode: 'shadow' })
    assert.deepEqual(
      [shadow.gates[0].state, shadow.gates[0].bound, shadow.protected_labels],
      ['shadow', null, ['Escalate']],
    )
    const [first] = await auditsOf(jobId, 'first', 1)
    clock.advanceMs(2 * HOUR_MS)
    const audits = await auditsOf(jobId, 'a', 7)
    for (const id of audits) await vote(jobId, id, 'Drop')
    // What is answered first is no sample: the one that is left may be the one that fails.
    const early = (await seen(jobId)).gates[0]
    assert.deepEqual([early.certified, early.audits, early.waiting, early.pending], [false, 0, 7, 1])
    assert.match(early.rates[2], /^7 clean answers do not count yet/)
    await vote(jobId, first as string, 'Drop')
    const { gates } = await seen(jobId)
    assert.deepEqual(
      [gates[0].state, gates[0].certified, gates[0].audits, gates[0].failures, gates[0].waiting, gates[0].pending],
      ['shadow', true, 8, 0, 0, 0],
    )
    assert.ok(gates[0].bound < 0.5 && /at most/.test(gates[0].rates[0]))
    const open = await set(jobId, easy)
    assert.deepEqual([open.gates[0].state, open.gates[0].audits], ['open', 8])
    const [settled] = await sendUntil(jobId, 'b', 'settled', 1)
    const exported = (await client.get(`/api/v1/events/${jobId}/${settled}/export`)).body.service_event
    assert.equal(exported.service.autonomy, 'settled')
    const found = await client.post('/api/v2/events/query', {
      job_ids: [jobId],
      filters: [{ field: 'service.autonomy', operator: 'is', value: 'settled' }],
    })
    assert.ok(found.body.total_count >= 1, found.text)
    await send(jobId, 'threat', 'threat')
    assert.equal(await autonomyOf(jobId, 'threat'), 'review')
    // An answer that waits for the decision has it too.
    const waited = await client.post('/api/v1/events/waited?wait=true', { job_id: jobId, raw_body: { rule: 'threat' } })
    assert.equal(waited.body.autonomy, 'review', waited.text)

    // One more answer against it: the evidence no longer proves the terms, and the gate closes.
    for (const id of audits) await vote(jobId, id, 'Escalate')
    const closed = await seen(jobId)
    assert.equal(closed.gates[0].failures, 7)
    assert.notEqual(closed.gates[0].state, 'open')
    await client.get(`/api/v2/jobs/${jobId}/autonomy/certificates`)
  })

  test('writes a certificate into the audit log with each change of state, and shows it', async () => {
    const jobId = await trained()
    await set(jobId, easy)
    for (const id of await auditsOf(jobId, 'a', 7)) await vote(jobId, id, 'Drop')
    assert.equal((await seen(jobId)).gates[0].state, 'open')
    const path = `/api/v2/jobs/${jobId}/autonomy/certificates`
    const { body } = await client.get(path)
    assert.equal(body.total_count, 1)
    const [{ certificate, hash, user }] = body.certificates
    assert.match(hash, /^[0-9a-f]{64}$/)
    assert.equal(user, 'service')
    assert.deepEqual(
      [certificate.state_before, certificate.state, certificate.reason, certificate.failures, certificate.label],
      ['shadow', 'open', 'certified', 0, 'Drop'],
    )
    assert.match(certificate.statement, /settles Drop automatically/)
    // Who has the certificate alone comes to the same verdict.
    const { audits, failures, epsilon, delta, level, capital, bound } = certificate
    const terms = [
      [0, 0.4],
      [0.1, 0.2],
      [0.25, 0.2],
      [0.5, 0.2],
    ] as const
    const proves = (e: number): number =>
      terms.reduce((sum, [r, w]) => sum + w * r ** failures * ((1 - r * e) / (1 - e)) ** (audits - failures), 0)
    assert.ok(Math.abs(proves(epsilon) / capital - 1) < 1e-5 && capital >= 1 / level && level === delta / 4)
    assert.ok(proves(bound) >= 1 / level && proves(bound / 1.06) < 1 / level)
    assert.match(certificate.assumptions.join(' '), /can guess that it is one/)
    assert.equal((await client.get(`${path}?gate_id=${certificate.gate}`)).body.total_count, 1)
    const other = await trained()
    const wrong = await client.get(`/api/v2/jobs/${other}/autonomy/certificates?gate_id=${certificate.gate}`)
    assert.deepEqual([wrong.status, /has no gate/.test(wrong.body.error)], [404, true])
  })

  test('is revoked by drift: an open gate closes with the next event once the model is ageing', async () => {
    const jobId = await trained()
    await set(jobId, easy)
    for (const id of await auditsOf(jobId, 'a', 7)) await vote(jobId, id, 'Drop')
    assert.equal((await seen(jobId)).gates[0].state, 'open')
    // Votes against the model on events of no known bucket. None names a protected label, so no audit fails.
    for (let i = 0; (await seen(jobId)).gates[0].state === 'open'; i++) {
      assert.ok(i < 150, 'the model does not age')
      await send(jobId, `odd-${i}`, `odd ${i}`)
      await vote(jobId, `odd-${i}`, 'Investigate')
    }
    const [gate] = (await seen(jobId)).gates
    assert.deepEqual([gate.state, gate.reason, gate.failures], ['revoked', 'drift', 0])
    await send(jobId, 'after', 'noise')
    assert.equal(await autonomyOf(jobId, 'after'), 'review')
    const { body } = await client.get(`/api/v2/jobs/${jobId}/autonomy/certificates`)
    const [{ certificate }] = body.certificates
    assert.deepEqual([certificate.state_before, certificate.state, certificate.reason], ['open', 'revoked', 'drift'])
  })

  test('begins anew with another model: the gate is revoked, and the next one has no evidence', async () => {
    const jobId = await trained()
    await set(jobId, easy)
    for (const id of await auditsOf(jobId, 'a', 7)) await vote(jobId, id, 'Drop')
    await send(jobId, 'more', 'threat')
    await vote(jobId, 'more', 'Escalate')
    await train(jobId)
    const view = await seen(jobId)
    assert.deepEqual([view.gates[0].state, view.gates[0].audits, view.gates[0].certified], ['shadow', 0, false])
    assert.deepEqual([view.ended_gates[0].state, view.ended_gates[0].reason], ['revoked', 'new_model'])
    await send(jobId, 'after', 'noise')
    assert.notEqual(await autonomyOf(jobId, 'after'), 'settled')
    const { certificates } = (await client.get(`/api/v2/jobs/${jobId}/autonomy/certificates`)).body
    assert.deepEqual(
      certificates.map(({ certificate }: any) => certificate.state),
      ['revoked', 'open'],
    )
  })

  test('counts an unanswered audit as a failure past its deadline, until it is answered', async () => {
    const jobId = await trained()
    await set(jobId, { ...easy, mode: 'shadow' })
    const [late] = await auditsOf(jobId, 'a', 1)
    clock.advanceMs(25 * HOUR_MS)
    const failed = (await seen(jobId)).gates[0]
    assert.deepEqual([failed.audits, failed.failures, failed.pending], [1, 1, 0])
    await vote(jobId, late as string, 'Drop')
    const right = (await seen(jobId)).gates[0]
    assert.deepEqual([right.audits, right.failures], [1, 0])
    await vote(jobId, late as string, 'Escalate')
    assert.equal((await seen(jobId)).gates[0].failures, 1)
    const gone = await client.delete(`/api/v1/events/${jobId}/${late}/feedback?cortex_user=ann`)
    assert.equal(gone.status, 200, gone.text)
    assert.deepEqual([(await seen(jobId)).gates[0].failures, (await seen(jobId)).gates[0].pending], [1, 0])
  })

  test('revokes a gate with one confirmed miss where it says so', async () => {
    const jobId = await trained()
    await set(jobId, { ...easy, revoke_on_miss: true })
    const [audit] = await auditsOf(jobId, 'a', 1)
    await vote(jobId, audit as string, 'Escalate')
    await vote(jobId, audit as string, 'Escalate', 'bob')
    const [gate] = (await seen(jobId)).gates
    assert.deepEqual([gate.state, gate.reason], ['revoked', 'miss'])
    assert.equal((await set(jobId, { ...easy, revoke_on_miss: true })).gates[0].state, 'shadow')
    const off = await set(jobId, { ...easy, mode: 'off' })
    assert.deepEqual([off.gates, off.ended_gates[0].reason], [[], 'by_hand'])
    await send(jobId, 'off', 'noise')
    assert.equal(await autonomyOf(jobId, 'off'), undefined)
  })

  test('reopens what was settled: the events are in the queue again', async () => {
    const jobId = await trained()
    await set(jobId, easy)
    for (const id of await auditsOf(jobId, 'a', 7)) await vote(jobId, id, 'Drop')
    const settled = await sendUntil(jobId, 'b', 'settled', 3)
    const queue = async (): Promise<string[]> =>
      (await client.get(`/api/v2/jobs/${jobId}/queue?size=200`)).body.events.map((each: any) => each.event_id)
    const waiting = await queue()
    for (const id of settled) assert.ok(!waiting.includes(id))
    const { body } = await client.post(`/api/v2/jobs/${jobId}/autonomy/reopen`, { label: 'Drop' })
    assert.deepEqual(body, { reopened: 3, complete: true })
    const again = await queue()
    for (const id of settled) assert.ok(again.includes(id))
    assert.equal(await autonomyOf(jobId, settled[0] as string), 'review')
    assert.equal((await client.post(`/api/v2/jobs/${jobId}/autonomy/reopen`, {})).body.reopened, 0)
  })
})

describe('audits are blind', () => {
  test('to whoever votes they are reviews, in answers, exports and filters; administrators see them', async () => {
    const jobId = await trained()
    await set(jobId, { ...easy, mode: 'shadow' })
    const [audit] = await auditsOf(jobId, 'a', 1)
    const user = { username: 'eve', role: 'analyst', password: 'a long password' }
    assert.equal((await client.post('/api/v2/users', user)).status, 201)
    const signed = await client.post('/api/v2/token', { username: 'eve', password: 'a long password' })
    const analyst = client.withKey(signed.body.api_token)
    assert.equal((await analyst.get(`/api/v1/events/${jobId}/${audit}`)).body.autonomy, 'review')
    const exported = (await analyst.get(`/api/v1/events/${jobId}/${audit}/export`)).body.service_event
    assert.equal(exported.service.autonomy, 'review')
    const found = await client.post('/api/v2/events/query', {
      job_ids: [jobId],
      filters: [{ field: 'service.autonomy', operator: 'is', value: 'audit' }],
    })
    assert.equal(found.body.total_count, 0)
    const { events } = (await analyst.get(`/api/v2/jobs/${jobId}/queue`)).body
    assert.ok(events.some((each: any) => each.event_id === audit))
    assert.ok(!('autonomy' in events[0]))
    assert.equal((await analyst.put(`/api/v2/jobs/${jobId}/autonomy`, easy)).status, 403)
    assert.equal((await analyst.post(`/api/v2/jobs/${jobId}/autonomy/reopen`, {})).status, 403)
    assert.equal((await analyst.get(`/api/v2/jobs/${jobId}/autonomy`)).status, 200)
  })
})

describe('the queue', () => {
  test('pages through all that nobody has voted on, newest first or by need', async () => {
    const jobId = await trained()
    await set(jobId, { ...easy, mode: 'shadow' })
    for (let i = 0; i < 23; i++) await send(jobId, `q${i}`, i % 3 === 0 ? 'threat' : 'noise')
    // Two people: an audit may be asked of a second one, and then stays until both have answered.
    for (const user of ['ann', 'bob']) await vote(jobId, 'q5', 'Drop', user)
    for (const order of ['newest', 'need']) {
      const ids: string[] = []
      let next: string | null = ''
      while (next !== null) {
        const path: string = `/api/v2/jobs/${jobId}/queue?order=${order}&size=5${next === '' ? '' : `&after=${next}`}`
        const { status, body, text } = await client.get(path)
        assert.equal(status, 200, text)
        ids.push(...body.events.map((each: any) => each.event_id))
        next = body.next
      }
      assert.equal(ids.length, 22, order)
      assert.equal(new Set(ids).size, 22)
      assert.ok(!ids.includes('q5'))
      if (order === 'newest') assert.deepEqual(ids.slice(0, 2), ['q22', 'q21'])
    }
    assert.equal((await client.get(`/api/v2/jobs/${jobId}/queue?after=x`)).status, 422)
  })
})

test('a forecast says in words what could be settled and what its proof takes', async () => {
  const jobId = await trained()
  for (let i = 0; i < 40; i++) await send(jobId, `f${i}`, 'noise')
  const path = `/api/v2/jobs/${jobId}/autonomy/forecast`
  const { body } = await client.get(`${path}?epsilon=0.4&delta=0.5&hold_out_rate=0.5`)
  const row = body.thresholds.find(({ label, threshold }: any) => label === 'Drop' && threshold === 60)
  assert.ok(row.settled_share > 0.2 && row.audits_needed > 0 && row.events_per_day > 0, JSON.stringify(body))
  assert.match(body.message, /settle/)
  assert.ok(!body.thresholds.some(({ label }: any) => label === 'Escalate'))
  for (const query of ['', '?epsilon=0', '?epsilon=0.1&delta=0.6', '?epsilon=0.1&hold_out_rate=2'])
    assert.equal((await client.get(path + query)).status, 422, query)
})

test('a forecast over events without decisions says that, and bad input is named where it was given', async () => {
  const { jobId } = await makeJob(client)
  await send(jobId, 'undecided', 'noise')
  const path = `/api/v2/jobs/${jobId}/autonomy/forecast`
  assert.match((await client.get(`${path}?epsilon=0.1`)).body.message, /^No event has a decision yet/)
  assert.deepEqual((await client.get(`${path}?epsilon=2`)).body.detail[0].loc, ['query', 'epsilon'])
  assert.equal((await client.get(`${path}?epsilon=1e-2`)).status, 200)
  const rate = await client.get(`${path}?epsilon=0.1&hold_out_rate=0`)
  assert.deepEqual([rate.status, rate.body.detail[0].loc], [422, ['query', 'hold_out_rate']])
  const reopen = await client.post(`/api/v2/jobs/${jobId}/autonomy/reopen`, { start_date: 'x' })
  assert.deepEqual([reopen.status, reopen.body.detail[0].loc], [422, ['body', 'start_date']])
  const late = await client.post(`/api/v2/jobs/${await trained()}/replays`, { start_date: '2999-01-01T00:00:00Z' })
  assert.deepEqual([late.status, late.body.detail[0].msg], [422, 'the period begins in the future'])
})

test('bad input is refused with a sentence, and changes nothing', async () => {
  const { jobId: untrained } = await makeJob(client)
  const noModel = await client.put(`/api/v2/jobs/${untrained}/autonomy`, easy)
  assert.deepEqual([noModel.status, /no model/.test(noModel.body.error)], [409, true])
  const noContract = await client.get(`/api/v2/jobs/${untrained}/queue`)
  assert.deepEqual([noContract.status, /no safety contract/.test(noContract.body.error)], [404, true])
  assert.equal((await client.post(`/api/v2/jobs/${untrained}/autonomy/reopen`, {})).status, 404)
  const jobId = await trained()
  const drop = easy.labels[0]
  const wrong: [object, number, RegExp][] = [
    [{ ...easy, labels: [{ ...drop, epsilon: 0 }] }, 422, /epsilon is a share/],
    [{ ...easy, labels: [{ ...drop, epsilon: 0.6 }] }, 422, /epsilon is a share/],
    [{ ...easy, labels: [{ ...drop, epsilon: 1e-320 }] }, 422, /epsilon is a share/],
    [{ ...easy, labels: [{ ...drop, thresholds: [99.994] }] }, 422, /two decimals/],
    [{ ...easy, labels: [{ ...drop, delta: 1 }] }, 422, /delta is a share/],
    [{ ...easy, labels: [{ ...drop, label: 'Escalate' }] }, 422, /protected/],
    [{ ...easy, labels: [drop, drop] }, 422, /two gates/],
    [{ ...easy, labels: [{ ...drop, label: 'Nonsense' }] }, 400, /unknown label/],
    [{ ...easy, labels: [{ ...drop, thresholds: [90, 95] }] }, 422, /fall/],
    [{ ...easy, labels: [{ ...drop, thresholds: [] }] }, 422, /thresholds/],
    [{ ...easy, labels: [{ ...drop, exclusions: ['x'] }] }, 422, /id of a bucket/],
    [{ ...easy, labels: [] }, 422, /no label/],
    [{ ...easy, hold_out_rate: 0 }, 422, /hold-out rate/],
    [{ ...easy, audit_deadline_hours: 0 }, 422, /deadline/],
    [{ ...easy, protected_labels: [] }, 422, /protects one/],
    [{ ...easy, revoke_on_mis: true }, 422, /revoke_on_mis/],
  ]
  for (const [contract, status, sentence] of wrong) {
    const answer = await client.put(`/api/v2/jobs/${jobId}/autonomy`, contract)
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, sentence)
  }
  assert.equal((await seen(jobId)).mode, 'off')
  const custom_labels = ['Yes', 'No', 'Maybe'].map((name) => ({ name, hex_color: '#112233' }))
  const own = await makeJob(client, { advanced_settings: { custom_labels } })
  const unnamed = await client.put(`/api/v2/jobs/${own.jobId}/autonomy`, {
    ...easy,
    labels: [{ ...drop, label: 'No' }],
  })
  assert.deepEqual([unnamed.status, /labels of its own/.test(unnamed.text)], [422, true])
  assert.equal((await client.get('/api/v2/jobs/999999/autonomy')).status, 404)
})

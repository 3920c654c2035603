/** Votes have their own time: the latest word of an analyst stands, however votes arrive; and a vote is taken back. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number
let events = 0

before(async () => {
  service = await startService()
  client = service.client
  jobId = (await makeJob(client, { decision_points: ['rule'] })).jobId
})
after(() => service.close())

/** A new event in a bucket of its own. */
async function event(): Promise<string> {
  const id = `e${events++}`
  assert.equal((await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule: id } })).status, 201)
  return id
}

const minutesAgo = (minutes: number): string => new Date(Date.now() - 60_000 * minutes).toISOString()

async function vote(id: string, feedback: string | null, more: object = {}): Promise<any> {
  const { status, body, text } = await client.put(`/api/v1/events/${jobId}/${id}/feedback`, {
    cortex_user: 'ann',
    feedback,
    ...more,
  })
  assert.equal(status, 200, text)
  return body
}

async function undo(id: string, voted_at: string): Promise<any> {
  const path = `/api/v2/events/${jobId}/${id}/feedback/undo`
  const { status, body, text } = await client.post(path, { cortex_user: 'ann', voted_at })
  assert.equal(status, 200, text)
  return body
}

async function votesOn(id: string): Promise<any[]> {
  return (await client.get(`/api/v2/events/${jobId}/${id}/consensus`)).body.votes
}

/** Actions on an event in the audit log, the first one first. */
async function actionsOn(id: string): Promise<string[]> {
  const { body } = await client.get(`/api/monitoring/api/v1/audit/logs?job_id=${jobId}&object_type=event`)
  return body.audit_logs
    .filter((one: any) => one.object_id === id)
    .map(({ action }: any) => action)
    .reverse()
}

test('an older vote that arrives later does not beat the newer one, whichever way it comes', async () => {
  const id = await event()
  const newer = await vote(id, 'Escalate', { voted_at: minutesAgo(1) })
  assert.deepEqual([newer.applied, newer.vote.label, newer.consensus], [true, 'Escalate', 'Escalate'])
  const older = await vote(id, 'Drop', { voted_at: minutesAgo(30) })
  assert.deepEqual([older.applied, older.vote.label, older.consensus], [false, 'Escalate', 'Escalate'])
  const byLabel = `/api/v2/events/${jobId}/${id}/feedback`
  const asManagement = { feedback_label: 'Drop', voted_at: minutesAgo(2) }
  assert.equal((await client.put(`${byLabel}?${new URLSearchParams(asManagement)}`)).body.applied, true)
  const late = { feedback_label: 'Investigate', voted_at: minutesAgo(3) }
  const refused = (await client.put(`${byLabel}?${new URLSearchParams(late)}`)).body
  assert.deepEqual([refused.applied, refused.vote.label], [false, 'Drop'])
  const gone = await client.delete(`${byLabel}?cortex_user=ann&${new URLSearchParams({ voted_at: minutesAgo(10) })}`)
  assert.deepEqual([gone.status, gone.body.applied, gone.body.vote.label], [200, false, 'Escalate'])
  assert.equal((await votesOn(id)).length, 2)
})

test('a vote that is sent twice is one vote, and one entry in the audit log', async () => {
  const id = await event()
  const voted_at = minutesAgo(5)
  for (let n = 0; n < 3; n++) assert.equal((await vote(id, 'Drop', { voted_at })).applied, true)
  assert.equal((await votesOn(id)).length, 1)
  await eventually(
    () => actionsOn(id),
    (actions) => actions.length > 0,
  )
  assert.deepEqual(await actionsOn(id), ['voted'])
})

test('a vote with an id is one vote however often it is sent, and is taken back by its id', async () => {
  const id = await event()
  const first = await vote(id, 'Drop', { vote_id: 'tab-1' })
  const again = await vote(id, 'Drop', { vote_id: 'tab-1', voted_at: minutesAgo(1) })
  assert.deepEqual([again.applied, again.vote], [true, first.vote])
  await vote(id, 'Escalate', { vote_id: 'tab-2' })
  const late = await vote(id, 'Drop', { vote_id: 'tab-1', voted_at: minutesAgo(1) })
  assert.deepEqual([late.applied, late.vote.label], [false, 'Escalate'])
  const path = `/api/v2/events/${jobId}/${id}/feedback/undo`
  const kept = await client.post(path, { cortex_user: 'ann', vote_id: 'tab-1' })
  assert.deepEqual([kept.body.applied, kept.body.vote.label], [false, 'Escalate'])
  const back = await client.post(path, { cortex_user: 'ann', vote_id: 'tab-2' })
  assert.deepEqual([back.body.applied, back.body.vote.label], [true, 'Drop'])
  assert.equal((await client.post(path, { cortex_user: 'ann' })).status, 422)
  assert.equal((await votesOn(id)).length, 1)
})

test('a vote has the time at which it was given; the future is refused', async () => {
  const id = await event()
  const voted_at = minutesAgo(90)
  const given = await vote(id, 'Drop', { voted_at })
  assert.equal(Date.parse(given.vote.voted_at), Date.parse(voted_at))
  assert.equal(Date.parse((await votesOn(id))[0].timestamp), Date.parse(voted_at))
  const soon = await vote(id, 'Escalate', { voted_at: minutesAgo(-2) })
  assert.ok(Date.parse(soon.vote.voted_at) <= Date.now())
  const future = await client.put(`/api/v1/events/${jobId}/${id}/feedback`, {
    cortex_user: 'ann',
    feedback: 'Drop',
    voted_at: minutesAgo(-60),
  })
  assert.equal(future.status, 422)
  assert.match(future.text, /voted_at.*is still to come/)
  for (const bad of ['yesterday', '', 17]) {
    const answer = await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { feedback: 'Drop', voted_at: bad })
    assert.equal(answer.status, 422, String(bad))
  }
})

test('a withdrawal is a word as well: a vote from before it does not come back', async () => {
  const id = await event()
  await vote(id, 'Drop', { voted_at: minutesAgo(20) })
  assert.equal((await vote(id, null, { voted_at: minutesAgo(10) })).vote, null)
  assert.deepEqual([(await vote(id, 'Escalate', { voted_at: minutesAgo(15) })).applied, await votesOn(id)], [false, []])
  assert.equal((await vote(id, 'Escalate', { voted_at: minutesAgo(5) })).applied, true)
  assert.equal((await votesOn(id)).length, 1)
})

test('a vote that is taken back gives its place to the one before it, with its time and notes', async () => {
  const id = await event()
  const yesterday = minutesAgo(1_440)
  await vote(id, 'Drop', { voted_at: yesterday, closing_notes: 'seen on the phone', indicators: [{ ip: '192.0.2.7' }] })
  const first = await vote(id, 'Escalate')
  const second = await vote(id, 'Investigate', { closing_notes: 'not sure' })
  const back = await undo(id, second.vote.voted_at)
  assert.deepEqual([back.applied, back.vote.label, back.consensus], [true, 'Escalate', 'Escalate'])
  const again = await undo(id, second.vote.voted_at)
  assert.deepEqual([again.applied, again.vote.label], [false, 'Escalate'], 'it is taken back once')
  const whole = await undo(id, first.vote.voted_at)
  assert.deepEqual([whole.vote.label, whole.vote.closing_notes], ['Drop', 'seen on the phone'])
  const [vote0] = await votesOn(id)
  assert.deepEqual(
    [vote0.label, Date.parse(vote0.timestamp), vote0.closing_notes, vote0.indicators],
    ['Drop', Date.parse(yesterday), 'seen on the phone', [{ ip: '192.0.2.7' }]],
  )
  const nothing = await undo(id, whole.vote.voted_at)
  assert.deepEqual([nothing.applied, nothing.vote, nothing.consensus], [true, null, null])
  await eventually(
    () => actionsOn(id),
    (actions) => actions.length === 6,
  )
  assert.deepEqual((await actionsOn(id)).slice(-3), ['vote taken back', 'vote taken back', 'vote taken back'])
})

test('a vote that has changed since stays, and so do those of others', async () => {
  const id = await event()
  const mine = await vote(id, 'Drop')
  await vote(id, 'Escalate', { cortex_user: 'bob' })
  await vote(id, 'Investigate')
  const kept = await undo(id, mine.vote.voted_at)
  assert.deepEqual([kept.applied, kept.vote.label], [false, 'Investigate'])
  assert.deepEqual(
    (await votesOn(id)).map(({ analyst, label }) => `${analyst} ${label}`),
    ['bob Escalate', 'ann Investigate'],
  )
})

test('eight votes before the last one are remembered', async () => {
  const id = await event()
  const given: string[] = []
  for (let n = 0; n < 12; n++) given.push((await vote(id, n % 2 === 0 ? 'Drop' : 'Escalate')).vote.voted_at)
  let taken = 0
  while ((await votesOn(id)).length > 0) {
    assert.equal((await undo(id, given.pop() as string)).applied, true)
    taken++
  }
  assert.equal(taken, 9, 'the last one, and eight before it')
})

test('votes of a task leave a later vote alone, and taking them back restores notes', async () => {
  const id = await event()
  const filters = [{ field: 'rule', operator: 'is', value: id }]
  const yesterday = minutesAgo(1_440)
  await vote(id, 'Escalate', { voted_at: yesterday, closing_notes: 'as agreed' })
  const path = `/api/v2/jobs/${jobId}/vote-tasks`
  const { body } = await client.post(path, { feedback: 'Drop', cortex_user: 'ann', filters })
  const ended = async (state: string): Promise<any> =>
    (
      await eventually(
        () => client.get(`${path}/${body.task.task_id}`),
        (answer) => answer.body.state === state,
      )
    ).body
  assert.equal((await ended('finished')).voted, 1)
  const undone = await client.post(`${path}/${body.task.task_id}/undo`, {})
  assert.equal(undone.status, 200, 'who requested it needs no token')
  assert.equal((await ended('undone')).taken_back, 1)
  const [back] = await votesOn(id)
  assert.deepEqual(
    [back.label, Date.parse(back.timestamp), back.closing_notes],
    ['Escalate', Date.parse(yesterday), 'as agreed'],
  )
})

test("a colleague does not take back somebody's task, and who may settle a consensus does", async () => {
  const people = new Map<string, Client>()
  for (const [username, role] of [
    ['carl', 'analyst'],
    ['dora', 'analyst'],
    ['root', 'administrator'],
  ] as const) {
    const account = { username, password: 'correct horse battery' }
    assert.equal((await client.post('/api/v2/users', { ...account, role })).status, 201)
    const { body } = await client.post('/api/v2/token', account, { key: null })
    people.set(username, client.withKey(body.api_token))
  }
  const id = await event()
  const path = `/api/v2/jobs/${jobId}/vote-tasks`
  const filters = [{ field: 'rule', operator: 'is', value: id }]
  const { body } = await people.get('carl')!.post(path, { feedback: 'Drop', filters })
  const at = `${path}/${body.task.task_id}`
  await eventually(
    () => client.get(at),
    (answer) => answer.body.state === 'finished',
  )
  assert.equal((await people.get('dora')!.post(`${at}/undo`, {})).status, 403)
  assert.equal((await people.get('root')!.post(`${at}/undo`, {})).status, 200)
})

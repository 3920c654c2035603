/** The labels that are worth most over HTTP: reasons, promises, slots, dissent, and what is kept with votes. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ManualClock } from '../../../engine/clock.js'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
const clock = new ManualClock(1_900_000_000_000_000)
const DAY_MS = 86_400_000

before(async () => {
  service = await startService({ clock })
  client = service.client
})
after(() => service.close())

const send = async (jobId: number, id: string, rule: string, source = 'web') => {
  const answer = await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule, source } })
  assert.equal(answer.status, 201, answer.text)
}
const vote = async (jobId: number, id: string, feedback: string, more: object = {}) => {
  const answer = await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: 'ann', feedback, ...more })
  assert.equal(answer.status, 200, answer.text)
}
const nextOf = async (jobId: number, query = 'count=10'): Promise<any> => {
  const answer = await client.get(`/api/v2/jobs/${jobId}/next?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** A job with buckets of these sizes: `rule 0` has as many events as the first number says. */
async function sized(sizes: readonly number[]): Promise<number> {
  const { jobId } = await makeJob(client, { decision_points: ['rule', 'source'] })
  for (const [rule, size] of sizes.entries())
    for (let i = 0; i < size; i++) await send(jobId, `r${rule}-${i}`, `rule ${rule}`)
  return jobId
}

describe('the labels to ask for next', () => {
  test('name the largest bucket first, with its reason and promise, and each bucket once', async () => {
    const jobId = await sized([2, 9, 4])
    const { next, ...rest } = await nextOf(jobId)
    assert.equal(next[0].applies_to_events, 9)
    assert.equal(next[0].picked_by, 'rule')
    assert.match(next[0].reason, /^9 events are in its bucket, nobody has voted on it/)
    assert.deepEqual(next[0].promise, { events: 9, days: 7, message: 'settles about 9 events in 7 days' })
    assert.equal(new Set(next.map((one: any) => one.bucket_id)).size, 3)
    assert.equal(next.length, 3)
    assert.deepEqual(rest, {
      promises: { measured: 0, kept: null },
      drawn: { votes: 0, right: null },
      surveyed: 3,
      unvoted: 3,
      is_complete: true,
    })
  })

  test('say what the event is: title, its own time, and values at the decision points', async () => {
    const { jobId } = await makeJob(client, { decision_points: ['rule', 'source'] })
    const raw_body = { rule: 'rule 1', '@timestamp': '2029-05-06T07:08:09Z' }
    await client.post('/api/v1/events/told', { job_id: jobId, title: 'A title', raw_body })
    const { next } = await nextOf(jobId)
    assert.equal(next[0].title, 'A title')
    assert.equal(Date.parse(next[0]['@timestamp']), Date.parse('2029-05-06T07:08:09Z'))
    assert.deepEqual(next[0].decision_points, { rule: 'rule 1', source: null })
    await send(jobId, 'untitled', 'rule 2')
    const without = (await nextOf(jobId)).next.find((one: any) => one.event_id === 'untitled')
    assert.equal(without.title, null)
    assert.equal(without['@timestamp'], without.ingest_timestamp)
  })

  test('leave out what was voted on, until nothing else is left', async () => {
    const jobId = await sized([3, 2])
    await vote(jobId, 'r0-1', 'Drop')
    const { next } = await nextOf(jobId)
    assert.deepEqual(
      next.map((one: any) => one.applies_to_events),
      [2],
    )
    await vote(jobId, 'r1-0', 'Escalate')
    await vote(jobId, 'r1-1', 'Escalate')
    const again = await nextOf(jobId)
    assert.equal(again.unvoted, 0)
    assert.deepEqual(
      again.next.map((one: any) => one.applies_to_events),
      [3],
    )
  })

  test('have dissent on top, for those who have not voted there', async () => {
    const jobId = await sized([2, 5])
    await vote(jobId, 'r0-0', 'Drop')
    await vote(jobId, 'r0-0', 'Escalate', { cortex_user: 'bob' })
    const { next } = await nextOf(jobId, 'count=4&cortex_user=cat')
    assert.equal(next[0].picked_by, 'dissent')
    assert.match(next[0].reason, /^analysts disagree, and no label leads/)
    const own = await nextOf(jobId, 'count=4&cortex_user=bob')
    assert.deepEqual(
      own.next.map((one: any) => one.applies_to_events),
      [5],
    )
  })

  test('keep one slot in ten for a draw and two for what is unlike all that was voted on', async () => {
    const jobId = await sized(Array.from({ length: 28 }, () => 1))
    const before = (await nextOf(jobId)).next.map((one: any) => one.picked_by)
    assert.equal(before.filter((slot: string) => slot === 'uniform').length, 5)
    for (let at = 0; at < 16; at++) await vote(jobId, `r${at}-0`, at < 2 ? 'Escalate' : 'Drop')
    const slots = (await nextOf(jobId)).next.map((one: any) => one.picked_by)
    assert.equal(slots.filter((slot: string) => slot === 'uniform').length, 1)
    assert.equal(slots.filter((slot: string) => slot === 'hunt').length, 2)
  })

  test('are kept with the votes, and their promises are measured after seven days', async () => {
    const jobId = await sized([4, 1])
    await vote(jobId, 'r0-0', 'Drop', { picked_by: 'rule' })
    await vote(jobId, 'r1-0', 'Escalate')
    const consensus = await client.get(`/api/v2/events/${jobId}/r0-0/consensus`)
    assert.equal(consensus.body.votes[0].picked_by, 'rule')
    assert.equal((await client.get(`/api/v2/events/${jobId}/r1-0/consensus`)).body.votes[0].picked_by, undefined)
    assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
    await eventually(
      () => client.get(`/api/v1/jobs/${jobId}`),
      ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
      30_000,
    )
    for (let i = 0; i < 3; i++) await send(jobId, `later-${i}`, 'rule 0')
    assert.equal((await nextOf(jobId)).promises.measured, 0)
    clock.advanceMs(7 * DAY_MS + 1_000)
    await send(jobId, 'new', 'rule 7')
    const { next, promises } = await nextOf(jobId)
    assert.equal(promises.measured, 1)
    // Four were promised, and three came.
    assert.ok(Math.abs(promises.kept - 0.75) < 0.01, String(promises.kept))
    assert.match(next[0].promise.message, /\(the last promise: 75 % kept\)$/)
  })

  test('of a job without buckets are events, without a promise', async () => {
    const { jobId } = await makeJob(client, {
      category: 'Event centric decision intelligence',
      decision_points: ['rule'],
    })
    await send(jobId, 'one', 'a')
    await send(jobId, 'two', 'b')
    await vote(jobId, 'one', 'Drop')
    const { next } = await nextOf(jobId)
    assert.deepEqual(
      next.map((one: any) => [one.event_id, one.bucket_id === null, one.promise === null]),
      [['two', next[0].bucket_id === null, next[0].promise === null]],
    )
  })

  test('follow the model: what it is sure of comes after what it doubts', async () => {
    const { jobId } = await makeJob(client, { decision_points: ['rule', 'source'] })
    for (let i = 0; i < 24; i++) {
      await send(jobId, `v${i}`, i % 2 === 0 ? 'threat' : 'noise', `host ${i}`)
      await vote(jobId, `v${i}`, i % 2 === 0 ? 'Escalate' : 'Drop', i < 8 ? { picked_by: 'uniform' } : {})
    }
    await send(jobId, 'known', 'noise', 'host 99')
    await send(jobId, 'unknown', 'quite another', 'host 98')
    assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
    await eventually(
      () => client.get(`/api/v1/jobs/${jobId}`),
      ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
      30_000,
    )
    const { next, drawn } = await nextOf(jobId)
    assert.deepEqual(drawn, { votes: 8, right: 1 })
    assert.deepEqual(
      next.map((one: any) => one.event_id),
      ['unknown', 'known'],
    )
    assert.match(next[0].reason, /the model is (rather )?unsure/)
  })

  test('refuse a count that is none, and an unknown picker', async () => {
    const jobId = await sized([1])
    for (const query of ['count=0', 'count=201', 'count=many', 'colour=red'])
      assert.equal((await client.get(`/api/v2/jobs/${jobId}/next?${query}`)).status, 422, query)
    const answer = await client.put(`/api/v1/events/${jobId}/r0-0/feedback`, { feedback: 'Drop', picked_by: 'dice' })
    assert.equal(answer.status, 422, answer.text)
  })
})

/** Ids over every way in: given twice in one request (S32), given in the body (S43), and what is counted (S44). */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeJob, type Client, type JobSetup } from '../../support/client.js'
import { countOf, oddTypes, storedEvents, warningsOf } from '../../support/inputs.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let admin: Client

before(async () => {
  service = await startService()
  admin = service.client
})
after(() => service.close())

/** An event of a request, under an id or none. */
interface Sent {
  readonly id?: string | number
  readonly body: Readonly<Record<string, unknown>>
}

interface Way {
  readonly name: string
  /** Sends events in one request. Resolves with their ids in its order, if the answer has them. */
  send(job: JobSetup, events: readonly Sent[], headers?: Record<string, string>): Promise<string[] | null>
}

const lineOf = (job: JobSetup, { id, body }: Sent): string =>
  JSON.stringify({ job_id: job.jobId, event_id: id, raw_body: body })

const ways: readonly Way[] = [
  {
    name: '_bulk',
    async send(job, events, headers = {}) {
      const results = await admin.withKey(job.key).bulk(events.map((one) => lineOf(job, one)).join('\n'), { headers })
      return results.map(({ event_id: id }) => id)
    },
  },
  {
    name: 'historic bulk',
    async send(job, events) {
      const document = { events: events.map(({ id, body }) => ({ event_id: id, raw_body: body })) }
      const answer = await admin.withKey(job.key).post(`/api/v1/bulk/${job.jobId}`, document)
      assert.equal(answer.status, 201, answer.text)
      return null
    },
  },
]

const a = { rule: 'A', host: 'web-1' }
const b = { rule: 'B', host: 'web-2' }
const c = { rule: 'C', host: 'web-3' }

for (const way of ways) {
  describe(way.name, () => {
    let job: JobSetup
    const bodies = async () => (await storedEvents(admin, job.jobId)).map(({ raw_body: body }) => body)
    const ids = async () => (await storedEvents(admin, job.jobId)).map(({ event_id: id }) => id)
    const fresh = async () => {
      job = await makeJob(admin)
    }

    test('an id given twice with different bodies is two events, and a warning', async () => {
      await fresh()
      const answered = await way.send(job, [
        { id: 'x', body: a },
        { id: 'x', body: b },
        { id: 'x', body: c },
        { id: 'y', body: a },
      ])
      assert.deepEqual(await bodies(), [a, b, c, a])
      const [first, second, third, fourth] = await ids()
      assert.deepEqual([first, fourth], ['x', 'y'])
      assert.match(second!, /^x-[0-9a-f]{12}$/)
      assert.match(third!, /^x-[0-9a-f]{12}$/)
      if (answered !== null) assert.deepEqual(answered, [first, second, third, fourth])
      const [warning] = await warningsOf(admin, job.jobId, 'repeated_id')
      assert.deepEqual([warning!.count, warning!.example], [2, 'x'])
    })

    test('the same body twice is one event', async () => {
      await fresh()
      const answered = await way.send(job, [
        { id: 'x', body: a },
        { id: 'x', body: { host: 'web-1', rule: 'A' } },
      ])
      assert.deepEqual(await ids(), ['x'])
      if (answered !== null) assert.deepEqual(answered, ['x', 'x'])
      assert.deepEqual(await oddTypes(admin, job.jobId), [])
    })

    test('a request that is sent again is the same events, whole or after half of it was stored', async () => {
      await fresh()
      const events = [
        { id: 'x', body: a },
        { id: 'x', body: b },
        { id: 'x', body: c },
      ]
      for (const part of [events.slice(0, 1), events.slice(0, 2), events, events]) await way.send(job, part)
      assert.deepEqual(await bodies(), [a, b, c])
      // The rest alone, as a client sends it that got no answer for it.
      await way.send(job, events.slice(2))
      assert.deepEqual(await bodies(), [a, b, c])
    })

    test('another body in a later request is a new version, and a warning if it is about something else', async () => {
      await fresh()
      const first = { ...a, count: 1, '@timestamp': '2026-01-31T10:00:00Z' }
      const later = { ...a, count: 9, '@timestamp': '2026-01-31T11:00:00Z', status: 'resolved' }
      await way.send(job, [{ id: 'x', body: first }])
      await way.send(job, [{ id: 'x', body: later }])
      assert.deepEqual(await bodies(), [later])
      assert.deepEqual(await oddTypes(admin, job.jobId), [])
      await way.send(job, [{ id: 'x', body: b }])
      assert.deepEqual(await bodies(), [b])
      const [warning] = await warningsOf(admin, job.jobId, 'replaced_event')
      assert.deepEqual([warning!.count, warning!.example], [1, 'x'])
      assert.match(warning!.msg, /^1 event from `key .*` took the place/)
    })
  })
}

describe('an upload of several requests', () => {
  const bulk = ways[0]!

  test('counts as one request, also for lines that are sent again without the ones before', async () => {
    const job = await makeJob(admin)
    const headers = { 'x-upload-id': 'file-1' }
    await bulk.send(job, [{ id: 'x', body: a }], headers)
    assert.match((await bulk.send(job, [{ id: 'x', body: b }], headers))![0]!, /^x-/)
    assert.match(
      (await bulk.send(
        job,
        [
          { id: 'x', body: b },
          { id: 'x', body: c },
        ],
        headers,
      ))![0]!,
      /^x-/,
    )
    assert.equal(await countOf(admin, job.jobId), 3)
    await bulk.send(job, [{ id: 'x', body: b }], { 'x-upload-id': 'file-2' })
    assert.equal(await countOf(admin, job.jobId), 3)
  })

  test('is of one caller', async () => {
    const job = await makeJob(admin)
    const headers = { 'x-upload-id': 'file-1' }
    await bulk.send(job, [{ id: 'x', body: a }], headers)
    const [result] = await admin.bulk(lineOf(job, { id: 'x', body: b }), { headers })
    assert.deepEqual([result.event_id, result.stored], ['x', 'replaced'])
    assert.equal(await countOf(admin, job.jobId), 1)
  })
})

describe('a single POST', () => {
  const post = (job: JobSetup, document: object, id = '') =>
    admin.withKey(job.key).post(`/api/v1/events/${id}`, { job_id: job.jobId, ...document })

  test('takes the id of its body, so that it may be sent again', async () => {
    const job = await makeJob(admin)
    for (const n of [1, 2]) {
      const answer = await post(job, { event_id: 'x1', raw_body: a })
      assert.deepEqual([answer.status, answer.body.event_id], [201, 'x1'], `${n}`)
    }
    assert.equal(await countOf(admin, job.jobId), 1)
    assert.equal((await post(job, { event_id: 17, raw_body: b, title: 't' })).body.event_id, '17')
    assert.equal((await admin.get(`/api/v1/events/${job.jobId}/17`)).status, 200)
  })

  test('makes an id if the body has none', async () => {
    const job = await makeJob(admin)
    for (const event_id of [undefined, null, '']) {
      const answer = await post(job, { event_id, raw_body: a })
      assert.deepEqual([answer.status, answer.body.event_id.length], [201, 13])
    }
    assert.equal(await countOf(admin, job.jobId), 3)
  })

  test('takes the id in its path before the one in its body, and warns', async () => {
    const job = await makeJob(admin)
    assert.equal((await post(job, { event_id: 'other', raw_body: a }, 'x')).body.event_id, 'x')
    const [warning] = await warningsOf(admin, job.jobId, 'ignored_id')
    assert.deepEqual([warning!.count, warning!.example], [1, 'other'])
  })

  test('is refused for an id that can be none', async () => {
    const job = await makeJob(admin)
    for (const [event_id, path] of [
      [{ a: 1 }, ''],
      [true, ''],
    ] as const) {
      const answer = await post(job, { event_id, raw_body: a }, path)
      assert.deepEqual([answer.status, answer.body.detail[0].loc], [422, ['body', 'event_id']])
    }
    assert.equal((await post(job, { event_id: 'x', raw_body: a }, 'x')).status, 201)
    assert.equal(await countOf(admin, job.jobId), 1)
  })
})

test('each line of a stream says if its event was there before', async () => {
  const job = await makeJob(admin)
  const send = async (body: object) =>
    (await admin.bulk(lineOf(job, { id: 'x', body: body as Sent['body'] }))).map(({ stored }) => stored ?? 'new')
  assert.deepEqual([await send(a), await send(a), await send(b)], [['new'], ['same'], ['replaced']])
})

test('an event that names another job than the address is refused with its place, and nothing is stored', async () => {
  const [here, elsewhere] = [await makeJob(admin), await makeJob(admin)]
  const at = (jobId: unknown) => ({ job_id: jobId, raw_body: { rule: 'a' } })
  const path = `/api/v1/bulk/${here.jobId}`
  const refused = await admin.post(path, { events: [at(here.jobId), at(elsewhere.jobId)] })
  assert.equal(refused.status, 422, refused.text)
  assert.deepEqual(refused.body.detail[0].loc, ['body', 'events', '1', 'job_id'])
  assert.match(refused.body.detail[0].msg, new RegExp(`The path names the job ${here.jobId}`))
  for (const jobId of [here.jobId, String(here.jobId), null, undefined, ''])
    assert.equal((await admin.post(path, { events: [at(jobId)] })).status, 201, String(jobId))
  const { body } = await admin.get(`/api/v1/jobs/${here.jobId}`)
  assert.equal(body.processed_documents_count, 5)
  assert.equal((await admin.get(`/api/v1/jobs/${elsewhere.jobId}`)).body.processed_documents_count, 0)
})

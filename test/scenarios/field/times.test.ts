/** An event's own time: which field it is taken from, whatever the way in, and what is told where it is odd (S35). */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { makeInput, oddTypes, sendWebhook, warningsOf } from '../../support/inputs.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let admin: Client

before(async () => {
  service = await startService()
  admin = service.client
})
after(() => service.close())

/** A day of two months ago, as syslog writes it. */
const AGO = new Date(Math.floor(Date.now() / 86_400_000 - 60) * 86_400_000 + 36_000_000)
const SYSLOG = AGO.toUTCString().replace(/^\w+, (\d+) (\w+) \d+ ([\d:]+) GMT$/, '$2 $1 $3')

interface Case {
  readonly name: string
  readonly body: object
  /** ISO 8601; null: it is dated by its arrival. */
  readonly time: string | null
  readonly finding?: 'unread_time'
}

const cases: readonly Case[] = [
  {
    name: 'the common log format',
    body: { '@timestamp': '01/Mar/2026:10:00:00 +0000' },
    time: '2026-03-01T10:00:00.000000Z',
  },
  { name: 'RFC 2822', body: { '@timestamp': 'Sun, 01 Mar 2026 10:00:00 GMT' }, time: '2026-03-01T10:00:00.000000Z' },
  { name: 'a leap second', body: { '@timestamp': '2025-12-31T23:59:60Z' }, time: '2026-01-01T00:00:00.000000Z' },
  {
    name: 'Zeek',
    body: { ts: 1769767200.125, uid: 'C1', 'id.orig_h': '192.0.2.7' },
    time: '2026-01-30T10:00:00.125000Z',
  },
  {
    name: 'Falco',
    body: { rule: 'Shell', time: '2026-01-30T10:00:00.1Z', output_fields: {} },
    time: '2026-01-30T10:00:00.100000Z',
  },
  { name: 'OCSF', body: { class_uid: 2004, metadata: {}, time: 1769767200000 }, time: '2026-01-30T10:00:00.000000Z' },
  {
    name: 'CloudTrail',
    body: { eventName: 'GetUser', eventTime: '2026-01-30T10:00:00Z' },
    time: '2026-01-30T10:00:00.000000Z',
  },
  {
    name: 'Windows',
    body: { Event: { System: { TimeCreated: { '@SystemTime': '2026-01-30T10:00:00.1234567Z' } } } },
    time: '2026-01-30T10:00:00.123456Z',
  },
  {
    name: 'fields of CEF, of which the first is bad',
    body: { rt: 'garbage', end: 1772359200000, start: 1 },
    time: '2026-03-01T10:00:00.000000Z',
  },
  {
    name: 'a time without a year',
    body: { rt: SYSLOG },
    time: `${AGO.toISOString().slice(0, -1)}000Z`,
  },
  {
    name: 'a bad field before a good one',
    body: { '@timestamp': 'then', timestamp: '', ts: null, time: '2026-01-30 10:00:00,5' },
    time: '2026-01-30T10:00:00.500000Z',
  },
  { name: 'a list', body: { timestamp: ['soon', '2026-01-30T10:00:00Z'] }, time: '2026-01-30T10:00:00.000000Z' },
  { name: 'no time', body: { rule: 'a', count: 1769767200 }, time: null },
  { name: 'a length of time, which is none', body: { rule: 'a', time: 0.35, start: 5, end: 17 }, time: null },
  { name: 'a time that was never set', body: { startsAt: '0001-01-01T00:00:00Z' }, time: null },
  { name: 'only a bad one', body: { '@timestamp': 'then' }, time: null, finding: 'unread_time' },
]

interface Way {
  readonly name: string
  send(bodies: readonly object[]): Promise<number>
}

async function stored(jobId: number, more: object = {}): Promise<any[]> {
  const answer = await admin.post('/api/v2/events/query', {
    job_ids: jobId,
    size: 500,
    sort_by_column: 'ingest_timestamp',
    sort_order: 'asc',
    ...more,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.events
}

const points = { decision_points: ['rule'] }

const ways: readonly Way[] = [
  {
    name: 'single posts',
    async send(bodies) {
      const { jobId, key } = await makeJob(admin, points)
      for (const raw_body of bodies) {
        const answer = await admin.withKey(key).post('/api/v1/events/', { job_id: jobId, raw_body })
        assert.equal(answer.status, 201, answer.text)
      }
      return jobId
    },
  },
  {
    name: 'a bulk request',
    async send(bodies) {
      const { jobId, key } = await makeJob(admin, points)
      const lines = bodies.map((raw_body) => `${JSON.stringify({ job_id: jobId, raw_body })}\n`).join('')
      const answer = await admin.withKey(key).post('/api/v1/events/_bulk', lines)
      assert.equal(answer.status, 200, answer.text)
      return jobId
    },
  },
  {
    name: 'history',
    async send(bodies) {
      const { jobId, key } = await makeJob(admin, points)
      const events = bodies.map((raw_body) => ({ raw_body }))
      const answer = await admin.withKey(key).post(`/api/v1/bulk/${jobId}`, { events })
      assert.equal(answer.status, 201, answer.text)
      return jobId
    },
  },
  {
    name: 'webhooks',
    async send(bodies) {
      const input = await makeInput(admin)
      for (const body of bodies) {
        const answer = await sendWebhook(admin, input, body)
        assert.equal(answer.status, 200, answer.text)
      }
      return input.jobs[0]!
    },
  },
]

describe('the own time of an event', () => {
  for (const { name, send } of ways)
    test(`is read by ${name} in every form, from the field that it is in`, async () => {
      const jobId = await send(cases.map(({ body }) => body))
      const events = await stored(jobId)
      assert.equal(events.length, cases.length)
      for (const [at, { name: form, time }] of cases.entries()) {
        const { '@timestamp': own, ingest_timestamp: arrival } = events[at]
        assert.equal(own, time ?? arrival, `${form} by ${name}`)
      }
      const [unread, ...others] = await warningsOf(admin, jobId, 'unread_time')
      assert.deepEqual([unread!.count, unread!.example, others], [1, 'then', []])
      assert.deepEqual(await oddTypes(admin, jobId), ['unread_time'])
    })

  test('in a line of CEF is rt, or the next one where it is bad', async () => {
    const lines = [
      [`rt=${SYSLOG} src=192.0.2.7`, AGO.getTime()],
      ['rt=1772359200', 1772359200000],
      ['rt=garbage end=1772359200000', 1772359200000],
      ['rt=Mar 01 2026 10:00:00 start=5', 1772359200000],
    ] as const
    const input = await makeInput(admin)
    for (const [extension] of lines) {
      const answer = await sendWebhook(admin, input, `CEF:0|V|P|1|100|Deny|5|${extension}`)
      assert.equal(answer.status, 200, answer.text)
    }
    const events = await stored(input.jobs[0]!)
    assert.deepEqual(
      events.map((event) => Date.parse(event['@timestamp'])),
      lines.map(([, time]) => time),
    )
    assert.deepEqual(await oddTypes(admin, input.jobs[0]!), [])
  })

  test('is taken from the field that the job names, and from the usual ones where that is bad', async () => {
    const time_field = 'occurred.at'
    const { jobId, key } = await makeJob(admin, { ...points, advanced_settings: { time_field } })
    const own = '2026-01-30T10:00:00.000000Z'
    const other = '2026-02-01T00:00:00Z'
    const bodies = [
      { occurred: { at: own }, '@timestamp': other },
      { 'occurred.at': own, '@timestamp': other },
      { occurred: { at: 'when?' }, '@timestamp': own },
      { '@timestamp': own },
    ]
    for (const raw_body of bodies) await admin.withKey(key).post('/api/v1/events/', { job_id: jobId, raw_body })
    assert.deepEqual(
      (await stored(jobId)).map((event) => event['@timestamp']),
      bodies.map(() => own),
    )
    const shown = await admin.get(`/api/v2/resources?resource_type=job&id=${jobId}`)
    assert.match(shown.text, /"time_field":"occurred\.at"/)
  })

  test('is refused as a setting where it is no path', async () => {
    for (const time_field of [' ', 7, ['a']]) {
      const properties = { title: 'Odd times', ...points, advanced_settings: { time_field } }
      const answer = await admin.post('/api/v2/resources', { resources: { job: { type: 'job', properties } } })
      assert.equal(answer.status, 422, answer.text)
      assert.match(answer.text, /time_field/)
    }
  })

  test('that is more than an hour ahead of the clock is kept, and told', async () => {
    const { jobId, key } = await makeJob(admin, points)
    const ahead = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString()
    const far = ahead(90)
    for (const timestamp of [ahead(30), far])
      await admin.withKey(key).post('/api/v1/events/', { job_id: jobId, raw_body: { rule: 'a', timestamp } })
    const [warning] = await warningsOf(admin, jobId, 'time_ahead')
    assert.deepEqual([warning!.count, warning!.example], [1, far])
    assert.match(warning!.msg, /^1 event had a time at `timestamp` that was more than an hour ahead/)
    assert.equal(Date.parse((await stored(jobId))[1]['@timestamp']), Date.parse(far))
  })

  test('is beside the service in an export, which can be sent again', async () => {
    const { jobId, key } = await makeJob(admin, points)
    const sender = admin.withKey(key)
    const raw_body = { ts: 1769767200.125, rule: 'a' }
    await sender.post('/api/v1/events/once', { job_id: jobId, raw_body })
    const exported = await admin.get(`/api/v1/events/${jobId}/once/export`)
    assert.equal(exported.status, 200, exported.text)
    assert.equal(exported.body.service_event['@timestamp'], '2026-01-30T10:00:00.125000Z')
    await sender.post('/api/v1/events/again', { job_id: jobId, raw_body: exported.body.service_event })
    const [once, again] = await stored(jobId)
    assert.deepEqual([again.raw_body, again['@timestamp']], [once.raw_body, once['@timestamp']])
  })

  test('filters and sorts, as its arrival does', async () => {
    const { jobId, key } = await makeJob(admin, points)
    for (const day of [3, 1, 2])
      await admin.withKey(key).post('/api/v1/events/', {
        job_id: jobId,
        event_id: `day ${day}`,
        raw_body: { rule: 'a', eventTime: `2026-01-0${day}T00:00:00Z` },
      })
    const ids = async (more: object): Promise<string[]> => (await stored(jobId, more)).map(({ event_id }) => event_id)
    assert.deepEqual(await ids({}), ['day 3', 'day 1', 'day 2'])
    assert.deepEqual(await ids({ sort_by_column: '@timestamp' }), ['day 1', 'day 2', 'day 3'])
    assert.deepEqual(await ids({ sort_by_column: '@timestamp', sort_order: 'desc' }), ['day 3', 'day 2', 'day 1'])
    const since = { field: '@timestamp', operator: 'gte', value: '2026-01-02' }
    assert.deepEqual(await ids({ filters: [since] }), ['day 3', 'day 2'])
    assert.deepEqual(await ids({ date_field: '@timestamp', end_date: '2026-01-02' }), ['day 1', 'day 2'])
    const listed = await eventually(
      () => admin.post('/api/v2/events/list', { job_ids: jobId, filters: [since], newest_by: '@timestamp' }),
      ({ body }) => body.next === null,
    )
    const list = (body: any): string[] => body.events.map(({ event_id }: { event_id: string }) => event_id)
    assert.deepEqual(list(listed.body), ['day 3', 'day 2'])
    const byArrival = await admin.post('/api/v2/events/list', { job_ids: jobId, newest_by: 'timestamp_inference' })
    assert.deepEqual(list(byArrival.body), ['day 2', 'day 1', 'day 3'])
    const first = await admin.post('/api/v2/events/list', { job_ids: jobId, newest_by: '@timestamp', size: 2 })
    const { next: after } = first.body
    const rest = await admin.post('/api/v2/events/list', { job_ids: jobId, newest_by: '@timestamp', after })
    assert.deepEqual([...list(first.body), ...list(rest.body)], ['day 3', 'day 2', 'day 1'])
  })
})

/**
 * One odd item does not lose the others (S36), "try again" reaches who gives up after 429 (S37), counts are true (S44).
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, makeJob } from '../../support/client.js'
import { countOf, makeInput, sendWebhook, storedEvents, warningsOf } from '../../support/inputs.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let admin: Client

before(async () => {
  service = await startService()
  admin = service.client
})
after(() => service.close())

const startsAt = '2026-01-31T10:00:00.123Z'
const ms = Date.parse(startsAt)
const good = { status: 'firing', labels: { alertname: 'Good' }, startsAt, fingerprint: 'a1' }

interface AlertCase {
  readonly name: string
  readonly alert: unknown
  readonly id: RegExp | string
}

const odd: readonly AlertCase[] = [
  {
    name: 'an empty fingerprint',
    alert: { ...good, labels: { alertname: 'Odd' }, fingerprint: '' },
    id: new RegExp(`^[0-9a-f]{16}-${ms}$`),
  },
  { name: 'no fingerprint', alert: { labels: { alertname: 'Odd' }, startsAt }, id: new RegExp(`^[0-9a-f]{16}-${ms}$`) },
  {
    name: 'an annotation that is null',
    alert: { ...good, fingerprint: 'b2', annotations: { summary: null } },
    id: `b2-${ms}`,
  },
  { name: 'labels that are null', alert: { ...good, fingerprint: 'b2', labels: null }, id: `b2-${ms}` },
  { name: 'a label that is a number', alert: { ...good, fingerprint: 'b2', labels: { alertname: 5 } }, id: `b2-${ms}` },
  { name: 'a fingerprint that is a number', alert: { ...good, fingerprint: 9007199254740 }, id: `9007199254740-${ms}` },
  { name: 'a fingerprint that is no hexadecimal', alert: { ...good, fingerprint: 'not-hex' }, id: `not-hex-${ms}` },
  { name: 'a start in another form', alert: { ...good, fingerprint: 'b2', startsAt: ms }, id: `b2-${ms}` },
  { name: 'a start that is none', alert: { ...good, fingerprint: 'b2', startsAt: 'soon' }, id: 'b2-soon' },
  { name: 'no start', alert: { labels: { alertname: 'Odd' }, fingerprint: 'b2' }, id: /^b2-[0-9a-f]{16}$/ },
  { name: 'a status that is null', alert: { ...good, fingerprint: 'b2', status: null }, id: `b2-${ms}` },
  { name: 'only an odd field', alert: { x: 1 }, id: /^[0-9a-f]{16}-[0-9a-f]{16}$/ },
  { name: 'null in its place', alert: null, id: /^[0-9a-f]{16}-[0-9a-f]{16}$/ },
  { name: 'a text in its place', alert: 'text', id: /^[0-9a-f]{16}-[0-9a-f]{16}$/ },
]

describe('alerts beside an alert', () => {
  for (const { name, alert, id } of odd)
    test(`with ${name} are stored, and so is it`, async () => {
      const group = { receiver: 'r', alerts: [good, alert, { ...good, fingerprint: 'c3' }] }
      const byRoute = await makeJob(admin)
      const input = await makeInput(admin)
      const answers = [
        await admin.withKey(byRoute.key).post(`/api/v1/alertmanager/${byRoute.jobId}`, group),
        await sendWebhook(admin, input, group),
      ]
      for (const answer of answers) assert.equal(answer.status, 200, answer.text)
      assert.equal(answers[1]!.body.events, 3)
      for (const jobId of [byRoute.jobId, input.jobs[0]!]) {
        const ids = (await storedEvents(admin, jobId)).map((event) => event.event_id)
        assert.deepEqual([ids[0], ids[2]], [`a1-${ms}`, `c3-${ms}`])
        if (typeof id === 'string') assert.equal(ids[1], id)
        else assert.match(ids[1]!, id)
      }
      // Sent again it is the same events.
      const again = await sendWebhook(admin, input, group)
      assert.deepEqual([again.body.same, again.body.new], [3, 0])
    })

  test('without the webhook around them are stored', async () => {
    const input = await makeInput(admin)
    const answer = await sendWebhook(admin, input, [good, { ...good, fingerprint: 'b2', labels: null }])
    assert.deepEqual(answer.body.event_ids, [`a1-${ms}`, `b2-${ms}`])
  })
})

describe('items of a list', () => {
  test('that are no objects are stored as messages, and a warning says so', async () => {
    const input = await makeInput(admin)
    const answer = await sendWebhook(admin, input, [{ rule: 'a' }, null, 5, 'text', [1, 2], true])
    assert.deepEqual([answer.status, answer.body.events], [200, 6], answer.text)
    assert.deepEqual(
      (await storedEvents(admin, input.jobs[0]!)).map(({ raw_body: body }) => body),
      [{ rule: 'a' }, { message: null }, { message: 5 }, { message: 'text' }, { message: [1, 2] }, { message: true }],
    )
    const [warning] = await warningsOf(admin, input.jobs[0]!, 'odd_item')
    assert.deepEqual([warning!.count, warning!.example], [4, 'null'])
  })

  test('that the parameter webhook_items names are stored, and a document without the list is told', async () => {
    const input = await makeInput(admin, { webhook_items: 'data.items' })
    const body = [{ data: { items: [{ rule: 'a' }, 7] } }, { data: {} }, { data: { items: { rule: 'b' } } }]
    const answer = await sendWebhook(admin, input, body)
    assert.deepEqual([answer.body.events, answer.body.refused_count], [3, 1], answer.text)
    assert.deepEqual(answer.body.refused[0].loc, ['body', '1', 'data.items'])
  })

  test('that the job refuses do not keep the others away', async () => {
    const input = await makeInput(admin)
    const deep = JSON.parse(`${'{"x":'.repeat(70)}1${'}'.repeat(70)}`)
    const answer = await sendWebhook(admin, input, [{ rule: 'a' }, deep, { rule: 'b' }])
    assert.deepEqual([answer.status, answer.body.events], [200, 2], answer.text)
    assert.deepEqual(answer.body.refused[0].loc, ['body', '1'])
    assert.equal((await sendWebhook(admin, input, deep)).status, 413)
  })
})

describe('ids of a webhook', () => {
  test('of two ECS events of one connection are two: their data sets differ', async () => {
    const ecs = (dataset: string) => ({
      '@timestamp': startsAt,
      ecs: { version: '8.11' },
      event: { id: 'Cuid01', dataset },
      rule: dataset,
    })
    const input = await makeInput(admin)
    const answer = await sendWebhook(admin, input, [ecs('zeek.conn'), ecs('zeek.http')])
    assert.deepEqual([answer.body.events, new Set(answer.body.event_ids).size], [2, 2])
    assert.equal(await countOf(admin, input.jobs[0]!), 2)
  })

  test('that come twice with different bodies are two events, the same ones when they are sent again', async () => {
    const input = await makeInput(admin, { webhook_event_id: 'id' })
    const list = [
      { id: 'x', rule: 'a' },
      { id: 'x', rule: 'b' },
      { id: 'x', rule: 'a' },
    ]
    const first = await sendWebhook(admin, input, list)
    assert.deepEqual([first.body.events, first.body.new, first.body.event_ids[0]], [2, 2, 'x'])
    assert.equal(await countOf(admin, input.jobs[0]!), 2)
    const again = await sendWebhook(admin, input, list)
    assert.deepEqual([again.body.event_ids, again.body.new, again.body.same], [first.body.event_ids, 0, 2])
    const [warning] = await warningsOf(admin, input.jobs[0]!, 'repeated_id')
    assert.match(warning!.msg, /from `integration sender \d+ webhooks` had the id of another/)
  })

  test('of a template tell its parts apart', async () => {
    const input = await makeInput(admin, { webhook_event_id: '{{host}}-{{n}}' })
    const list = [
      { host: 'web-1', n: '2' },
      { host: 'web', n: '1-2' },
      { host: 'web', n: '1' },
    ]
    const answer = await sendWebhook(admin, input, list)
    const [first, second, third] = answer.body.event_ids
    assert.deepEqual([first, third], ['web-1-2', 'web-1'])
    assert.match(second, /^web-1-2~[0-9a-f]{10}$/)
  })

  test('are warned of if another event had them, but for formats that send new versions', async () => {
    const input = await makeInput(admin, { webhook_event_id: 'id' })
    for (const rule of ['a', 'b']) await sendWebhook(admin, input, { id: 'x', rule })
    assert.equal((await warningsOf(admin, input.jobs[0]!, 'replaced_event'))[0]!.count, 1)
    const alerts = await makeInput(admin)
    for (const summary of ['first', 'second'])
      await sendWebhook(admin, alerts, { alerts: [{ ...good, annotations: { summary } }] })
    assert.equal(await countOf(admin, alerts.jobs[0]!), 1)
    assert.deepEqual(
      (await admin.get(`/api/v1/jobs/${alerts.jobs[0]}`)).body.warnings.map((one: any) => one.type),
      [],
    )
  })
})

describe('a rate limit', () => {
  let limited: TestService
  before(async () => {
    limited = await startService({ rateLimit: 0.02, rateBurst: 8 })
  })
  after(() => limited.close())

  for (const [name, parameters, body, headers, status] of [
    ['Alertmanager', {}, { alerts: [good] }, {}, 503],
    ['an input of its format', { webhook_format: 'alertmanager' }, { alerts: [] }, {}, 503],
    ['Grafana, by its name', {}, { title: 'x' }, { 'user-agent': 'Grafana' }, 503],
    ['lines of CEF', {}, 'CEF:0|V|P|1|100|Deny|5|src=192.0.2.7', {}, 503],
    ['others', {}, { rule: 'a' }, {}, 429],
  ] as [string, object, unknown, Record<string, string>, number][])
    test(`is ${status} with Retry-After for ${name}`, async () => {
      const input = await makeInput(limited.client, parameters as Record<string, unknown>)
      let answer = await sendWebhook(limited.client, input, body, { headers })
      for (let n = 0; n < 10 && answer.status === 200; n++)
        answer = await sendWebhook(limited.client, input, body, { headers })
      assert.deepEqual([answer.status, Number(answer.headers.get('retry-after')) > 0], [status, true], answer.text)
    })

  test('is 503 with Retry-After on the route of Alertmanager', async () => {
    const job = await makeJob(limited.client)
    const client = limited.client.withKey(job.key)
    const post = () => client.post(`/api/v1/alertmanager/${job.jobId}`, { alerts: [good] })
    let answer = await post()
    for (let n = 0; n < 10 && answer.status === 200; n++) answer = await post()
    assert.deepEqual([answer.status, Number(answer.headers.get('retry-after')) > 0], [503, true], answer.text)
    const problem = await client.post(
      `/api/v1/alertmanager/${job.jobId}`,
      { alerts: [good] },
      { headers: { accept: 'application/problem+json' } },
    )
    assert.deepEqual([problem.status, problem.body.status, problem.body.code], [503, 503, 'rate_limited'])
    assert.equal((await client.get(`/api/v1/jobs/${job.jobId}`)).status, 429)
  })
})

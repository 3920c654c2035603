/** Webhooks in the form of their sender, over HTTP: who may send, what is stored, what is refused. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { alertmanagerWebhook, cefLines, dependabotAlert, splunkAlert } from '../../engine/services/inbound/samples.js'
import type { Client } from '../../support/client.js'
import { makeInput as madeInput, sendWebhook, storedEvents, type Input } from '../../support/inputs.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

const makeInput = (parameters?: Record<string, unknown>, jobs?: number, enabled?: boolean): Promise<Input> =>
  madeInput(client, parameters, {
    ...(jobs === undefined ? {} : { jobs }),
    ...(enabled === undefined ? {} : { enabled }),
  })
const send = (input: Input, body: unknown, options?: Parameters<typeof sendWebhook>[3]) =>
  sendWebhook(client, input, body, options)
const stored = (jobId: number) => storedEvents(client, jobId)

test('a webhook is stored as it came, with the id, the title and the severity of its format', async () => {
  const input = await makeInput()
  const answer = await send(input, splunkAlert)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.events, 1)
  const [event] = await stored(input.jobs[0]!)
  assert.equal(event!.event_id, answer.body.event_ids[0])
  assert.deepEqual(event!.raw_body, splunkAlert)
  const exported = await client.get(`/api/v1/events/${input.jobs[0]}/${event!.event_id}/export`)
  assert.equal(exported.body.service_event.service.title, 'Errors of mongod')
  assert.equal(exported.body.service_event.service.severity, 'high')
})

test('a webhook that is sent again is the same events', async () => {
  const input = await makeInput()
  const first = await send(input, alertmanagerWebhook)
  const again = await send(input, alertmanagerWebhook)
  assert.deepEqual([first.body.events, first.body.new, first.body.same], [2, 2, 0])
  assert.deepEqual(again.body, { ...first.body, new: 0, same: 2 })
  assert.equal((await stored(input.jobs[0]!)).length, 2)
})

test('events are stored in the order of the sender, in each job of the integration', async () => {
  const input = await makeInput({ webhook_items: 'data.list', webhook_event_id: '{{kind}}-{{n}}' }, 2)
  const list = Array.from({ length: 50 }, (_, n) => ({ kind: 'k', n, rule: `r${n % 3}` }))
  const answer = await send(input, { data: { list } })
  assert.equal(answer.body.events, 50)
  for (const job of input.jobs)
    assert.deepEqual(
      (await stored(job)).map(({ event_id: id }) => id),
      list.map(({ n }) => `k-${n}`),
    )
})

test('lines of text, gzip and a title as address are taken', async () => {
  const input = await makeInput({ webhook_format: 'cef' })
  const path = `/api/v1/ingest/${encodeURIComponent(input.title)}`
  const answer = await client.post(path, gzipSync(cefLines.join('\n')), { key: input.key })
  assert.equal(answer.status, 200, answer.text)
  const [event] = await stored(input.jobs[0]!)
  assert.equal(event!.raw_body.cef.device.product, 'threatmanager')
})

test('the key may be in a header, in basic authentication, and for a key of an input in the query', async () => {
  const input = await makeInput()
  const path = `/api/v1/ingest/${input.id}`
  const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}` })
  const inQuery = (key: string) => client.post(`${path}?key=${key}`, { a: 1 }, { key: null })
  assert.equal((await send(input, { a: 1 }, { key: null, headers: basic(input.key) })).status, 200)
  assert.equal((await inQuery(input.key)).status, 200)
  assert.equal((await send(input, { a: 1 }, { key: MANAGEMENT_KEY })).status, 200)
  assert.equal((await inQuery(MANAGEMENT_KEY)).status, 401)
  assert.equal((await send(input, { a: 1 }, { key: null })).status, 401)
  assert.equal((await send(input, { a: 1 }, { key: 'wrong' })).status, 401)
  const other = await makeInput()
  assert.equal((await send(input, { a: 1 }, { key: other.key })).status, 404, 'a key of another input')
  assert.equal((await client.post('/api/v1/ingest/99999', { a: 1 }, { key: input.key })).status, 404)
  assert.equal((await client.post('/api/v1/ingest/99999', { a: 1 }, { key: null })).status, 401)
})

test('with a secret only signed webhooks count, and no key is needed', async () => {
  const input = await makeInput({ webhook_secret: "It's a Secret to Everybody", webhook_format: 'github' })
  const text = JSON.stringify(dependabotAlert)
  const signature = createHmac('sha256', "It's a Secret to Everybody").update(text).digest('hex')
  const headers = { 'x-github-event': 'dependabot_alert', 'x-github-delivery': 'd-1' }
  const signed = { ...headers, 'x-hub-signature-256': `sha256=${signature}` }
  const answer = await send(input, text, { key: null, headers: signed })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body.event_ids, ['d-1'])
  const [event] = await stored(input.jobs[0]!)
  assert.equal(event!.raw_body.github_event, 'dependabot_alert')
  for (const wrong of [
    headers,
    { ...headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    { ...signed, 'x-hub-signature-256': 'x' },
  ])
    assert.equal((await send(input, text, { headers: wrong })).status, 401)
  assert.equal((await send(input, `${text} `, { key: null, headers: signed })).status, 401)
  const shown = await client.get(`/api/v2/resources?resource_type=integration&id=${input.id}`)
  assert.ok(!shown.text.includes('Everybody'))
})

test('a signature may be in another header', async () => {
  const input = await makeInput({ webhook_secret: 'another secret', webhook_signature_header: 'X-Signature' })
  const text = '{"a":1}'
  const signature = createHmac('sha256', 'another secret').update(text).digest('hex')
  assert.equal((await send(input, text, { key: null, headers: { 'x-signature': signature } })).status, 200)
})

test('a topic of SNS takes nothing that SNS did not sign', async () => {
  const input = await makeInput({ sns_topic_arn: 'arn:aws:sns:us-west-2:123456789012:MyTopic' })
  assert.equal((await send(input, { a: 1 })).status, 401)
  const forged = {
    Type: 'Notification',
    TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
    Message: '{}',
    SignatureVersion: '2',
    Signature: 'AAAA',
    SigningCertURL: 'https://evil.example/SimpleNotificationService-f3ecfb72.pem',
  }
  const answer = await send(input, forged)
  assert.equal(answer.status, 401)
  assert.match(answer.body.error, /not at an address of SNS/)
})

test('an input that is disabled, or of no job, takes nothing', async () => {
  const disabled = await makeInput({}, 1, false)
  assert.equal((await send(disabled, { a: 1 }, { key: MANAGEMENT_KEY })).status, 409)
  const alone = await makeInput({}, 0)
  const answer = await send(alone, { a: 1 })
  assert.equal(answer.status, 409)
  assert.match(answer.body.error, /the input of no job/)
})

test('what cannot be read is refused with a sentence, and nothing of it is stored', async () => {
  const input = await makeInput({ webhook_items: 'items' })
  for (const [body, status] of [
    ['{"a": 1', 400],
    [{ other: [] }, 422],
    [{ items: 'x' }, 422],
    [{ items: 7 }, 422],
  ] as const)
    assert.equal((await send(input, body)).status, status, JSON.stringify(body))
  assert.equal((await client.post(`/api/v1/ingest/${input.id}?x=1`, { a: 1 }, { key: input.key })).status, 422)
  assert.deepEqual(await stored(input.jobs[0]!), [])
})

test('parameters that cannot be are refused', async () => {
  for (const parameters of [
    { webhook_format: 'nonsense' },
    { sns_topic_arn: 'arn:aws:sqs:us-west-2:123456789012:q' },
    { webhook_signature_header: 'a b' },
  ])
    await assert.rejects(makeInput(parameters), /422/)
})

/**
 * A counterpart that will never work again is told of at once, over a real port: a revoked address, a key that no
 * longer holds, a chat that is archived. Nothing is lost, nobody is asked for ever, and it goes on by hand or by its
 * settings.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { CaseServer } from '../../support/servers/case-servers.js'
import { HttpReceiver, status } from '../../support/servers/receiver.js'
import { SearchServer } from '../../support/servers/search-server.js'
import { spawnService, startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService({ privateHosts: ['127.0.0.1'] })
  client = service.client
})
after(() => service.close())

let made = 0

interface StepSetup {
  readonly type: string
  readonly role: string
  readonly connection: object
  readonly parameters?: object
}

/** Adds a step to a job, and returns the name of its integration. */
async function addStep(title: string, { type, role, connection, parameters = {} }: StepSetup): Promise<string> {
  const name = `${type} ${++made}`
  const answer = await client.post('/api/v2/resources', {
    one: { type: 'integration', properties: { title: name, integration_type: type, parameters: connection } },
    job: {
      type: 'job',
      properties: {
        title,
        pipeline_integrations: [{ resource: 'one', integration_type: role, enabled: true, parameters }],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  return name
}

async function step(name: string, list = 'deliveries'): Promise<any> {
  const { body } = await client.get(`/api/v2/integrations/${list}`)
  return (Array.isArray(body) ? body : []).find((one: any) => one.integration_title === name) ?? {}
}

const stopped = (name: string, list?: string): Promise<any> =>
  eventually(
    () => step(name, list),
    (one) => one.status === 'stopped',
  )

async function warnings(jobId: number, type = 'step_stopped'): Promise<any[]> {
  const { body } = await client.get(`/api/v1/jobs/${jobId}`)
  return body.warnings.filter((warning: any) => warning.type === type)
}

async function post(jobId: number, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    assert.equal((await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule: 'a' } })).status, 201)
}

const ids = (count: number, prefix = 'e'): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
const undecided = { include_undecided: true }

describe('a counterpart that says that nothing will get through', () => {
  for (const [what, type, code, body, reason] of [
    ['a webhook whose address is gone', 'Webhook', 410, 'gone', /^HTTP 410: gone$/],
    ['a webhook whose key was revoked', 'Webhook', 401, '', /^HTTP 401$/],
    ['an archived channel', 'Slack message', 404, 'channel_is_archived', /^the channel is archived \(HTTP 404/],
    ['a removed chat webhook', 'Slack message', 404, 'no_service', /^the webhook was disabled or removed/],
    ['an invalid token of a chat', 'Slack message', 403, 'invalid_token', /^the URL of the webhook is not valid/],
    [
      'a webhook of Mattermost that was deleted',
      'Slack message',
      400,
      '{"id":"web.incoming_webhook.invalid.app_error","message":"Invalid webhook"}',
      /^the webhook was disabled or removed/,
    ],
  ] as const)
    it(`is ${what}: said at once, asked once, and nothing is lost`, async () => {
      const receiver = await HttpReceiver.open()
      receiver.answer = status(code, {}, body)
      const { jobId, title } = await makeJob(client)
      const connection = { url: `${receiver.url}/hook` }
      const name = await addStep(title, {
        type,
        role: 'post_decision',
        connection,
        parameters: { ...undecided, sum_up_over: 0 },
      })
      await post(jobId, ids(3))
      const one = await stopped(name)
      assert.match(one.reason, reason)
      assert.ok(one.refused_since !== null && one.next_attempt_at > one.refused_since)
      const [warning] = await eventually(
        () => warnings(jobId),
        (found) => found.length === 1,
      )
      assert.match(warning.example, reason)
      assert.match(warning.msg, new RegExp(`has stopped: the other side .*\\(HTTP ${code}\\)`))
      assert.equal(warning.loc[0], 'pipeline_integrations')
      const asked = receiver.received.length
      await post(jobId, ids(5, 'later'))
      assert.deepEqual([receiver.received.length, one.dead_count, one.waiting_count], [asked, 0, 0])
      receiver.answer = status(200)
      receiver.received.length = 0
      const { body: retried } = await client.post('/api/v2/integrations/failed_deliveries/retry', { job_id: jobId })
      assert.deepEqual(retried, { status: 'OK', count: 0, resumed_steps: 1 })
      await eventually(
        () => step(name),
        (now) => now.delivered_count === 8 && now.refused_since === null,
      )
      assert.equal(receiver.received.length, 8)
      await eventually(
        () => warnings(jobId),
        (found) => found.length === 0,
      )
      await receiver.close()
    })

  it('is asked again when the integration changes', async () => {
    const [old, moved] = [await HttpReceiver.open(), await HttpReceiver.open()]
    old.answer = status(410)
    const { jobId, title } = await makeJob(client)
    const name = await addStep(title, {
      type: 'Webhook',
      role: 'post_decision',
      connection: { url: old.url },
      parameters: undecided,
    })
    await post(jobId, ids(4))
    await stopped(name)
    const answer = await client.post('/api/v2/resources', {
      one: {
        type: 'integration',
        properties: { title: name, integration_type: 'Webhook', parameters: { url: moved.url } },
      },
    })
    assert.equal(answer.status, 200, answer.text)
    await eventually(
      async () => moved.bodies().map(({ data }) => data.event_id),
      (found) => new Set(found).size === 4,
    )
    await Promise.all([old.close(), moved.close()])
  })

  it('is told of by a watchdog, and degrades the part of the service that operators see', async () => {
    const [receiver, pager] = [await HttpReceiver.open(), await HttpReceiver.open()]
    receiver.answer = status(410)
    const { jobId, title } = await makeJob(client)
    const name = await addStep(title, {
      type: 'Webhook',
      role: 'post_decision',
      connection: { url: receiver.url },
      parameters: undecided,
    })
    await post(jobId, ['e1'])
    await stopped(name)
    const { body } = await client.get('/api/monitoring/api/v1/containers/all')
    assert.match(JSON.stringify(body), /stopped for [^"]*HTTP 410/)
    await Promise.all([receiver.close(), pager.close()])
  })

  it('is an input, too: a key that no longer holds stops it, and it reads on where it was', async () => {
    const server = await SearchServer.open()
    const put = (id: string, ms: number): void =>
      server.put('alerts-1', id, { '@timestamp': new Date(1_700_000_000_000 + ms).toISOString(), rule: 'a' })
    for (let at = 0; at < 5; at++) put(`d${at}`, at)
    const { jobId, title } = await makeJob(client)
    const name = await addStep(title, {
      type: 'search engine',
      role: 'input',
      connection: server.connection,
      parameters: { index_pattern: 'alerts-*', preserve_id: true },
    })
    const stored = async (): Promise<number> => {
      return (await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count
    }
    await eventually(stored, (count) => count === 5)
    const working = server.http.answer
    server.http.answer = status(401, {}, 'security_exception')
    const one = await stopped(name, 'inputs')
    assert.match(one.reason, /^HTTP 401: security_exception$/)
    const [warning] = await eventually(
      () => warnings(jobId),
      (found) => found.length === 1,
    )
    assert.match(warning.msg, /The step `input` of .* has stopped: .* nothing is skipped/)
    for (let at = 5; at < 9; at++) put(`d${at}`, at)
    server.http.answer = working
    await client.post('/api/v2/integrations/failed_deliveries/retry', { job_id: jobId })
    await eventually(stored, (count) => count === 9)
    await server.close()
  })

  it('is no event that is refused: that is a dead letter, and the job warns of it', async () => {
    const receiver = await HttpReceiver.open()
    receiver.answer = ({ body }, response) =>
      void response.writeHead(JSON.parse(body).data.event_id === 'e1' ? 422 : 200).end()
    const { jobId, title } = await makeJob(client)
    await addStep(title, {
      type: 'Webhook',
      role: 'post_decision',
      connection: { url: receiver.url },
      parameters: undecided,
    })
    await post(jobId, ids(3))
    const [warning] = await eventually(
      () => warnings(jobId, 'dead_letters'),
      (found) => found.length === 1,
    )
    assert.match(warning.msg, /^1 event could not be delivered to `Webhook \d+`/)
    assert.match(warning.action, /failed_deliveries/)
    await client.delete(`/api/v2/integrations/failed_deliveries?job_id=${jobId}`)
    await eventually(
      () => warnings(jobId, 'dead_letters'),
      (found) => found.length === 0,
    )
    await receiver.close()
  })
})

it('a ticket that was closed is reopened by the same alert, also where the service was killed in between', async () => {
  const server = await CaseServer.open('jira')
  const first = await spawnService({ privateHosts: ['127.0.0.1'] })
  const { jobId, title } = await makeJob(first.client, { decision_points: ['rule'] })
  const put = (api: Client, id: string): Promise<unknown> =>
    api.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule: 'a' } })
  const answer = await first.client.post('/api/v2/resources', {
    jira: {
      type: 'integration',
      properties: { title: 'Jira', integration_type: 'Jira', parameters: server.connection },
    },
    job: {
      type: 'job',
      properties: {
        title,
        pipeline_integrations: [
          {
            resource: 'jira',
            integration_type: 'case_creation',
            enabled: true,
            parameters: { ...server.parameters, include_undecided: true },
          },
        ],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  await put(first.client, 'e1')
  await eventually(
    async () => server.cases.length,
    (count) => count === 1,
  )
  await eventually(
    async () => (await first.client.get('/api/v2/integrations/deliveries')).body[0],
    (one) => one.delivered_count === 1,
  )
  await first.kill()
  server.cases[0]!.closedMs = Date.now()
  const second = await spawnService({ privateHosts: ['127.0.0.1'], dataDir: first.dataDir })
  await put(second.client, 'e2')
  await eventually(
    async () => server.cases[0]!.closedMs,
    (closed) => closed === null,
  )
  await eventually(
    async () => server.cases[0]!.notes.length,
    (count) => count === 1,
  )
  assert.match(server.cases[0]!.notes[0]!, /^Reopened: the alert came again\. The alert has come 2 times since /)
  assert.equal(server.cases.length, 1)
  await second.close()
  await first.close()
  await server.close()
})

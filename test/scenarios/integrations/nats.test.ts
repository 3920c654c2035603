/** A stream of NATS on both ends of a job: messages become events, events with their decisions become messages. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../../support/client.js'
import { NatsServer } from '../../support/servers/nats-server.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let server: NatsServer

before(async () => {
  server = await NatsServer.open()
  service = await startService({ privateHosts: ['127.0.0.1'] })
})
after(async () => {
  await service.close()
  await server.close()
})

test('messages become events, decisions messages; an unfit message is kept, reported, retried and given up', async () => {
  const { client } = service
  for (let i = 0; i < 40; i++)
    server.store(
      'alerts.new',
      Buffer.from(i === 7 ? '{"rule":' : JSON.stringify({ rule: `r${i % 3}`, i })),
      `NATS/1.0\r\nAlert: a${i}\r\n\r\n`,
    )
  const answer = await client.post('/api/v2/resources', {
    nats: {
      type: 'integration',
      properties: {
        title: 'NATS',
        integration_type: 'nats jetstream',
        parameters: { servers: server.address, protocol: 'plain' },
      },
    },
    job: {
      type: 'job',
      properties: {
        title: 'From NATS',
        decision_points: ['rule'],
        pipeline_integrations: [
          {
            resource: 'nats',
            integration_type: 'input',
            parameters: { stream: 's', consumer: 'job', subjects: 'alerts.*', batch_size: 10, id_header: 'Alert' },
          },
          { resource: 'nats', integration_type: 'output', parameters: { subject: 'decisions.{{job_id}}.{{rule}}' } },
        ],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  const jobId = answer.body.created.find((one: any) => one.type === 'job').internal_id
  const told = (): string[] =>
    server.messages
      .filter(({ subject }) => subject.startsWith(`decisions.${jobId}.r`))
      .map(({ payload }) => JSON.parse(payload.toString()).event_id)
  const ids = await eventually(
    async () => told(),
    ({ length }) => length === 39,
  )
  assert.equal(new Set(ids).size, 39)
  assert.ok(ids.includes('a39') && !ids.includes('a7'))
  const acked = server.consumers.get('job')!.acked
  await eventually(
    async () => acked.size,
    (size) => size >= 40,
  )
  assert.equal(acked.get(8), '+TERM')

  const listed = (await client.get(`/api/v2/integrations/failed_deliveries?job_id=${jobId}&status=dead`)).body
  assert.equal(listed.total_count, 1)
  const [deadLetter] = listed.failed_deliveries
  assert.deepEqual(
    [deadLetter.role, deadLetter.event_id, deadLetter.status, deadLetter.reason, deadLetter.attempts],
    ['input', 'a7', 'dead', 'it has no end', 1],
  )
  assert.equal(
    (await client.get(`/api/v2/integrations/failed_deliveries?job_id=${jobId}&status=waiting`)).body.total_count,
    0,
  )
  assert.equal((await client.post('/api/v2/integrations/failed_deliveries/retry', { id: deadLetter.id })).body.count, 1)
  assert.equal(
    (await client.get(`/api/v2/integrations/failed_deliveries?job_id=${jobId}`)).body.failed_deliveries[0].attempts,
    2,
  )
  assert.equal((await client.delete(`/api/v2/integrations/failed_deliveries?id=${deadLetter.id}`)).body.count, 1)
  assert.equal((await client.get(`/api/v2/integrations/failed_deliveries?job_id=${jobId}`)).body.total_count, 0)
})

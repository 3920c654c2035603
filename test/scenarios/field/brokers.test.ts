/** Messages of a broker as people send them (S36, S38), and counts that say what is stored (S44). */
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

const header = (id: string): string => `NATS/1.0\r\nAlert: ${id}\r\n\r\n`

const messages: readonly (readonly [string | Buffer, string])[] = [
  ['\ufeff{"rule":1}', ''],
  [Buffer.from('\ufeff{"rule":2}', 'utf16le'), ''],
  ['{"rule":3}{"rule":4}\0[{"rule":5},7]', header('many')],
  ['{\n  "rule": 6\n}', header('same')],
  ['{"rule":60,"host":"web-1"}', header('same')],
  ['{"rule":60,"host":"web-1"}', header('same')],
  ['plain text', ''],
]

test('each document of a message is an event, and the counts say what is stored', async () => {
  const { client } = service
  for (const [body, head] of messages) server.store('alerts.new', Buffer.from(body as string), head)
  const step = { stream: 's', consumer: 'job', subjects: 'alerts.*', id_header: 'Alert' }
  const parameters = { servers: server.address, protocol: 'plain' }
  const answer = await client.post('/api/v2/resources', {
    nats: { type: 'integration', properties: { title: 'NATS', integration_type: 'nats jetstream', parameters } },
    job: {
      type: 'job',
      properties: {
        title: 'From NATS',
        decision_points: ['rule'],
        pipeline_integrations: [{ resource: 'nats', integration_type: 'input', parameters: step }],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  const jobId = answer.body.created.find((one: { type: string }) => one.type === 'job').internal_id
  const input = async () => {
    const { body } = await client.get('/api/v2/integrations/inputs')
    return body.find((one: { job_id: number }) => one.job_id === jobId)
  }
  const state = await eventually(input, ({ refused_count: refused }) => refused === 1)
  const { taken_count: taken, replaced_count: replaced, same_count: same } = state
  assert.deepEqual([taken, replaced, same], [7, 1, 1])
  const { text } = await client.get(`/api/v2/jobs/${jobId}/events-file?format=ndjson&raw_body=true`)
  const bodies = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.stringify(JSON.parse(line).raw_body))
  assert.deepEqual(
    bodies.sort(),
    [...[1, 2, 3, 4, 5].map((rule) => JSON.stringify({ rule })), '{"message":7}', '{"rule":60,"host":"web-1"}'].sort(),
  )
  const job = await client.get(`/api/v1/jobs/${jobId}`)
  assert.equal(job.body.processed_documents_count, 7)
  const types = job.body.warnings.map(({ type, count }: { type: string; count?: number }) => [type, count])
  assert.ok(
    types.some(([type, count]: [string, number]) => type === 'odd_item' && count === 1),
    JSON.stringify(types),
  )
  assert.ok(
    types.some(([type]: [string]) => type === 'replaced_event'),
    JSON.stringify(types),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NatsOutput, subjectOf } from '../../../../engine/integration/nats/nats-output.js'
import { NatsServer } from '../../../support/servers/nats-server.js'
import { decided, never, outgoing, toolsFor } from '../../../support/outgoing.js'

test('a field is one token of a subject, whatever it contains', () => {
  const event = decided('e1', {}, { host: { name: 'a.b c>*' }, empty: '' })
  assert.equal(subjectOf('d.{{job_id}}.{{host.name}}.{{empty}}.{{result_label}}', event), 'd.7.a_b_c_._.Drop')
})

test('a repetition has the same id, and a message over the limit of the server is refused', async () => {
  const server = await NatsServer.open()
  const sink = new NatsOutput({ servers: server.address, protocol: 'plain' }, {}, toolsFor())
  await sink.deliver([outgoing('e1')], never)
  await sink.deliver([outgoing('e1')], never)
  assert.equal(server.messages.length, 1)
  const { subject, payload } = server.messages[0]!
  assert.equal(subject, 'decisions.7')
  assert.equal(JSON.parse(payload.toString()).service.result_label, 'Drop')
  const [large] = await sink.deliver(
    [outgoing('e2', { event: decided('e2', {}, { text: 'x'.repeat(1_100_000) }) })],
    never,
  )
  assert.equal(large?.outcome, 'refused')
  await sink.close()
  await server.close()
})

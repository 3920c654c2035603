/**
 * Cases in four systems, which follow their public documentation: created once, found again, annotated, created again.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { outsideKind } from '../../../../engine/integration/registry.js'
import type { Outcome, Sink } from '../../../../engine/integration/contract.js'
import { CaseServer, dialects } from '../../../support/servers/case-servers.js'
import { decided, never, openSink, outgoing } from '../../../support/outgoing.js'

async function withSystem(
  name: string,
  parameters: object,
  run: (server: CaseServer, sink: Sink) => Promise<void>,
): Promise<void> {
  const server = await CaseServer.open(name)
  const sink = openSink(outsideKind(name)!, 'case_creation', server.connection, { ...server.parameters, ...parameters })
  try {
    await run(server, sink)
  } finally {
    await sink.close()
    await server.close()
  }
}

interface Known {
  readonly reference?: string | null
  readonly bucketId?: string | null
}

async function one(
  sink: Sink,
  eventId: string,
  result: string,
  { reference = null, bucketId = 'b1' }: Known = {},
): Promise<string> {
  const ingestMicros = 1_700_000_000_000_000 + Number(eventId.slice(1))
  const event = decided(eventId, { result, resultLabel: result, bucketId, ingestMicros }, { title: 'Odd log-on' })
  const [outcome] = await sink.deliver([outgoing(eventId, { event, reference })], never)
  assert.equal(outcome?.outcome, 'delivered', JSON.stringify(outcome))
  return (outcome as Extract<Outcome, { outcome: 'delivered' }>).reference ?? reference ?? ''
}

for (const name of Object.keys(dialects)) {
  describe(`a case in ${name}`, () => {
    it('is created once for a bucket, with the texts of the templates, and gets a note when the decision changes', () =>
      withSystem(name, { title: '{{title}} on {{job_title}}' }, async (server, sink) => {
        const reference = await one(sink, 'e1', 'Escalate')
        assert.equal(server.cases.length, 1)
        assert.ok(
          server.cases[0]!.title.startsWith('Odd log-on on Alert triage') &&
            server.cases[0]!.text.includes('Decision: Escalate'),
        )
        const counted = await one(sink, 'e2', 'Escalate', { reference })
        const changed = await one(sink, 'e3', 'Drop', { reference: counted })
        assert.equal(server.cases.length, 1)
        assert.match(server.cases[0]!.notes.at(-1)!, /^The decision is now Drop \(91\.5 %\), event e3\. /)
        await one(sink, 'e4', 'Drop', { reference: changed })
        assert.equal(server.cases[0]!.notes.length, 2)
      }))

    it('is shared by two events of a bucket in one round, unless each event has its own', () =>
      withSystem(name, {}, async (server, sink) => {
        const event = (id: string) => outgoing(id, { event: decided(id) })
        await sink.deliver([event('e1'), event('e2')], never)
        assert.equal(server.cases.length, 1)
        await one(sink, 'e3', 'Drop', { bucketId: null })
        await one(sink, 'e4', 'Drop', { bucketId: null })
        assert.equal(server.cases.length, 3)
      }))

    it('is found again if its id was lost, and created again if people have deleted it', () =>
      withSystem(name, {}, async (server, sink) => {
        const reference = await one(sink, 'e1', 'Escalate')
        await one(sink, 'e1', 'Escalate')
        assert.equal(server.cases.length, 1)
        server.cases.length = 0
        await one(sink, 'e2', 'Drop', { reference })
        assert.equal(server.cases.length, 1)
      }))

    it('is not created while the search fails', () =>
      withSystem(name, {}, async (server, sink) => {
        server.http.answer = (_, response) => void response.writeHead(503).end()
        const [outcome] = await sink.deliver([outgoing()], never)
        assert.deepEqual([outcome?.outcome, (outcome as { suspect?: boolean }).suspect], ['failed', false])
      }))
  })
}

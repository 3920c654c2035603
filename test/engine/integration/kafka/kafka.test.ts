import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { SourceFailure, type SourceDocument } from '../../../../engine/integration/contract.js'
import { KafkaInput } from '../../../../engine/integration/kafka/kafka-input.js'
import { KafkaOutput } from '../../../../engine/integration/kafka/kafka-output.js'
import { KafkaServer } from '../../../support/servers/kafka-server.js'
import { decided, never, outgoing, toolsFor } from '../../../support/outgoing.js'

let server: KafkaServer
const opened: { close(): Promise<void> }[] = []

const connection = (): Record<string, string | number> => ({
  servers: `127.0.0.1:${server.port}`,
  protocol: 'plain',
  timeout_seconds: 10,
})

function open(parameters: Record<string, string | number> = {}): KafkaInput {
  const input = new KafkaInput(connection(), { topics: 't', ...parameters }, toolsFor())
  opened.push(input)
  return input
}

async function put(...ids: readonly string[]): Promise<void> {
  const sink = new KafkaOutput(connection(), { topic: 't' }, toolsFor())
  for (const { outcome } of await sink.deliver(
    ids.map((id) => outgoing(id)),
    never,
  ))
    assert.equal(outcome, 'delivered')
  await sink.close()
}

/** Reads until `count` documents have come. Returns the last checkpoint. */
async function read(
  input: KafkaInput,
  count: number,
  checkpoint: unknown = null,
): Promise<{ found: SourceDocument[]; checkpoint: unknown }> {
  const found: SourceDocument[] = []
  while (found.length < count) {
    const piece = await input.poll(checkpoint, never)
    found.push(...piece.documents)
    checkpoint = piece.checkpoint
  }
  return { found, checkpoint }
}

const eventsOf = (found: readonly SourceDocument[]): string[] =>
  found.map(({ body }) => JSON.parse(Buffer.from(body).toString()).event_id).sort()
const names = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `e${from + i}`).sort()

beforeEach(async () => {
  server = await KafkaServer.open()
  server.make('t', 2)
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
  await server.close()
})

test('every record of every partition is read once, in pieces of the configured size, and from its checkpoint on', async () => {
  await put(...names(0, 20))
  const first = await read(open({ batch_size: 3 }), 9)
  assert.equal(first.found.length, 9)
  await put(...names(20, 25))
  const rest = await read(open({ batch_size: 7 }), 16, first.checkpoint)
  assert.deepEqual(eventsOf([...first.found, ...rest.found]), names(0, 25))
  const ids = [...first.found, ...rest.found].map(({ id }) => id)
  assert.equal(new Set(ids).size, 25)
  assert.match(ids[0]!, /^t-[01]-0-[0-9a-z]+$/)
})

test('a record that is read again has the same id; a configured header is the id', async () => {
  await put('a', 'b', 'c')
  const once = await read(open(), 3)
  const again = await read(open(), 3)
  assert.deepEqual(again.found.map(({ id }) => id).sort(), once.found.map(({ id }) => id).sort())
  const named = await read(open({ id_header: 'event_id' }), 3)
  assert.deepEqual(named.found.map(({ id }) => id).sort(), ['a', 'b', 'c'])
})

test('the first offsets of a topic are stored before anything is read', async () => {
  await put('old')
  const { documents, checkpoint, more } = await open({ start_at: 'new' }).poll(null, never)
  assert.deepEqual([documents.length, more], [0, true])
  await put('young')
  const { found } = await read(open({ start_at: 'new' }), 1, checkpoint)
  assert.deepEqual(eventsOf(found), ['young'])
})

test('a new partition begins with its first record', async () => {
  const { checkpoint } = await open({ start_at: 'new' }).poll(null, never)
  server.make('t', 8)
  await put(...names(0, 30))
  const { found } = await read(open({ start_at: 'new' }), 30, checkpoint)
  assert.deepEqual(eventsOf(found), names(0, 30))
})

test('offsets of another cluster are ignored', async () => {
  await put('a', 'b')
  const { checkpoint } = await read(open(), 2)
  server.clusterId = 'another'
  assert.deepEqual(eventsOf((await read(open(), 2, checkpoint)).found), ['a', 'b'])
})

test('records that were deleted before they were read are skipped, and the status says so', async () => {
  server.topics.clear()
  server.make('t', 1)
  await put('a')
  const { checkpoint } = await read(open(), 1)
  for (const id of ['b', 'c', 'd']) await put(id)
  server.deleteBefore('t', 0, 3)
  const input = open()
  const piece = await input.poll(checkpoint, never)
  assert.deepEqual([piece.documents.length, piece.note], [0, 'records were deleted before they were read'])
  assert.deepEqual(eventsOf((await read(input, 1, piece.checkpoint)).found), ['d'])
})

test('a lost connection is a failure, and the next poll continues', async () => {
  await put('a')
  const input = open()
  const { checkpoint } = await read(input, 1)
  await server.close()
  await assert.rejects(input.poll(checkpoint, never), SourceFailure)
  const { topics } = server
  server = await KafkaServer.open()
  for (const [name, partitions] of topics) server.topics.set(name, partitions)
  await put('b')
  assert.deepEqual(eventsOf((await read(open(), 1, checkpoint)).found), ['b'])
})

test('a missing topic is a failure', async () => {
  await assert.rejects(open({ topics: 'nowhere' }).poll(null, never), SourceFailure)
})

test('brokers of a cluster are checked like the configured servers', async () => {
  server.advertised = { host: '169.254.169.254', port: 80 }
  await assert.rejects(
    open().poll(null, never),
    (error: Error) => error instanceof SourceFailure && /private, local or reserved/.test(error.message),
  )
  const sink = new KafkaOutput(connection(), { topic: 't' }, toolsFor())
  const [outcome] = await sink.deliver([outgoing()], never)
  assert.match(outcome?.outcome === 'failed' ? outcome.reason : '', /private, local or reserved/)
  await sink.close()
})

test('too many events for one request are sent in several, in the order of their keys', async () => {
  server.topics.clear()
  server.make('t', 1)
  const sink = new KafkaOutput(connection(), { topic: 't', key: '{{bucket_id}}' }, toolsFor())
  const large = (id: string): ReturnType<typeof outgoing> =>
    outgoing(id, { event: decided(id, {}, { text: 'x'.repeat(300_000) }) })
  const outcomes = await sink.deliver(['a', 'b', 'c', 'd'].map(large), never)
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['delivered', 'delivered', 'delivered', 'delivered'],
  )
  assert.equal(server.topics.get('t')![0]!.batches.length, 2)
  assert.ok(server.stored.includes('00112233445566778899aabbccddeeff'))
  assert.deepEqual(eventsOf((await read(open(), 4)).found), ['a', 'b', 'c', 'd'])
  await sink.close()
})

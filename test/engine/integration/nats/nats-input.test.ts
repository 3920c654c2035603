import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { limits } from '../../../../engine/limits.js'
import { SourceFailure, type SourceDocument, type SourcePiece } from '../../../../engine/integration/contract.js'
import { NatsInput } from '../../../../engine/integration/nats/nats-input.js'
import { firstCertificate, secondCertificate } from '../../../support/servers/certificates.js'
import { eventually } from '../../../support/client.js'
import { NatsServer } from '../../../support/servers/nats-server.js'
import { never, toolsFor } from '../../../support/outgoing.js'

let server: NatsServer
let input: NatsInput

function open(parameters: Record<string, string | number> = {}, connection: Record<string, string> = {}): NatsInput {
  return (input = new NatsInput(
    { servers: server.address, protocol: 'plain', timeout_seconds: 10, ...connection },
    { stream: 's', consumer: 'c', batch_size: 3, ...parameters },
    toolsFor(),
  ))
}

function put(from: number, to: number): void {
  for (let i = from; i <= to; i++)
    server.store('alerts.new', Buffer.from(`{"i":${i}}`), i % 2 === 0 ? `NATS/1.0\r\nAlert: alert-${i}\r\n\r\n` : '')
}

/** Polls until `count` documents were read. */
async function documents(
  count: number,
  take: (piece: SourcePiece) => Promise<void> | void = () => {},
  checkpoint: unknown = null,
): Promise<SourceDocument[]> {
  const found: SourceDocument[] = []
  while (found.length < count) {
    const piece = await input.poll(checkpoint, never)
    assert.ok(piece.documents.length <= 3)
    found.push(...piece.documents)
    if (piece.documents.length > 0) await take(piece)
    checkpoint = piece.checkpoint
  }
  return found
}

const taking = ({ checkpoint }: SourcePiece): Promise<void> => input.taken(checkpoint, new Set())
const numbers = (of: readonly SourceDocument[]): number[] =>
  of.map(({ body }) => JSON.parse(Buffer.from(body).toString()).i)

beforeEach(async () => void (server = await NatsServer.open()))
afterEach(async () => {
  await input.close()
  await server.close()
})

test('every message is read in order, and acknowledged once it is stored', async () => {
  put(1, 8)
  open()
  assert.deepEqual(numbers(await documents(8, taking)), [1, 2, 3, 4, 5, 6, 7, 8])
  await eventually(
    async () => server.consumers.get('c')!.acked.size,
    (size) => size === 8,
  )
})

test('at most two batches are unacknowledged; the next connection reads them again, as the same events', async () => {
  put(1, 20)
  open()
  const first = await documents(6)
  assert.equal((await input.poll(null, never)).documents.length, 0)
  assert.equal(server.consumers.get('c')!.acked.size, 0)
  await input.close()
  open()
  const again = await documents(6, taking)
  assert.deepEqual(
    again.map(({ id }) => id),
    first.map(({ id }) => id),
  )
})

test('a message that cannot be an event is marked, and terminated once it is kept', async () => {
  for (const body of ['{"i":1}', '{"i":', '[1]', '"x"', 'plain text', '']) server.store('alerts.new', Buffer.from(body))
  server.store('alerts.new', Buffer.from([0x7b, 0x22, 0xe2, 0x22, 0x3a, 0x31, 0x7d]))
  server.store('alerts.new', Buffer.from(`{"a":"${'x'.repeat(limits.eventBytesMax)}"}`))
  open({ batch_size: 3 })
  const reasons: (string | undefined)[] = []
  await documents(8, async ({ documents: of, checkpoint }) => {
    reasons.push(...of.map(({ unfit }) => unfit))
    await input.taken(checkpoint, new Set(of.filter(({ unfit }) => unfit !== undefined).map(({ id }) => id)))
  })
  assert.deepEqual(reasons, [
    undefined,
    'it has no end',
    undefined,
    undefined,
    'it is not JSON',
    'it is not JSON',
    undefined,
    `it has more than ${limits.eventBytesMax} bytes`,
  ])
  const acked = await eventually(
    async () => [...server.consumers.get('c')!.acked.values()],
    ({ length }) => length === 8,
  )
  const [ok, no] = ['+ACK', '+TERM']
  assert.deepEqual(acked, [ok, no, ok, ok, no, no, ok, no])
})

test('the id is that of the configured header, or is made of the position of the message', async () => {
  put(1, 2)
  open({ id_header: 'Alert' })
  const [one, two] = await documents(2)
  assert.match(one!.id, /^s-1-[0-9a-z]+$/)
  assert.equal(two!.id, 'alert-2')
})

test('if the consumer was deleted, a new one begins behind the acknowledged messages', async () => {
  put(1, 4)
  open()
  await documents(4, taking)
  await eventually(
    async () => server.consumers.get('c')!.acked.size,
    (size) => size === 4,
  )
  await input.close()
  open()
  const { checkpoint } = await input.poll(null, never)
  await input.close()
  server.consumers.clear()
  put(5, 6)
  open()
  assert.deepEqual(numbers(await documents(2, taking, checkpoint)), [5, 6])
})

test('a new consumer begins at the configured position', async () => {
  put(1, 5)
  open({ start_at: 'sequence', start_value: '4', subjects: 'alerts.*' })
  assert.deepEqual(numbers(await documents(2)), [4, 5])
  const { config } = server.consumers.get('c')!
  assert.deepEqual(
    [config.filter_subject, config.ack_policy, config.durable_name, config.max_ack_pending],
    ['alerts.*', 'explicit', 'c', 6],
  )
})

test('a lost connection is a failure, and the next poll continues', async () => {
  put(1, 2)
  open()
  await documents(2, taking)
  setTimeout(() => server.cut(), 50)
  await assert.rejects(async () => {
    for (;;) await input.poll(null, never)
  }, SourceFailure)
  put(3, 3)
  assert.deepEqual(numbers(await documents(1, taking)), [3])
})

test('a wrong token is reported without the token', async () => {
  server.token = 'right'
  open({}, { token: 'wrong-one' })
  await assert.rejects(
    input.poll(null, never),
    (error: Error) =>
      error instanceof SourceFailure && /Authorization/i.test(error.message) && !error.message.includes('wrong-one'),
  )
})

test('an untrusted certificate is refused, one of the configured authority is accepted', async () => {
  server.tls = firstCertificate
  put(1, 1)
  open({}, { protocol: 'tls' })
  await assert.rejects(
    input.poll(null, never),
    (error: Error) => error instanceof SourceFailure && /self-signed|certificate/i.test(error.message),
  )
  open({}, { protocol: 'tls', ca_certificate: secondCertificate.cert })
  await assert.rejects(input.poll(null, never), SourceFailure)
  open({}, { protocol: 'tls', ca_certificate: firstCertificate.cert })
  assert.deepEqual(numbers(await documents(1)), [1])
})

test('a server without TLS gets no unencrypted data', async () => {
  open({}, { protocol: 'tls' })
  await assert.rejects(input.poll(null, never), /tls/i)
})

test('other servers of a cluster are not connected to', async () => {
  const other = await NatsServer.open()
  server.connectUrls = [other.address]
  other.store('alerts.new', Buffer.from('{"i":9}'))
  put(1, 1)
  open()
  assert.deepEqual(numbers(await documents(1)), [1])
  await server.close()
  await assert.rejects(async () => {
    for (;;) await input.poll(null, never)
  }, SourceFailure)
  await assert.rejects(input.poll(null, never), SourceFailure)
  assert.equal(other.consumers.size, 0)
  await other.close()
  server = await NatsServer.open()
})

test('it stops at once', async () => {
  open()
  await input.poll(null, never)
  const stop = new AbortController()
  const polling = input.poll(null, stop.signal)
  stop.abort()
  assert.deepEqual((await polling).documents, [])
})

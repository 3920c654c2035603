/** Kafka against a real broker, which is killed too. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Kafka, logLevel, type Admin, type Producer } from 'kafkajs'
import { KafkaInput } from '../../../engine/integration/kafka/kafka-input.js'
import { KafkaOutput } from '../../../engine/integration/kafka/kafka-output.js'
import { firstCertificate, secondCertificate } from '../../support/servers/certificates.js'
import { eventually } from '../../support/client.js'
import { decided, never, outgoing, toolsFor } from '../../support/outgoing.js'
import { counterpart, isShort, skipUnless } from './counterparts.js'
import { KafkaNode, kafkaJars } from './kafka-node.js'
import { alert, makeJob, tellSpeed, throughKills } from './pipeline.js'

const KILLS = isShort ? 6 : 50
const SPEED_RECORDS = isShort ? 40_000 : 200_000

const jars = counterpart('Kafka', kafkaJars)
const options = { skip: skipUnless(jars, 'Kafka') }
let node: KafkaNode
let admin: Admin
let producer: Producer

const kafka = (): Kafka =>
  new Kafka({ clientId: 'tests', brokers: [node.address], logLevel: logLevel.NOTHING, retry: { retries: 20 } })

before(async () => {
  if (jars === null) return
  node = await KafkaNode.open(jars)
  ;[admin, producer] = [kafka().admin(), kafka().producer({ idempotent: true, maxInFlightRequests: 1 })]
  await admin.connect()
  await producer.connect()
})
after(async () => {
  await producer?.disconnect()
  await admin?.disconnect()
  await node?.close()
})

const connection = (): Record<string, string> => ({ servers: node.address, protocol: 'plain' })
const open = (parameters: Record<string, string | number>): KafkaInput =>
  new KafkaInput(connection(), parameters, toolsFor())
const makeTopic = (topic: string, numPartitions: number): Promise<boolean> =>
  admin.createTopics({ topics: [{ topic, numPartitions }] })

async function publish(topic: string, from: number, to: number, by = producer): Promise<void> {
  for (let at = from; at < to; at += 500) {
    const count = Math.min(500, to - at)
    await by.send({
      topic,
      messages: Array.from({ length: count }, (_, i) => ({ key: String(at + i), value: alert(at + i) })),
    })
  }
}

/** Everything that is in a topic. */
async function all(
  input: KafkaInput,
  count: number,
  checkpoint: unknown = null,
): Promise<{ ids: string[]; checkpoint: unknown }> {
  const ids: string[] = []
  while (ids.length < count) {
    const piece = await input.poll(checkpoint, never)
    ids.push(
      ...piece.documents.map(({ id, body }) => `${id} ${JSON.parse(Buffer.from(body).toString()).event_id ?? ''}`),
    )
    checkpoint = piece.checkpoint
    if (piece.documents.length > 0) await input.taken(checkpoint)
  }
  return { ids, checkpoint }
}

test(
  `through ${KILLS} kills of the service, and some of the broker, no record is lost or duplicated`,
  options,
  async () => {
    await makeTopic('kills', 3)
    await makeTopic('decided', 2)
    const reader = open({ topics: 'decided', batch_size: 10_000 })
    const written = new Set<string>()
    let checkpoint: unknown = null
    await throughKills({
      kills: KILLS,
      makeJob: (client) =>
        makeJob(client, 'Kills', { kind: 'Kafka', connection: connection() }, [
          { role: 'input', parameters: { topics: 'kills', group: 'decisions' } },
          { role: 'output', parameters: { topic: 'decided' } },
        ]),
      publish: (from, to) => publish('kills', from, to),
      async written() {
        const piece = await reader.poll(checkpoint, never)
        for (const { body } of piece.documents) written.add(JSON.parse(Buffer.from(body).toString()).event_id)
        checkpoint = piece.checkpoint
        return written.size
      },
      async fault(kill, random) {
        if (kill % 5 !== 4) return
        await node.kill()
        await new Promise((resolve) => setTimeout(resolve, random.below(500)))
        await node.start()
      },
    })
    await reader.close()
  },
)

test(
  'the start of a topic is stored first; new partitions begin with their first record; the group sees the offsets',
  options,
  async () => {
    await makeTopic('begin', 1)
    await publish('begin', 0, 10)
    const fresh = open({ topics: 'begin', start_at: 'new', group: 'begin' })
    // A young broker does not know its groups yet.
    const { documents, checkpoint } = (await eventually(
      async () => fresh.poll(null, never).catch(() => null),
      (piece) => piece !== null,
      30_000,
    ))!
    assert.equal(documents.length, 0)
    await fresh.close()
    await publish('begin', 10, 15)
    const later = open({ topics: 'begin', start_at: 'new', group: 'begin', batch_size: 2 })
    const five = await all(later, 5, checkpoint)
    assert.match(five.ids[0]!, /^begin-0-10-/)
    assert.equal(new Set(five.ids).size, 5)
    await admin.createPartitions({ topicPartitions: [{ topic: 'begin', count: 3 }] })
    await later.close()
    await eventually(
      async () => (await admin.fetchTopicMetadata({ topics: ['begin'] })).topics[0]?.partitions.length,
      (count) => count === 3,
    )
    // A new consumer that knows the new partitions.
    const wider = kafka().producer()
    await wider.connect()
    await publish('begin', 15, 45, wider)
    await wider.disconnect()
    const next = open({ topics: 'begin', group: 'begin' })
    const rest = await all(next, 30, five.checkpoint)
    assert.equal(new Set(rest.ids).size, 30)
    assert.ok(rest.ids.some((id) => id.startsWith('begin-2-0-')))
    await next.close()
    const [committed] = await admin.fetchOffsets({ groupId: 'begin', topics: ['begin'] })
    assert.equal(
      committed!.partitions.reduce((sum, { offset }) => sum + Number(offset), 0),
      45,
    )
    const again = open({ topics: 'begin', group: 'begin' })
    const { checkpoint: begun } = await again.poll(null, never)
    assert.equal((await again.poll(begun, never)).documents.length, 0)
    await again.close()
  },
)

test('records that were deleted before they were read are skipped, and this is reported', options, async () => {
  await makeTopic('short', 1)
  await publish('short', 0, 20)
  const input = open({ topics: 'short', batch_size: 5 })
  const { checkpoint } = await all(input, 5)
  await input.close()
  // A new consumer that knows the topic.
  const fresh = kafka().admin()
  await fresh.connect()
  await fresh.fetchTopicMetadata({ topics: ['short'] })
  await fresh.deleteTopicRecords({ topic: 'short', partitions: [{ partition: 0, offset: '12' }] })
  await fresh.disconnect()
  const next = open({ topics: 'short' })
  const lost = await next.poll(checkpoint, never)
  assert.match(lost.note ?? '', /deleted before they were read/)
  assert.match((await all(next, 8, lost.checkpoint)).ids[0]!, /^short-0-12-/)
  await next.close()
})

test('records are read with every compression of their producer or of the broker', options, async () => {
  for (const type of ['gzip', 'snappy', 'lz4', 'zstd']) {
    await admin.createTopics({
      topics: [{ topic: type, numPartitions: 1, configEntries: [{ name: 'compression.type', value: type }] }],
    })
    await publish(type, 0, 1_200)
    const input = open({ topics: type })
    const { ids } = await all(input, 1_200)
    assert.equal(new Set(ids).size, 1_200, type)
    await input.close()
  }
})

test('every way to authenticate works: PLAIN and SCRAM; and TLS is verified', options, async () => {
  await makeTopic('who', 1)
  const reasonWith = async (port: number, more: object): Promise<string> => {
    const sink = new KafkaOutput(
      { servers: `127.0.0.1:${port}`, protocol: 'plain', timeout_seconds: 5, ...more },
      { topic: 'who' },
      toolsFor(),
    )
    const [outcome] = await sink.deliver([outgoing()], never)
    await sink.close()
    return outcome?.outcome === 'delivered' ? 'delivered' : (outcome?.reason ?? '')
  }
  const { sasl, tls } = node.ports
  for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512']) {
    assert.equal(await reasonWith(sasl, { sasl_mechanism: mechanism, user: 'ann', password: 'right one' }), 'delivered')
    const reason = await reasonWith(sasl, { sasl_mechanism: mechanism, user: 'ann', password: 'wrong one' })
    assert.match(reason, /authenticat/i)
    assert.ok(!reason.includes('wrong one'))
  }
  assert.match(await reasonWith(tls, { protocol: 'tls' }), /self-signed certificate/)
  assert.match(await reasonWith(tls, { protocol: 'tls', ca_certificate: secondCertificate.cert }), /certificate/)
  assert.equal(await reasonWith(tls, { protocol: 'tls', ca_certificate: firstCertificate.cert }), 'delivered')
})

test(
  'an event that is too large is refused, its neighbours are delivered; a missing topic is a failure',
  options,
  async () => {
    await makeTopic('large', 1)
    const sink = new KafkaOutput(connection(), { topic: 'large' }, toolsFor())
    const large = outgoing('large', { event: decided('large', {}, { text: 'x'.repeat(1_100_000) }) })
    const outcomes = await sink.deliver([outgoing('a'), large, outgoing('b')], never)
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['delivered', 'refused', 'delivered'],
    )
    await sink.close()
    const nowhere = new KafkaOutput(connection(), { topic: 'nowhere' }, toolsFor())
    assert.equal((await nowhere.deliver([outgoing()], never))[0]?.outcome, 'failed')
    await nowhere.close()
    const input = open({ topics: 'large' })
    assert.deepEqual(
      (await all(input, 2)).ids.map((line) => line.split(' ')[1]),
      ['a', 'b'],
    )
    await input.close()
  },
)

test('input keeps up with many records a second', options, async () => {
  await makeTopic('speed', 3)
  await publish('speed', 0, SPEED_RECORDS)
  await tellSpeed('Kafka', SPEED_RECORDS, (client) =>
    makeJob(client, 'Speed', { kind: 'Kafka', connection: connection() }, [
      { role: 'input', parameters: { topics: 'speed', batch_size: 5_000 } },
    ]),
  )
})

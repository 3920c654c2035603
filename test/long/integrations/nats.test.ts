/** NATS JetStream against a real nats-server, which is killed too. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { NatsOutput } from '../../../engine/integration/nats/nats-output.js'
import { SeededRandom } from '../../../engine/random.js'
import { firstCertificate, secondCertificate } from '../../support/certificates.js'
import { eventually, type Client } from '../../support/client.js'
import { never, outgoing, toolsFor } from '../../support/outgoing.js'
import { spawnService, type ChildService } from '../../support/service.js'
import { counterpart, isShort, skipUnless } from './counterparts.js'
import { NatsNode, natsProgram } from './nats-node.js'

const KILLS = isShort ? 6 : 50
const SPEED_MESSAGES = isShort ? 40_000 : 200_000

const program = counterpart('nats-server', natsProgram)
const options = { skip: skipUnless(program, 'nats-server') }
let node: NatsNode

before(async () => {
  if (program !== null) node = await NatsNode.open(program)
})
after(async () => {
  await node?.close()
})

async function asked<T>(run: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: `127.0.0.1:${node.port}` })
  try {
    return await run(connection)
  } finally {
    await connection.close()
  }
}

const makeStream = (name: string, subject: string): Promise<unknown> => asked(async (connection) => {
  return await (await jetstreamManager(connection)).streams.add({ name, subjects: [subject], duplicate_window: 3_600e9 })
})

const stored = (name: string): Promise<number> => asked(async (connection) => {
  return (await (await jetstreamManager(connection)).streams.info(name)).state.messages
})

function publish(subject: string, from: number, to: number): Promise<void> {
  return asked(async (connection) => {
    const stream = jetstream(connection)
    for (let at = from; at < to; at += 500) {
      const bodies = Array.from({ length: Math.min(500, to - at) }, (_, i) => JSON.stringify({ rule: { id: String((at + i) % 50) }, i: at + i, pad: 'x'.repeat(900) }))
      await Promise.all(bodies.map((body) => stream.publish(subject, body)))
    }
  })
}

async function setUp(client: Client, stream: string, more: object = {}, output = true): Promise<number> {
  const parameters = { servers: `127.0.0.1:${node.port}`, protocol: 'plain' }
  const answer = await client.post('/api/v2/resources', {
    nats: { type: 'integration', properties: { title: `NATS ${stream}`, integration_type: 'NATS JetStream', parameters } },
    job: { type: 'job', properties: { title: stream, decision_points: ['rule.id'], pipeline_integrations: [
      { resource: 'nats', integration_type: 'input', parameters: { stream, consumer: 'decisions', ...more } },
      ...(output ? [{ resource: 'nats', integration_type: 'output', parameters: { subject: `out.${stream}` } }] : []),
    ] } },
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.created.find((one: any) => one.type === 'job').internal_id
}

const events = async (client: Client, jobId: number): Promise<number> => (await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count

test(`through ${KILLS} kills of the service, and some of the server, no message is lost and none is doubled`, options, async () => {
  await makeStream('kills', 'alerts.kills')
  await makeStream('decided', 'out.kills')
  const random = new SeededRandom(11)
  let service: ChildService = await spawnService({ privateHosts: ['127.0.0.1'] })
  const { dataDir } = service
  const jobId = await setUp(service.client, 'kills')
  let published = 0
  for (let kill = 0; kill < KILLS; kill++) {
    await publish('alerts.kills', published, published + 1_000)
    published += 1_000
    await new Promise((resolve) => setTimeout(resolve, 200 + random.below(800)))
    if (kill % 5 === 4) {
      await node.kill()
      await new Promise((resolve) => setTimeout(resolve, random.below(500)))
      await node.start()
    }
    await service.kill()
    service = await spawnService({ privateHosts: ['127.0.0.1'], dataDir })
  }
  // What was not acknowledged comes again after half a minute.
  await eventually(() => events(service.client, jobId), (count) => count >= published, 120_000)
  await eventually(() => stored('decided'), (count) => count >= published, 120_000)
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  assert.equal(await events(service.client, jobId), published)
  assert.equal(await stored('decided'), published)
  const info = await asked(async (connection) => (await jetstreamManager(connection)).consumers.info('kills', 'decisions'))
  assert.deepEqual([info.num_pending, info.num_ack_pending, info.ack_floor.stream_seq], [0, 0, published])
  await service.close()
})

test('who we are: a user, a token, an NKey; TLS that is verified', options, async () => {
  // The seed of a key pair that guards nothing.
  const { createUser } = (await import('@nats-io/transport-node')).nkeys
  const pair = createUser()
  const seed = Buffer.from(pair.getSeed()).toString()
  const tls = 'tls { cert_file: "{home}/cert.pem", key_file: "{home}/key.pem" }'
  const files = { 'cert.pem': firstCertificate.cert, 'key.pem': firstCertificate.key }
  const users = `authorization { users: [ { user: ann, password: "right one" }, { nkey: ${pair.getPublicKey()} } ] }`
  const fatesWith = async (port: number, connection: object): Promise<string> => {
    const sink = new NatsOutput({ servers: `127.0.0.1:${port}`, timeout_seconds: 5, protocol: 'plain', ...connection }, {}, toolsFor())
    const [fate] = await sink.deliver([outgoing()], never)
    await sink.close()
    return fate?.fate === 'delivered' ? 'delivered' : fate?.reason ?? ''
  }
  const tokened = await NatsNode.open(program!, 'authorization { token: "right one" }')
  // Whoever is let in is told that there is no stream.
  assert.match(await fatesWith(tokened.port, { token: 'right one' }), /no stream/)
  assert.match(await fatesWith(tokened.port, { token: 'wrong one' }), /Authorization/)
  await tokened.close()
  const guarded = await NatsNode.open(program!, `${tls}\n${users}`, files)
  const ann = { user: 'ann', password: 'right one' }
  assert.match(await fatesWith(guarded.port, { protocol: 'tls', ...ann }), /self-signed certificate/)
  assert.match(await fatesWith(guarded.port, { protocol: 'tls', ...ann, ca_certificate: secondCertificate.cert }), /certificate/)
  const trusted = { protocol: 'tls', ca_certificate: firstCertificate.cert }
  assert.match(await fatesWith(guarded.port, { ...trusted, ...ann }), /no stream/)
  assert.match(await fatesWith(guarded.port, { ...trusted, user: 'ann', password: 'wrong one' }), /Authorization/)
  assert.match(await fatesWith(guarded.port, { ...trusted, nkey_seed: seed }), /no stream/)
  assert.match(await fatesWith(guarded.port, { protocol: 'tls', verify_tls: false, nkey_seed: seed }), /no stream/)
  await guarded.close()
})

test('input keeps up with many messages a second', options, async () => {
  await makeStream('speed', 'alerts.speed')
  await publish('alerts.speed', 0, SPEED_MESSAGES)
  const service = await spawnService({ privateHosts: ['127.0.0.1'] })
  const begun = performance.now()
  const jobId = await setUp(service.client, 'speed', { batch_size: 2_000 }, false)
  await eventually(() => events(service.client, jobId), (count) => count === SPEED_MESSAGES, 120_000)
  console.log(`NATS input: ${Math.round(SPEED_MESSAGES / ((performance.now() - begun) / 1_000))} messages of 1 KB a second`)
  await service.close()
})

/** NATS JetStream against a real nats-server, which is killed too. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { NatsOutput } from '../../../engine/integration/nats/nats-output.js'
import { firstCertificate, secondCertificate } from '../../support/servers/certificates.js'
import { never, outgoing, toolsFor } from '../../support/outgoing.js'
import { counterpart, isShort, skipUnless } from './counterparts.js'
import { NatsNode, natsProgram } from './nats-node.js'
import { alert, makeJob, tellSpeed, throughKills } from './pipeline.js'

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

async function query<T>(run: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: `127.0.0.1:${node.port}` })
  try {
    return await run(connection)
  } finally {
    await connection.close()
  }
}

const makeStream = (name: string, subject: string): Promise<unknown> =>
  query(async (connection) => {
    return await (await jetstreamManager(connection)).streams.add({
      name,
      subjects: [subject],
      duplicate_window: 3_600e9,
    })
  })

const stored = (name: string): Promise<number> =>
  query(async (connection) => {
    return (await (await jetstreamManager(connection)).streams.info(name)).state.messages
  })

function publish(subject: string, from: number, to: number): Promise<void> {
  return query(async (connection) => {
    const stream = jetstream(connection)
    for (let at = from; at < to; at += 500) {
      const bodies = Array.from({ length: Math.min(500, to - at) }, (_, i) => alert(at + i))
      await Promise.all(bodies.map((body) => stream.publish(subject, body)))
    }
  })
}

const connection = (): object => ({ servers: `127.0.0.1:${node.port}`, protocol: 'plain' })

test(
  `through ${KILLS} kills of the service, and some of the server, no message is lost or duplicated`,
  options,
  async () => {
    await makeStream('kills', 'alerts.kills')
    await makeStream('decided', 'out.kills')
    const published = await throughKills({
      kills: KILLS,
      makeJob: (client) =>
        makeJob(client, 'Kills', { kind: 'NATS JetStream', connection: connection() }, [
          { role: 'input', parameters: { stream: 'kills', consumer: 'decisions' } },
          { role: 'output', parameters: { subject: 'out.kills' } },
        ]),
      publish: (from, to) => publish('alerts.kills', from, to),
      written: () => stored('decided'),
      async fault(kill, random) {
        if (kill % 5 !== 4) return
        await node.kill()
        await new Promise((resolve) => setTimeout(resolve, random.below(500)))
        await node.start()
      },
    })
    const info = await query(async (connected) =>
      (await jetstreamManager(connected)).consumers.info('kills', 'decisions'),
    )
    assert.deepEqual([info.num_pending, info.num_ack_pending, info.ack_floor.stream_seq], [0, 0, published])
  },
)

test('every way to authenticate works: a user, a token, an NKey; and TLS is verified', options, async () => {
  // The seed of a key pair that protects nothing.
  const { createUser } = (await import('@nats-io/transport-node')).nkeys
  const pair = createUser()
  const seed = Buffer.from(pair.getSeed()).toString()
  const tls = 'tls { cert_file: "{home}/cert.pem", key_file: "{home}/key.pem" }'
  const files = { 'cert.pem': firstCertificate.cert, 'key.pem': firstCertificate.key }
  const users = `authorization { users: [ { user: ann, password: "right one" }, { nkey: ${pair.getPublicKey()} } ] }`
  const outcomeWith = async (port: number, connection: object): Promise<string> => {
    const sink = new NatsOutput(
      { servers: `127.0.0.1:${port}`, timeout_seconds: 5, protocol: 'plain', ...connection },
      {},
      toolsFor(),
    )
    const [outcome] = await sink.deliver([outgoing()], never)
    await sink.close()
    return outcome?.outcome === 'delivered' ? 'delivered' : (outcome?.reason ?? '')
  }
  const tokened = await NatsNode.open(program!, 'authorization { token: "right one" }')
  // A client that is let in is told that there is no stream.
  assert.match(await outcomeWith(tokened.port, { token: 'right one' }), /no stream/)
  assert.match(await outcomeWith(tokened.port, { token: 'wrong one' }), /Authorization/)
  await tokened.close()
  const guarded = await NatsNode.open(program!, `${tls}\n${users}`, files)
  const ann = { user: 'ann', password: 'right one' }
  assert.match(await outcomeWith(guarded.port, { protocol: 'tls', ...ann }), /self-signed certificate/)
  assert.match(
    await outcomeWith(guarded.port, { protocol: 'tls', ...ann, ca_certificate: secondCertificate.cert }),
    /certificate/,
  )
  const trusted = { protocol: 'tls', ca_certificate: firstCertificate.cert }
  assert.match(await outcomeWith(guarded.port, { ...trusted, ...ann }), /no stream/)
  assert.match(await outcomeWith(guarded.port, { ...trusted, user: 'ann', password: 'wrong one' }), /Authorization/)
  assert.match(await outcomeWith(guarded.port, { ...trusted, nkey_seed: seed }), /no stream/)
  assert.match(await outcomeWith(guarded.port, { protocol: 'tls', verify_tls: false, nkey_seed: seed }), /no stream/)
  await guarded.close()
})

test('input keeps up with many messages a second', options, async () => {
  await makeStream('speed', 'alerts.speed')
  await publish('alerts.speed', 0, SPEED_MESSAGES)
  await tellSpeed('NATS', SPEED_MESSAGES, (client) =>
    makeJob(client, 'Speed', { kind: 'NATS JetStream', connection: connection() }, [
      { role: 'input', parameters: { stream: 'speed', consumer: 'decisions', batch_size: 2_000 } },
    ]),
  )
})

/** Connections that cannot be made: the sentences say what to look at. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { connectToCluster, Unreachable } from '../../../../../engine/runtime/log/jetstream/cluster-connection.js'
import { afterwards } from '../../../../support/afterwards.js'

/** A server that says this to whoever connects, and answers what comes. */
async function serverSaying(
  test: TestContext,
  info: object,
  answer: (socket: Socket, text: string) => void = () => {},
): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(`INFO ${JSON.stringify({ server_id: 'A', version: '2.15.2', max_payload: 1_000, ...info })}\r\n`)
    socket.on('data', (bytes: Buffer) => answer(socket, bytes.toString()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterwards(test, () => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function refused(address: Parameters<typeof connectToCluster>[0], why: RegExp): Promise<void> {
  await assert.rejects(connectToCluster(address), (error) => {
    assert.ok(error instanceof Unreachable)
    assert.match(error.message, /^the NATS servers .* cannot be reached: /)
    assert.match(error.message, why)
    return true
  })
}

describe('NATS servers', () => {
  it('that are not there', async () => {
    await refused({ servers: ['127.0.0.1:1', '127.0.0.1:2'] }, /127.0.0.1:1, 127.0.0.1:2 .* connection refused/)
  })

  it('that refuse the credentials', async (test) => {
    const server = await serverSaying(test, { auth_required: true }, (socket, text) => {
      if (text.includes('CONNECT')) socket.end("-ERR 'Authorization Violation'\r\n")
    })
    await refused({ servers: [server] }, /they refuse the credentials of this node/)
  })

  it('that do not offer TLS, where an address asks for it', async (test) => {
    const server = await serverSaying(test, {})
    await refused({ servers: [`tls://${server}`] }, /they do not offer TLS/)
  })

  it('with credentials that cannot be read', async () => {
    await refused({ servers: ['127.0.0.1:1'], credentials: 'x' }, /has no JWT with a seed/)
    await refused({ servers: ['127.0.0.1:1'], nkeySeed: 'UA' }, /has no seed of a user/)
  })
})

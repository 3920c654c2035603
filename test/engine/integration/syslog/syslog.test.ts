import assert from 'node:assert/strict'
import { test } from 'node:test'
import { syslog } from '../../../../engine/integration/syslog/syslog.js'
import { firstCertificate, secondCertificate } from '../../../support/servers/certificates.js'
import { eventually } from '../../../support/client.js'
import { never, outgoing, toolsFor, withDefaults } from '../../../support/outgoing.js'
import { SyslogServer } from '../../../support/servers/syslog-server.js'

/** The result of one event over TLS: 'delivered', or the reason. */
async function fares(server: SyslogServer, more: Record<string, string | boolean>): Promise<string> {
  const tools = toolsFor(['127.0.0.0/8', 'localhost'])
  const connection = { host: '127.0.0.1', port: server.port, timeout_seconds: 10, ...more }
  const sink = syslog.openSink!('post_decision', withDefaults(syslog, connection), { format: 'text' }, tools)
  const [outcome] = await sink.deliver([outgoing()], never)
  await sink.close()
  return outcome?.outcome === 'failed' ? outcome.reason : (outcome?.outcome ?? '')
}

test('over TLS, the default, an untrusted certificate is refused, and nothing is sent', async () => {
  const server = await SyslogServer.open(firstCertificate)
  assert.match(await fares(server, {}), /self-signed certificate/)
  assert.match(await fares(server, { ca_certificate: secondCertificate.cert }), /certificate/)
  assert.deepEqual(server.messages, [])
  await server.close()
})

test('a certificate of a configured authority is accepted, for its own host only', async () => {
  const server = await SyslogServer.open(firstCertificate)
  const given = { ca_certificate: firstCertificate.cert }
  assert.equal(await fares(server, given), 'delivered')
  assert.equal(await fares(server, { ...given, host: 'localhost' }), 'delivered')
  await eventually(
    async () => server.eventIds,
    (ids) => ids.length === 2,
  )
  const other = await SyslogServer.open(firstCertificate, '127.0.0.2')
  assert.match(await fares(other, { ...given, host: '127.0.0.2' }), /altnames/)
  await other.close()
  await server.close()
})

test('verification can be turned off', async () => {
  const server = await SyslogServer.open(firstCertificate)
  assert.equal(await fares(server, { verify_tls: false }), 'delivered')
  await eventually(
    async () => server.eventIds,
    (ids) => ids.length === 1,
  )
  await server.close()
})

test('a receiver without TLS is a failure', async () => {
  const server = await SyslogServer.open()
  assert.match(await fares(server, {}), /within|closed|SSL|ECONNRESET|socket/)
  assert.deepEqual(server.messages, [])
  await server.close()
})

/** The syslog kind against a real rsyslog of Debian, over TCP and over TLS. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { syslog } from '../../../engine/integration/syslog/syslog.js'
import { afterwards } from '../../support/afterwards.js'
import { firstCertificate, secondCertificate } from '../../support/servers/certificates.js'
import { eventually } from '../../support/client.js'
import { decided, never, openSink, outgoing } from '../../support/outgoing.js'
import { spawnService } from '../../support/service.js'
import { Child, listens } from './child.js'
import { counterpart, debianOf, skipUnless } from './counterparts.js'
import { makePostedJob, post } from './pipeline.js'
import { freePort } from '../../../bench/harness/free-port.js'

const folder = counterpart('rsyslog', () =>
  debianOf('rsyslog-debian', ['rsyslog', 'rsyslog-openssl', 'libestr0', 'libfastjson4', 'liblognorm5']),
)
const options = { skip: skipUnless(folder, 'rsyslog') }
let home: string
let child: Child
let ports: { tcp: number; tls: number }

before(async () => {
  if (folder === null) return
  home = mkdtempSync(join(tmpdir(), 'rsyslog-'))
  ports = { tcp: await freePort(), tls: await freePort() }
  writeFileSync(join(home, 'cert.pem'), firstCertificate.cert)
  writeFileSync(join(home, 'key.pem'), firstCertificate.key)
  const to = (name: string): string =>
    `ruleset(name="${name}") { action(type="omfile" file="${home}/${name}.log" template="line") }`
  writeFileSync(
    join(home, 'rsyslog.conf'),
    [
      `global(workDirectory="${home}" maxMessageSize="64k" DefaultNetstreamDriverCAFile="${home}/cert.pem" DefaultNetstreamDriverCertFile="${home}/cert.pem" DefaultNetstreamDriverKeyFile="${home}/key.pem")`,
      'module(load="imtcp")',
      String.raw`template(name="line" type="string" string="%syslogfacility-text%.%syslogseverity-text% %app-name% %msgid% %structured-data% |%msg%\n")`,
      to('tcp'),
      to('tls'),
      `input(type="imtcp" address="127.0.0.1" port="${ports.tcp}" ruleset="tcp")`,
      `input(type="imtcp" address="127.0.0.1" port="${ports.tls}" ruleset="tls" StreamDriver.Name="ossl" StreamDriver.Mode="1" StreamDriver.AuthMode="anon")`,
    ].join('\n'),
  )
  const libraries = join(folder, 'usr/lib/x86_64-linux-gnu')
  const machine = existsSync(libraries) ? libraries : join(folder, 'usr/lib/aarch64-linux-gnu')
  child = await Child.start(
    join(folder, 'usr/sbin/rsyslogd'),
    ['-n', '-f', join(home, 'rsyslog.conf'), '-i', join(home, 'pid'), '-M', join(machine, 'rsyslog')],
    async () => (await listens(ports.tcp)) && (await listens(ports.tls)),
    { LD_LIBRARY_PATH: machine },
  )
})
after(async () => {
  await child?.kill()
  if (home !== undefined) rmSync(home, { recursive: true, force: true })
})

/** Lines that rsyslog has written as a whole: it makes the file first, and its writes end anywhere. */
async function lines(name: 'tcp' | 'tls', count: number): Promise<string[]> {
  const file = join(home, `${name}.log`)
  return await eventually(
    async () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []),
    ({ length }) => length >= count,
    20_000,
  )
}

test('rsyslog understands every format, with characters that break lines and quotes', options, async () => {
  const nasty = 'x"\\]|=\r\n{{result}}\u2028\u0000<13> \ud83d\ude00'
  let sent = 0
  for (const format of ['cef', 'json', 'text']) {
    const sink = openSink(
      syslog,
      'post_decision',
      { host: '127.0.0.1', port: ports.tcp, protocol: 'tcp' },
      { format, facility: 'local3' },
    )
    const items = [
      outgoing(`${format}-1`),
      outgoing(`${format}-2`, {
        event: decided(`${format}-2`, { jobTitle: nasty }, { message: nasty, [nasty]: nasty }),
      }),
      outgoing(`${format}-3`),
    ]
    assert.deepEqual(
      (await sink.deliver(items, never)).map(({ outcome }) => outcome),
      ['delivered', 'delivered', 'delivered'],
    )
    await sink.close()
    const written = await lines('tcp', (sent += 3))
    assert.equal(written.length, sent)
    for (const [at, line] of written.slice(-3).entries()) {
      assert.match(line, /^local3\.\w+ decision-service decision \[decision@32473 id="/)
      assert.ok(line.includes(` event="${format}-${at + 1}" `), line)
      assert.ok(
        line.includes(format === 'cef' ? '|CEF:1|' : format === 'json' ? '|{' : '|Drop (91.5 %)') ||
          line.includes('\ufeff'),
        line,
      )
    }
  }
})

test('over TLS the certificate of rsyslog is verified', options, async () => {
  const fares = async (more: object): Promise<string> => {
    const sink = openSink(syslog, 'post_decision', { host: '127.0.0.1', port: ports.tls, timeout_seconds: 5, ...more })
    const [outcome] = await sink.deliver([outgoing('over-tls')], never)
    await sink.close()
    return outcome?.outcome === 'failed' ? outcome.reason : (outcome?.outcome ?? '')
  }
  assert.match(await fares({}), /self-signed certificate/)
  assert.match(await fares({ ca_certificate: secondCertificate.cert }), /certificate/)
  assert.equal(await fares({ ca_certificate: firstCertificate.cert }), 'delivered')
  const [line, ...rest] = await lines('tls', 1)
  assert.ok(line?.includes('event="over-tls"'))
  assert.deepEqual(rest, [])
})

test('every decision of a job arrives over TLS, once', options, async (context) => {
  const before = (await lines('tls', 1)).length
  const service = await spawnService({ privateHosts: ['127.0.0.1'] })
  afterwards(context, () => service.close())
  const jobId = await makePostedJob(
    service.client,
    'Told',
    {
      kind: 'Syslog',
      connection: { host: '127.0.0.1', port: ports.tls, ca_certificate: firstCertificate.cert },
    },
    { role: 'post_decision', parameters: {} },
  )
  await post(service.client, jobId, 2_000, 9)
  const written = (await lines('tls', before + 2_000)).slice(before)
  assert.equal(new Set(written.map((line) => / event="([^"]*)"/.exec(line)?.[1])).size, 2_000)
  assert.equal(written.length, 2_000)
})

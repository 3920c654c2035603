/** Probes, the port for operators, request ids, TLS, and what SIGHUP reads again. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type PeerCertificate } from 'node:tls'
import { after, before, test } from 'node:test'
import { Client, eventually, openSocket } from '../support/client.js'
import { firstCertificate, secondCertificate } from '../support/servers/certificates.js'
import { MANAGEMENT_KEY, spawnMain, startService, type Started, type TestService } from '../support/service.js'

/** Milliseconds; long enough for a busy machine. */
const START_MS = 60_000

let dir: string
let service: TestService
let started: Started | null = null

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'decision-service-probes-'))
  service = await startService()
})
after(async () => {
  started?.child.kill('SIGKILL')
  await started?.exited
  await service.close()
  await rm(dir, { recursive: true, force: true })
})

test('probes need no key, and a service is ready once its threads are up', async () => {
  const alive = await service.client.get('/livez', { key: null })
  assert.deepEqual([alive.status, alive.body], [200, { status: 'alive' }])
  const ready = await eventually(
    () => service.client.get('/readyz', { key: null }),
    ({ status }) => status === 200,
    START_MS,
  )
  assert.deepEqual(ready.body, { status: 'ready' })
})

test('a request id is returned if the client gave one, and made for every error', async () => {
  const given = await service.client.get('/livez', { headers: { 'X-Request-Id': 'my-id/1' } })
  assert.equal(given.headers.get('x-request-id'), 'my-id/1')
  assert.equal((await service.client.get('/livez')).headers.get('x-request-id'), null)
  const refused = await service.client.get('/api/v2/resources', { key: 'wrong' })
  assert.match(refused.headers.get('x-request-id') ?? '', /^\w+-\w+$/)
  const evil = await service.client.get('/nowhere', { headers: { 'X-Request-Id': '"<evil>"' } })
  assert.match(evil.headers.get('x-request-id') ?? '', /^\w+-\w+$/)
})

function certificateName(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const { subject } = socket.getPeerCertificate() as PeerCertificate
      socket.destroy()
      resolve(String(subject.CN))
    })
    socket.on('error', reject)
  })
}

/** Whether the port accepts that version of TLS. */
function speaks(port: number, version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'): Promise<boolean> {
  return new Promise((resolve) => {
    const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } as const
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...versions }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

test('TLS 1.2 and up, another certificate and other log levels after SIGHUP, and a drain that probes can watch', async () => {
  const [cert, key, config] = [join(dir, 'cert.pem'), join(dir, 'key.pem'), join(dir, 'settings')]
  await writeFile(cert, firstCertificate.cert)
  await writeFile(key, firstCertificate.key)
  await writeFile(config, 'SERVICE_LOG_LEVEL=info\n')
  started = spawnMain(
    {
      SERVICE_PORT: '0',
      SERVICE_OPS_PORT: '0',
      SERVICE_DATA_DIR: join(dir, 'data'),
      SERVICE_SHARDS: '1',
      SERVICE_THREADS: '1',
      SERVICE_TLS_CERT_FILE: cert,
      SERVICE_TLS_KEY_FILE: key,
      SERVICE_BOOTSTRAP_KEY: MANAGEMENT_KEY,
      SERVICE_DRAIN_SECONDS: '1',
    },
    ['--config', config],
  )
  const { child, output } = started
  const said = await eventually(
    async () => output(),
    (text) => /Operators: http:\/\/127.0.0.1:\d+/.test(text),
    START_MS,
  )
  const port = Number(/Listening on https:\/\/127.0.0.1:(\d+)/.exec(said)?.[1])
  const operators = new Client(/Operators: (http:\/\/127.0.0.1:\d+)/.exec(said)?.[1] ?? '', '')
  await eventually(
    () => operators.get('/readyz'),
    ({ status }) => status === 200,
    START_MS,
  )
  assert.equal((await operators.get('/api/v1/health')).status, 404)
  assert.equal(await certificateName(port), 'first')
  assert.deepEqual(
    [await speaks(port, 'TLSv1.1'), await speaks(port, 'TLSv1.2'), await speaks(port, 'TLSv1.3')],
    [false, true, true],
  )

  // A connection that was open before stays.
  const before = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  let answered = ''
  before.on('data', (bytes: Buffer) => (answered += bytes.toString()))
  await new Promise<void>((resolve) => before.once('secureConnect', () => resolve()))

  await writeFile(cert, secondCertificate.cert)
  child.kill('SIGHUP')
  await eventually(
    async () => output(),
    (text) => text.includes('cannot be used'),
  )
  assert.equal(await certificateName(port), 'first', 'a certificate without its key changes nothing')
  await writeFile(key, secondCertificate.key)
  await writeFile(config, 'SERVICE_LOG_LEVEL=info,api=debug\n')
  child.kill('SIGHUP')
  await eventually(
    () => certificateName(port).catch(() => ''),
    (name) => name === 'second',
  )
  before.write('GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: told\r\n\r\n')
  await eventually(
    async () => answered,
    (text) => text.includes('alive'),
  )
  await eventually(
    async () => output(),
    (text) => /"level":"debug".*"request_id":"told"/.test(text),
  )
  before.write(
    'POST /api/v1/events/late HTTP/1.1\r\nHost: x\r\nX-Service-Api-Key: ' +
      MANAGEMENT_KEY +
      '\r\nContent-Length: 10\r\n\r\n',
  )
  child.kill('SIGTERM')
  await eventually(
    () => operators.get('/readyz').catch(() => null),
    (answer) => answer === null || answer.status === 503,
  )
  await assert.rejects(openSocket(port))
  assert.equal(await started.exited, 0, 'what does not finish in time is cut off')
  before.destroy()
  const kept = await readFile(join(dir, 'data', 'logs', 'service.log'), 'utf8')
  assert.match(kept, /"msg":"listening"/)
  assert.match(kept, /"signal":"SIGTERM"/)
  assert.ok(!kept.includes(MANAGEMENT_KEY))
})

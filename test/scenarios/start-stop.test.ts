/** The program: how it starts, how a start fails, how it stops. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { access, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { firstStartPath, readFirstStart } from '../../engine/index.js'
import { afterwards } from '../support/afterwards.js'
import { freePort } from '../support/servers/free-port.js'
import { Client, eventually, makeJob, openSocket } from '../support/client.js'
import {
  MANAGEMENT_KEY,
  PASSWORD_COST,
  portOf,
  spawnMain,
  spawnNpmStart,
  spawnService,
  startService,
} from '../support/service.js'

let dir: string

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'decision-service-start-'))
})
after(() => rm(dir, { recursive: true, force: true }))

test('the first start leaves its secrets in a file of its owner and prints none, and they work', async () => {
  const settings = {
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: join(dir, 'first'),
    SERVICE_SHARDS: '1',
    SERVICE_THREADS: '1',
  }
  const first = spawnMain(settings)
  const client = new Client(`http://127.0.0.1:${await portOf(first)}`, '')
  const file = firstStartPath(settings.SERVICE_DATA_DIR)
  const { managementKey: key, adminPassword } = readFirstStart(settings.SERVICE_DATA_DIR)
  if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal((await client.withKey(key!).get('/api/v2/token/scopes')).status, 200)
  const token = await client.post('/api/v2/token', { username: 'admin', password: adminPassword })
  assert.equal(token.status, 200, token.text)
  await eventually(
    async () => first.output(),
    (output) => output.includes('First start. Its secrets are in '),
  )
  assert.ok(first.output().includes(JSON.stringify(file)), 'the log names the file')
  for (const secret of [key!, adminPassword!]) assert.ok(!first.output().includes(secret))
  first.child.kill('SIGTERM')
  assert.equal(await first.exited, 0)

  const second = spawnMain(settings)
  const again = new Client(`http://127.0.0.1:${await portOf(second)}`, key!)
  assert.equal((await again.get('/api/v2/token/scopes')).status, 200)
  second.child.kill('SIGINT')
  assert.equal(await second.exited, 0)
  assert.ok(!second.output().includes('First start'))
  assert.ok(second.output().includes(JSON.stringify(file)), 'the log names the file until it is deleted')
  await rm(file)

  const third = spawnMain(settings)
  await portOf(third)
  third.child.kill('SIGTERM')
  assert.equal(await third.exited, 0)
  assert.ok(!third.output().includes('first-start-secrets'))
})

test('a start that fails says why in one sentence', async () => {
  const service = await startService({ dataDir: join(dir, 'taken') })
  try {
    for (const [settings, args, words] of [
      [{ SERVICE_PORT: 'many' }, [], /SERVICE_PORT must be a whole number/],
      [{ SERVICE_PROT: '1' }, [], /SERVICE_PROT is not a setting/],
      [{ SERVICE_DATA_DIR: join(dir, 'other'), SERVICE_LOG_LEVEL: 'loud' }, [], /SERVICE_LOG_LEVEL must be/],
      [{}, ['--config', join(dir, 'nowhere')], /cannot be read/],
      [
        {
          SERVICE_DATA_DIR: join(dir, 'other'),
          SERVICE_PORT: String(service.port),
          SERVICE_PASSWORD_COST: String(PASSWORD_COST),
        },
        [],
        /cannot listen on 127\.0\.0\.1 port \d+: it is in use or not allowed; SERVICE_PORT sets another port/,
      ],
      [{ SERVICE_DATA_DIR: service.dataDir, SERVICE_PORT: '0' }, [], /in use|used/],
    ] as const) {
      const started = spawnMain(settings, args)
      assert.equal(await started.exited, 1, started.output())
      assert.match(started.output(), words)
      // Beside the log, which is JSON, and the secrets.
      const said = started
        .output()
        .split('\n')
        .filter((line) => !/^(\{|First start| {2})/.test(line))
        .join('\n')
      assert.match(said, /^The service did not start: [^\n]*\.\n$/)
      assert.doesNotMatch(started.output(), /management key/)
    }
  } finally {
    await service.close()
  }
})

test('a start without its port or its certificate makes no secrets: the next one does, and shows them', async () => {
  const port = await freePort()
  const [service, dataDir] = [await startService({ port }), join(dir, 'later')]
  const settings = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_SHARDS: '1',
    SERVICE_THREADS: '1',
    SERVICE_PASSWORD_COST: String(PASSWORD_COST),
  }
  const file = join(dir, 'no.pem')
  for (const more of [
    { SERVICE_PORT: String(service.port) },
    { SERVICE_PORT: '0', SERVICE_OPS_PORT: String(service.port) },
    { SERVICE_PORT: '0', SERVICE_TLS_CERT_FILE: file, SERVICE_TLS_KEY_FILE: file },
  ]) {
    const failed = spawnMain({ ...settings, ...more })
    assert.equal(await failed.exited, 1)
    assert.match(failed.output(), /^The service did not start: [^\n]*\.\n$/)
    await assert.rejects(access(dataDir), { code: 'ENOENT' })
  }
  await service.close()
  const started = spawnMain({ ...settings, SERVICE_PORT: String(port) })
  await portOf(started)
  await eventually(
    async () => started.output(),
    (output) => /^Listening on [\s\S]*^First start\. Its secrets are in /m.test(output),
  )
  assert.ok(readFirstStart(dataDir).managementKey)
  started.child.kill('SIGTERM')
  assert.equal(await started.exited, 0)
})

test('a start that fails after it made its secrets has left them in the file', async () => {
  const port = String(await freePort())
  const started = spawnMain({
    SERVICE_DATA_DIR: join(dir, 'late'),
    SERVICE_PORT: port,
    SERVICE_OPS_PORT: port,
    SERVICE_PASSWORD_COST: String(PASSWORD_COST),
  })
  assert.equal(await started.exited, 1)
  assert.match(started.output(), /^First start\. Its secrets are in /m)
  assert.ok(readFirstStart(join(dir, 'late')).managementKey)
  assert.match(started.output(), /^The service did not start: cannot listen on [^\n]*\.$/m)
})

test('SIGTERM to npm stops the service that `npm start` runs, and frees its port', async (context) => {
  const started = spawnNpmStart({
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: join(dir, 'npm'),
    SERVICE_SHARDS: '1',
    SERVICE_THREADS: '1',
    SERVICE_PASSWORD_COST: String(PASSWORD_COST),
  })
  const npm = started.child
  afterwards(context, async () => {
    try {
      process.kill(-(npm.pid as number), 'SIGKILL')
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
    }
    await started.exited
  })
  const port = await portOf(started)
  const ended = once(npm, 'exit')
  npm.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  await started.exited
  assert.match(started.output(), /"signal":"SIGTERM","msg":"stopping"/)
  await assert.rejects(openSocket(port), { code: 'ECONNREFUSED' })
})

test('the service runs over node:http where that is asked for, says so in one sentence, and stops', async (context) => {
  const started = spawnMain({
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: join(dir, 'node-http'),
    SERVICE_HTTP_LIBRARY: 'node',
    SERVICE_HTTP_THREADS: '1',
    SERVICE_SHARDS: '1',
    SERVICE_THREADS: '1',
    SERVICE_PASSWORD_COST: String(PASSWORD_COST),
  })
  afterwards(context, () => void started.child.kill('SIGKILL'))
  const port = await portOf(started)
  await eventually(
    async () => started.output(),
    (output) => /^HTTP is served by node:http, as SERVICE_HTTP_LIBRARY says\.$/m.test(output),
  )
  assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200)
  started.child.kill('SIGTERM')
  assert.equal(await started.exited, 0)
})

test('help lists the settings', async () => {
  const started = spawnMain({}, ['--help'])
  assert.equal(await started.exited, 0)
  assert.match(started.output(), /SERVICE_DATA_DIR/)
})

test('SIGTERM ends open requests, answers new ones 503 and ends with 0; a kill loses nothing acknowledged', async () => {
  const service = await spawnService({ dataDir: join(dir, 'drained') })
  const { jobId } = await makeJob(service.client)
  const line = (id: string): string => `${JSON.stringify({ job_id: jobId, event_id: id, raw_body: { rule: 'a' } })}\n`
  const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

  const stream = await openSocket(service.port)
  let streamed = ''
  stream.on('data', (bytes) => (streamed += bytes.toString()))
  const streamClosed = new Promise<void>((resolve) => stream.once('close', () => resolve()))
  stream.write(
    `POST /api/v1/events/_bulk HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${MANAGEMENT_KEY}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n${chunk(line('streamed'))}`,
  )
  await eventually(
    async () => streamed,
    (text) => text.includes('"streamed"'),
  )

  // Half of a request holds the drain open, so that there is time to send another.
  const body = line('late').trim()
  const slow = await openSocket(service.port)
  let answered = ''
  slow.on('data', (bytes) => (answered += bytes.toString()))
  slow.write(
    `POST /api/v1/events/late HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${MANAGEMENT_KEY}\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  const idle = await openSocket(service.port)
  let refused = ''
  idle.on('data', (bytes) => (refused += bytes.toString()))
  await service.client.get('/api/v1/health')

  service.started.child.kill('SIGTERM')
  await eventually(
    async () => streamed,
    (text) => text.endsWith('}\n\r\n0\r\n\r\n'),
  )
  idle.write(`GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n`)
  await eventually(
    async () => refused,
    (text) => text.startsWith('HTTP/1.1 503 ') && /retry-after: \d/i.test(text),
  )
  await assert.rejects(openSocket(service.port))
  slow.write(body.slice(10))
  await eventually(
    async () => answered,
    (text) => text.startsWith('HTTP/1.1 201 '),
  )
  assert.equal(await service.started.exited, 0)
  await streamClosed
  assert.ok(!service.started.output().includes(MANAGEMENT_KEY), 'secrets from the environment are not printed')
  assert.ok(!service.started.output().includes('administrator'))

  const drained = ['streamed', 'late']
  const second = await spawnService({ dataDir: service.dataDir })
  for (const id of drained) assert.equal((await second.client.get(`/api/v1/events/${jobId}/${id}`)).status, 200)
  const ids = Array.from({ length: 200 }, (_, i) => `k-${i}`)
  await Promise.all(
    ids.map((id) => second.client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule: 'a' } })),
  )
  await second.kill()
  const third = await spawnService({ dataDir: service.dataDir })
  for (const id of [...drained, ...ids])
    assert.equal((await third.client.get(`/api/v1/events/${jobId}/${id}`)).status, 200, id)
  assert.equal(
    (await third.client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count,
    drained.length + ids.length,
  )
  await third.close()
})

/** Clients that open connections and say nothing, where the process may open few files. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { httpNotice } from '../../server/server.js'
import { afterwards } from '../support/afterwards.js'
import { Client, eventually, makeJob } from '../support/client.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { MANAGEMENT_KEY, PASSWORD_COST, portOf, spawnMain, type Started } from '../support/service.js'

const FILES = 300
const SILENT = 400

interface Running {
  readonly started: Started
  readonly port: number
}

async function start(
  test: TestContext,
  settings: Readonly<Record<string, string>> = {},
  files = FILES,
): Promise<Running> {
  const started = spawnMain(
    {
      SERVICE_PORT: '0',
      SERVICE_DATA_DIR: join(temporaryDirectory(test), 'data'),
      SERVICE_BOOTSTRAP_KEY: MANAGEMENT_KEY,
      SERVICE_PASSWORD_COST: String(PASSWORD_COST),
      SERVICE_SHARDS: '2',
      SERVICE_THREADS: '1',
      ...settings,
    },
    [],
    ['bash', '-c', `ulimit -n ${files}; exec "$@"`, 'bash'],
  )
  afterwards(test, async () => {
    started.child.kill('SIGKILL')
    await started.exited
  })
  return { started, port: await portOf(started) }
}

/** One connection that is kept, as a client has it. */
class Kept {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #port: number
  /** How many connections it has opened. */
  opened = 0

  constructor(port: number) {
    this.#port = port
  }

  send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const headers = { 'x-service-api-key': MANAGEMENT_KEY }
      const options = { agent: this.#agent, method, port: this.#port, host: '127.0.0.1', path, headers }
      const query = request(options, (response) => {
        let text = ''
        response.on('data', (bytes: Buffer) => (text += bytes.toString()))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      query.on('socket', (socket: Socket) => {
        if (socket.connecting) this.opened++
      })
      query.on('error', reject)
      query.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Opens connections that send `first` and nothing more. Resolves when all are open or refused. */
async function open(test: TestContext, port: number, count: number, first = ''): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    if (first !== '') socket.write(first)
    return socket
  })
  afterwards(test, () => {
    for (const socket of sockets) socket.destroy()
  })
  await eventually(
    async () => sockets.filter(({ connecting, destroyed }) => connecting && !destroyed).length,
    (left) => left === 0,
  )
  return sockets
}

const upgrade =
  'GET /api/v2/events/stream HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'

/** What connections of strangers say. */
const floods = {
  nothing: '',
  'a part of a request': 'POST /api/v1/events/ HTTP/1.1\r\nHost: x\r\nX-Some',
  'an upload that never ends': 'POST /api/v1/events/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{"job_id":',
  'a chunked upload that never ends':
    'POST /api/v1/events/_bulk HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
  'a stream without a key': 'GET /api/v2/events/stream HTTP/1.1\r\nHost: x\r\n\r\n',
  'a WebSocket without a key': upgrade,
}

const libraries = [{ SERVICE_HTTP_LIBRARY: 'auto' }, { SERVICE_HTTP_LIBRARY: 'node' }]

describe('connections of strangers', { skip: process.platform === 'linux' ? false : 'limits are set on Linux' }, () => {
  for (const settings of libraries) {
    it(`take no files from the service, whatever they say (${settings.SERVICE_HTTP_LIBRARY})`, async (test) => {
      const { started, port } = await start(test, settings)
      const client = new Client(`http://127.0.0.1:${port}`, MANAGEMENT_KEY)
      const { jobId } = await makeJob(client)
      const kept = new Kept(port)
      afterwards(test, () => kept.close())
      const post = async (id: string): Promise<void> => {
        const body = { job_id: jobId, raw_body: { rule: id } }
        assert.equal((await kept.send('POST', `/api/v1/events/${id}`, body)).status, 201)
      }
      await post('before')
      const ids = ['before']
      for (const [at, [what, first]] of Object.entries(floods).entries()) {
        const sockets = await open(test, port, SILENT, first)
        await post(`during-${at}`)
        ids.push(`during-${at}`)
        // What opens files: threads for queries, the page of the manual.
        assert.equal((await kept.send('POST', '/api/v2/events/query', {})).status, 200, what)
        assert.equal((await kept.send('GET', '/docs')).status, 200, what)
        for (const socket of sockets) socket.destroy()
        await eventually(
          async () =>
            new Client(`http://127.0.0.1:${port}`, MANAGEMENT_KEY).get('/readyz').catch(() => ({ status: 0 })),
          ({ status }) => status === 200,
        )
      }
      assert.equal(kept.opened, 1)
      for (const id of ids) assert.equal((await client.get(`/api/v1/events/${jobId}/${id}`)).status, 200)
      assert.equal(started.child.exitCode, null)
      const metrics = (await client.get('/metrics')).text
      const value = (name: string): number => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(metrics)?.[1])
      assert.ok(value('decision_http_connections_refused_total') > SILENT)
      assert.ok(value('decision_http_connections_max') < FILES)
      assert.ok(value('decision_http_connections') < 10)
    })
  }

  it('are bounded by a setting, over all threads of HTTP', { skip: httpNotice !== null }, async (test) => {
    const { port } = await start(test, { SERVICE_CONNECTIONS_MAX: '20', SERVICE_HTTP_THREADS: '2' })
    const sockets = await open(test, port, 60)
    const isOpen = ({ destroyed, readableEnded }: Socket): boolean => !destroyed && !readableEnded
    await eventually(
      async () => sockets.filter(isOpen).length,
      (left) => left <= 20,
    )
    assert.ok(sockets.filter(isOpen).length >= 10)
    for (const socket of sockets) socket.destroy()
    await eventually(
      async () => new Client(`http://127.0.0.1:${port}`, MANAGEMENT_KEY).get('/readyz').catch(() => ({ status: 0 })),
      ({ status }) => status === 200,
    )
  })

  it('cannot be more than the limit of open files leaves: such a start says so', async (test) => {
    const started = spawnMain(
      { SERVICE_DATA_DIR: join(temporaryDirectory(test), 'data'), SERVICE_PORT: '0', SERVICE_CONNECTIONS_MAX: '900' },
      [],
      ['bash', '-c', `ulimit -n ${FILES}; exec "$@"`, 'bash'],
    )
    assert.equal(await started.exited, 1)
    const words =
      /^The service did not start: SERVICE_CONNECTIONS_MAX is 900, and the limit of open files is 300 \(ulimit -n\)/
    assert.match(started.output(), words)
  })
})

/**
 * Kills a loaded service with several threads of HTTP again and again. After each kill it checks that every event that
 * was acknowledged is there.
 *
 * `node --enable-source-maps .build/test/faults/http-kill.js --kills 20 --threads 2`
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client, makeJob } from '../support/client.js'
import { MANAGEMENT_KEY, PASSWORD_COST, portOf, spawnMain, type Started } from '../support/service.js'

const SENDERS = 6
const STREAMS = 4
/** A life ends some time after so many answers. */
const ANSWERS_MIN = 100
const MORE_MS = 200
const PAGE = 32

export interface HttpKills {
  readonly kills: number
  readonly acknowledged: number
}

/** One life of the service under load. */
class Load {
  readonly acknowledged: string[] = []
  readonly #port: number
  readonly #jobId: number
  readonly #life: number
  readonly #agent = new Agent({ keepAlive: true })
  #over = false

  constructor(port: number, jobId: number, life: number) {
    this.#port = port
    this.#jobId = jobId
    this.#life = life
  }

  run(): Promise<unknown> {
    const senders = Array.from({ length: SENDERS }, (_, i) => this.#sendSingles(i))
    const streams = Array.from({ length: STREAMS }, (_, i) => this.#sendStream(i))
    return Promise.all([...senders, ...streams])
  }

  end(): void {
    this.#over = true
    this.#agent.destroy()
  }

  async #sendSingles(sender: number): Promise<void> {
    for (let i = 0; !this.#over; i++) {
      const id = `k${this.#life}-${sender}-${i}`
      const body = JSON.stringify({ job_id: this.#jobId, raw_body: { rule: `r${i % 50}` } })
      const text = await this.#send(`/api/v1/events/${id}`, [body]).catch(() => '')
      if (text.includes('"event_id"')) this.acknowledged.push(id)
    }
  }

  /** A stream without end: whatever lines were answered before the kill count. */
  async #sendStream(stream: number): Promise<void> {
    let next = 0
    const isOver = (): boolean => this.#over
    const lines = function* (this: Load): Iterable<string> {
      while (!isOver()) {
        const piece = Array.from({ length: 20 }, () => {
          const event_id = `b${this.#life}-${stream}-${next++}`
          return `${JSON.stringify({ job_id: this.#jobId, event_id, raw_body: { rule: `r${next % 50}` } })}\n`
        })
        yield piece.join('')
      }
    }
    await this.#send('/api/v1/events/_bulk', lines.call(this), (line) => {
      const { event_id, status } = JSON.parse(line) as { event_id?: string; status?: string }
      if (status === 'OK' && event_id !== undefined) this.acknowledged.push(event_id)
    }).catch(() => '')
  }

  #send(path: string, pieces: Iterable<string>, told: (line: string) => void = () => {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { 'x-service-api-key': MANAGEMENT_KEY }
      const options = { agent: this.#agent, method: 'POST', port: this.#port, host: '127.0.0.1', path, headers }
      const query = request(options, (response) => {
        let [text, seen] = ['', 0]
        response.on('data', (bytes: Buffer) => {
          text += bytes.toString()
          for (let end = text.indexOf('\n', seen); end >= 0; end = text.indexOf('\n', seen)) {
            told(text.slice(seen, end))
            seen = end + 1
          }
        })
        response.on('end', () => resolve(text))
        response.on('error', reject)
      })
      query.on('error', reject)
      void this.#write(query, pieces)
    })
  }

  async #write(query: ReturnType<typeof request>, pieces: Iterable<string>): Promise<void> {
    for (const piece of pieces) {
      if (this.#over) return
      query.write(piece)
      await sleep(2)
    }
    query.end()
  }
}

async function start(
  directory: string,
  threads: number,
): Promise<{ readonly started: Started; readonly port: number }> {
  const started = spawnMain({
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: directory,
    SERVICE_BOOTSTRAP_KEY: MANAGEMENT_KEY,
    SERVICE_PASSWORD_COST: String(PASSWORD_COST),
    SERVICE_SHARDS: '2',
    SERVICE_HTTP_THREADS: String(threads),
  })
  return { started, port: await portOf(started) }
}

/** Throws if anything acknowledged is lost. */
export async function httpKills(kills: number, threads: number): Promise<HttpKills> {
  const folder = mkdtempSync(join(tmpdir(), 'http-kill-'))
  const directory = join(folder, 'data')
  let [acknowledged, jobId]: [string[], number] = [[], 0]
  let count = 0
  try {
    for (let life = 0; life <= kills; life++) {
      const { started, port } = await start(directory, threads)
      const client = new Client(`http://127.0.0.1:${port}`, MANAGEMENT_KEY)
      if (life === 0) jobId = (await makeJob(client)).jobId
      for (let at = 0; at < acknowledged.length; at += PAGE) {
        const page = acknowledged.slice(at, at + PAGE)
        const found = await Promise.all(page.map((id) => client.get(`/api/v1/events/${jobId}/${id}`)))
        for (const [i, { status }] of found.entries())
          assert.equal(status, 200, `${page[i]} was acknowledged and is lost`)
      }
      const stored = (await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count as number
      count += acknowledged.length
      assert.ok(stored >= count, `${count} events were acknowledged, ${stored} are stored`)
      const load = new Load(port, jobId, life)
      const running = load.run()
      while (life < kills && load.acknowledged.length < ANSWERS_MIN) await sleep(10)
      if (life < kills) await sleep(Math.random() * MORE_MS)
      started.child.kill('SIGKILL')
      await started.exited
      load.end()
      await running
      acknowledged = load.acknowledged
    }
    return { kills, acknowledged: count }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = { kills: { type: 'string', default: '20' }, threads: { type: 'string', default: '2' } } as const
  const { kills, threads } = parseArgs({ options }).values
  console.log(await httpKills(Number(kills), Number(threads)))
}

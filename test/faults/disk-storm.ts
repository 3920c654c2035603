/**
 * Another program takes and gives back the space of the disk while the service is under load. The service must not
 * end, must lose nothing that it acknowledged, must answer reads, and must take events again when there is room.
 *
 * `node --enable-source-maps .build/test/faults/disk-storm.js --seconds 60 --on ext4` (or `tmpfs`); only root can mount
 * a file system.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { childFile } from '../child-files.js'
import { Client, makeJob } from '../support/client.js'
import { MANAGEMENT_KEY, PASSWORD_COST, portOf, spawnMain, type Started } from '../support/service.js'

const JOBS = 4
const SENDERS = 3
const STREAM_LINES = 1_500
const READERS = 2

export type DiskKind = 'ext4' | 'tmpfs'

export interface StormCounts {
  deaths: number
  /** How each life ended that the storm ended. */
  readonly ends: string[]
  acknowledged: number
  /** Answers of writes, and of reads, by status. */
  readonly writes: Record<string, number>
  readonly reads: Record<string, number>
}

/** A small file system of its own; null where it cannot be made. */
export function mountDisk(folder: string, kind: DiskKind, mib: number): { path: string; unmount(): void } | null {
  const path = join(folder, 'disk')
  mkdirSync(path)
  const image = join(folder, 'image')
  const run = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0
  const isMounted =
    kind === 'tmpfs'
      ? run('mount', '-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', path)
      : run('truncate', '-s', `${mib}M`, image) &&
        run('mkfs.ext4', '-q', '-F', image) &&
        run('mount', '-o', 'loop', image, path)
  return isMounted ? { path, unmount: () => void spawnSync('umount', ['-l', path]) } : null
}

/** The senders and readers of one life of the service. */
class Load {
  readonly #counts: StormCounts
  readonly #stored: Map<number, string[]>
  readonly #port: number
  readonly #life: number
  readonly #agent = new Agent({ keepAlive: true })
  #isOver = false

  constructor(port: number, life: number, stored: Map<number, string[]>, counts: StormCounts) {
    this.#port = port
    this.#life = life
    this.#stored = stored
    this.#counts = counts
  }

  run(): Promise<unknown> {
    const jobs = [...this.#stored.keys()]
    return Promise.all([
      ...jobs.flatMap((job) => Array.from({ length: SENDERS }, (_, i) => this.#singles(job, i))),
      ...jobs.map((job) => this.#streams(job)),
      this.#catalog(),
      ...Array.from({ length: READERS }, () => this.#reads()),
    ])
  }

  end(): void {
    this.#isOver = true
    this.#agent.destroy()
  }

  async #singles(job: number, sender: number): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      const id = `s${this.#life}-${sender}-${i}`
      const body = JSON.stringify({ job_id: job, raw_body: { rule: `r${i % 50}`, text: 'x'.repeat(1_000) } })
      const { status } = await this.#send('POST', `/api/v1/events/${id}`, body)
      this.#count(this.#counts.writes, status)
      if (status === 201) this.#stored.get(job)?.push(id)
      // A client that was refused waits a little.
      if (status !== 201) await sleep(5)
    }
  }

  async #streams(job: number): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      const lines = Array.from({ length: STREAM_LINES }, (_, i) =>
        JSON.stringify({ job_id: job, event_id: `b${this.#life}-${round}-${i}`, raw_body: { rule: `r${i % 50}` } }),
      )
      const { status, text } = await this.#send('POST', '/api/v1/events/_bulk', lines.join('\n'))
      for (const line of text.split('\n')) {
        if (line === '') continue
        let answer: { event_id?: string; status?: unknown }
        try {
          answer = JSON.parse(line)
        } catch {
          continue
        }
        if (answer.status === 'OK') this.#stored.get(job)?.push(answer.event_id as string)
        this.#count(this.#counts.writes, answer.status === 'OK' ? 200 : 507)
      }
      if (status !== 200) this.#count(this.#counts.writes, status)
      await sleep(20)
    }
  }

  /** Views are rows of the catalog. */
  async #catalog(): Promise<void> {
    while (!this.#isOver) {
      const view = JSON.stringify({ name: `v${Math.random()}`, query: { text: 'x' } })
      const { status, text } = await this.#send('POST', '/api/v2/views', view)
      this.#count(this.#counts.writes, `view ${status}`)
      const id = status < 300 && status > 0 ? (JSON.parse(text) as { view_id?: unknown }).view_id : undefined
      if (id !== undefined) await this.#send('DELETE', `/api/v2/views/${id}`, '')
      await sleep(5)
    }
  }

  async #reads(): Promise<void> {
    while (!this.#isOver) {
      const all = [...this.#stored]
      const [job, ids] = all[Math.floor(Math.random() * all.length)] as [number, string[]]
      const id = ids[Math.floor(Math.random() * ids.length)]
      if (id !== undefined)
        this.#count(this.#counts.reads, (await this.#send('GET', `/api/v1/events/${job}/${id}`)).status)
      await sleep(5)
    }
  }

  #count(into: Record<string, number>, status: number | string): void {
    if (status !== 0) into[status] = (into[status] ?? 0) + 1
  }

  /** Status 0: the connection ended. */
  #send(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve) => {
      const headers = { 'x-service-api-key': MANAGEMENT_KEY, 'content-type': 'application/json' }
      const options = { agent: this.#agent, method, port: this.#port, host: '127.0.0.1', path, headers }
      const query = request(options, (response) => {
        let text = ''
        response.on('data', (bytes: Buffer) => (text += bytes.toString()))
        response.on('error', () => resolve({ status: 0, text }))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      query.on('error', () => resolve({ status: 0, text: '' }))
      query.end(body)
    })
  }
}

async function start(directory: string): Promise<{ readonly started: Started; readonly port: number }> {
  const started = spawnMain({
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: directory,
    SERVICE_BOOTSTRAP_KEY: MANAGEMENT_KEY,
    SERVICE_PASSWORD_COST: String(PASSWORD_COST),
    SERVICE_SHARDS: String(JOBS),
    SERVICE_THREADS: '2',
    SERVICE_LOG_LEVEL: process.env.STORM_LOG ?? 'silent',
  })
  return { started, port: await portOf(started) }
}

async function mustHaveAll(client: Client, stored: Map<number, string[]>): Promise<void> {
  for (const [job, ids] of stored) {
    for (let at = 0; at < ids.length; at += 64) {
      const page = ids.slice(at, at + 64)
      const found = await Promise.all(page.map((id) => client.get(`/api/v1/events/${job}/${id}`)))
      for (const [i, { status }] of found.entries())
        assert.equal(status, 200, `${page[i]} of job ${job} was acknowledged and is lost`)
    }
  }
}

/** Throws if anything acknowledged is lost, or if the service takes no events once there is room. */
export async function diskStorm(kind: DiskKind, seconds: number, mib: number): Promise<StormCounts | null> {
  const folder = mkdtempSync(join(tmpdir(), 'disk-storm-'))
  const disk = mountDisk(folder, kind, mib)
  const counts: StormCounts = { deaths: 0, ends: [], acknowledged: 0, writes: {}, reads: {} }
  if (disk === null) return null
  const directory = join(disk.path, 'data')
  const stored = new Map<number, string[]>()
  let { started, port } = await start(directory)
  try {
    for (let i = 0; i < JOBS; i++) {
      stored.set(
        (await makeJob(new Client(`http://127.0.0.1:${port}`, MANAGEMENT_KEY), { title: `job ${i}` })).jobId,
        [],
      )
    }
    const startedAt = Date.now()
    for (let life = 0; Date.now() < startedAt + seconds * 1000; life++) {
      const filler = spawn(process.execPath, [fileURLToPath(childFile('disk-filler-child')), disk.path], {
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      const load = new Load(port, life, stored, counts)
      const running = load.run()
      const ended = await Promise.race([
        started.exited.then(() => true),
        sleep(startedAt + seconds * 1000 - Date.now()).then(() => false),
      ])
      filler.stdin.end()
      await new Promise((resolve) => filler.once('exit', resolve))
      if (ended) {
        load.end()
        await running
        counts.deaths++
        counts.ends.push(`${started.child.signalCode ?? started.child.exitCode}: ${started.output().slice(-400)}`)
        ;({ started, port } = await start(directory))
        continue
      }
      // There is room again: every event is taken.
      await sleep(500)
      load.end()
      await running
      const client = new Client(`http://127.0.0.1:${port}`, MANAGEMENT_KEY)
      for (const job of stored.keys()) {
        const { status, text } = await client.post('/api/v1/events/', { job_id: job, raw_body: { rule: 'after' } })
        assert.equal(status, 201, text)
      }
    }
    counts.acknowledged = [...stored.values()].reduce((sum, ids) => sum + ids.length, 0)
    await mustHaveAll(new Client(`http://127.0.0.1:${port}`, MANAGEMENT_KEY), stored)
    started.child.kill('SIGKILL')
    await started.exited
    ;({ started, port } = await start(directory))
    await mustHaveAll(new Client(`http://127.0.0.1:${port}`, MANAGEMENT_KEY), stored)
    return counts
  } finally {
    if (process.env.STORM_OUTPUT === '1') console.log(started.output().slice(-3000))
    started.child.kill('SIGKILL')
    await started.exited
    disk.unmount()
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      on: { type: 'string', default: 'ext4' },
      mib: { type: 'string', default: '192' },
    },
  })
  const counts = await diskStorm(values.on as DiskKind, Number(values.seconds), Number(values.mib))
  console.log(counts ?? 'only root can mount a file system')
  process.exitCode = counts !== null && counts.deaths > 0 ? 1 : 0
}

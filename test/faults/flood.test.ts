/**
 * Senders that write to `_bulk` as fast as they can, and do not wait for answers, starve nobody and fill no memory.
 * The test of `npm run test:flood` does it for longer, and measures times.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually, makeJob, type Client } from '../support/client.js'
import { httpNotice } from '../../server/http/native.js'
import { spawnService, type ChildService } from '../support/service.js'
import type { Flood, FloodResult } from './flood-sender.js'

const MIB = 1024 * 1024
const PEAK_BYTES_MAX = 600 * MIB
/** Lines of a flood that may be stored while somebody else sends a round of requests. */
const LINES_PER_ROUND = 20_000
/** The flood goes on for so many rounds. In those in which this process had to wait for a processor, more is stored. */
const ROUNDS = 12
const QUICK_ROUNDS = 3
const LINES = 20_000
const FEW = 2_000

let service: ChildService
let folder: string
let flooded: { readonly jobId: number; readonly key: string }
let other: { readonly jobId: number; readonly client: Client }

/** An alert of several hundred bytes. */
const line = (i: number): string => {
  const body = { rule: `r${i % 50}`, source: { ip: `10.0.${i % 250}.${i % 199}` }, number: i, text: 'x'.repeat(500) }
  return `${JSON.stringify({ job_id: flooded.jobId, raw_body: body })}\n`
}

const fileOf = (lines: number): string => join(folder, `${lines}-lines`)

before(async () => {
  service = await spawnService()
  folder = mkdtempSync(join(tmpdir(), 'flood-'))
  flooded = await makeJob(service.client)
  const { jobId, key } = await makeJob(service.client)
  other = { jobId, client: service.client.withKey(key) }
  for (const count of [FEW, LINES])
    writeFileSync(fileOf(count), Array.from({ length: count }, (_, i) => line(i)).join(''))
})
after(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

async function runFlood(
  how: Omit<Flood, 'port' | 'key' | 'bytesMax' | 'untilInputEnds'>,
  over: Promise<unknown> = new Promise(() => {}),
): Promise<FloodResult> {
  const flood: Flood = { ...how, untilInputEnds: true, port: service.port, key: flooded.key, bytesMax: 4_000 * MIB }
  const sender = fileURLToPath(new URL('flood-sender.js', import.meta.url))
  const child = spawn(process.execPath, [sender, JSON.stringify(flood)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const end = (): unknown => child.stdin.end()
  void over.then(end, end)
  let text = ''
  child.stdout.on('data', (bytes: Buffer) => (text += bytes.toString()))
  const [code] = (await once(child, 'close')) as [number]
  assert.equal(code, 0)
  return JSON.parse(text) as FloodResult
}

/** Others send one request after the other. */
async function othersSend(): Promise<void> {
  const event = { job_id: other.jobId, raw_body: { rule: 'other' } }
  assert.equal((await other.client.get('/livez')).status, 200)
  assert.equal((await other.client.post('/api/v1/events/', event)).status, 201)
  const results = await other.client.bulk(`${JSON.stringify(event)}\n`.repeat(20))
  assert.ok(results.every(({ status }) => status === 'OK'))
}

/** The same again and again until `ends` resolves. */
async function othersSendUntil(ends: Promise<unknown>): Promise<void> {
  let goes = true
  const end = (): unknown => (goes = false)
  void ends.then(end, end)
  while (goes) await othersSend()
}

/** What is stored of the flood in each of some rounds of others, fewest first. */
async function storedMeanwhile(begun: number): Promise<number[]> {
  let before = await eventually(storedLines, (lines) => lines > begun)
  const stored: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await othersSend()
    const lines = await storedLines()
    stored.push(lines - before)
    before = lines
  }
  return stored.sort((a, b) => a - b)
}

/** The most memory that the service has had, in bytes. */
function peakBytes(): number {
  const status = readFileSync(`/proc/${service.started.child.pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) * 1024
}

async function storedLines(): Promise<number> {
  const { body } = await service.client.get(`/api/v1/jobs/${flooded.jobId}`)
  return body.processed_documents_count
}

describe('a flood of NDJSON', { concurrency: false }, () => {
  for (const [what, gzip] of [
    ['plain', false],
    ['gzip', true],
  ] as const) {
    it(`leaves others their share, and the service its memory: ${what}`, async () => {
      const stored = await storedLines()
      const rounds = storedMeanwhile(stored)
      const how = { file: fileOf(LINES), connections: 8, seconds: 600, chunkBytes: 64 * 1024, gzip, reads: true }
      const { accepted, refused } = await runFlood(how, rounds)
      const lines = await rounds
      assert.ok(lines[QUICK_ROUNDS - 1]! <= LINES_PER_ROUND, `${lines} lines were stored in rounds of others`)
      assert.ok(accepted > 0)
      assert.equal(refused, 0)
      assert.ok((await storedLines()) - stored >= accepted)
      assert.ok(peakBytes() < PEAK_BYTES_MAX, `${Math.round(peakBytes() / MIB)} MiB`)
    })
  }

  it('fills no memory where it reads no answers', async () => {
    const how = { file: fileOf(LINES), connections: 8, seconds: 2, chunkBytes: 64 * 1024, gzip: false, reads: false }
    const flood = runFlood(how)
    await Promise.all([flood, othersSendUntil(flood)])
    assert.ok(peakBytes() < PEAK_BYTES_MAX, `${Math.round(peakBytes() / MIB)} MiB`)
  })

  it('is cut off where it cannot be stopped: pieces of a few bytes without end', async () => {
    // Over node:http a connection that is paused brings no more.
    const isCut = httpNotice === null
    const how = { file: fileOf(FEW), connections: 2, chunkBytes: 8, gzip: false, reads: true }
    const flood = runFlood({ ...how, seconds: isCut ? 600 : 2, untilClosed: isCut })
    const [{ closed }] = await Promise.all([flood, othersSendUntil(flood)])
    if (isCut) {
      assert.ok(closed > 0)
      assert.match(service.started.output(), /a stream brought more at once than is held, and was cut off/)
    }
    assert.ok(peakBytes() < PEAK_BYTES_MAX)
  })
})

/**
 * What others notice of a flood: latencies of `/livez` and of single events of another job, and the memory of the
 * service, while the process of flood-sender.ts writes to it.
 */
import { connect } from 'node:net'
import { Histogram } from '../../../bench/load/histogram.js'
import { RawClient } from '../../../bench/load/raw-client.js'
import { memoryOf } from '../../../bench/harness/machine.js'
import { runNode } from '../../../bench/harness/child.js'
import { built } from '../../../bench/harness/paths.js'
import type { Flood, FloodResult } from '../../faults/flood-sender.js'

/** A request is due so often. Those that were due while another was not answered count too: a stall is not hidden. */
const EVERY_MS = 20
const MEMORY_EVERY_MS = 50

/** Milliseconds. */
export interface Latency {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Noticed {
  readonly livez: Latency
  readonly post: Latency
  /** Of single lines of a stream with another key. */
  readonly stream: Latency
  readonly rssMaxMib: number
}

/** Who else uses the service. */
export interface Bystander {
  readonly port: number
  readonly pid: number
  readonly jobId: number
  readonly key: string
}

/** Asks one thing, again and again. */
interface Asker {
  ask(): Promise<void>
  close(): void
}

async function probe({ ask, close }: Asker, goes: () => boolean): Promise<Latency> {
  const histogram = new Histogram()
  let max = 0
  try {
    while (goes()) {
      const sent = performance.now()
      await ask()
      const ms = performance.now() - sent
      max = Math.max(max, ms)
      for (let waited = ms; waited > 0; waited -= EVERY_MS) histogram.record(waited * 1_000)
      if (ms < EVERY_MS) await new Promise((resolve) => setTimeout(resolve, EVERY_MS - ms))
    }
  } finally {
    close()
  }
  return { p50: histogram.percentile(50) / 1_000, p99: histogram.percentile(99) / 1_000, max }
}

/** Sends a request over a connection of its own; it must be answered with this status. */
function requests(port: number, request: () => Buffer, status: number): Asker {
  const client = new RawClient(port)
  const ask = async (): Promise<void> => {
    const answer = await client.send(request())
    if (answer.status !== status) throw new Error(`answered ${answer.status}: ${answer.body.slice(0, 200)}`)
  }
  return { ask, close: () => client.close() }
}

/** Sends one line of a stream, and waits for its answer. */
function lines(port: number, key: string, line: () => string): Asker {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  let answered = (): void => {}
  let failed = (_error: Error): void => {}
  socket.on('error', (error) => failed(error))
  socket.on('close', () => failed(new Error('the stream was closed')))
  socket.on('data', (bytes) => {
    if (bytes.includes('"status":"OK"')) answered()
  })
  socket.write(
    'POST /api/v1/events/_bulk HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n' +
      `x-service-api-key: ${key}\r\n\r\n`,
  )
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      answered = resolve
      failed = reject
      const text = line()
      socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
    })
  return { ask, close: () => socket.destroy() }
}

/** What the bystander notices while something else runs. */
export async function beside<T>(who: Bystander, load: () => Promise<T>): Promise<{ noticed: Noticed; result: T }> {
  let goes = true
  let rssMaxMib = 0
  let number = 0
  const sample = setInterval(() => (rssMaxMib = Math.max(rssMaxMib, memoryOf(who.pid).rssMib)), MEMORY_EVERY_MS)
  const isGoing = (): boolean => goes
  const livez = Buffer.from('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  const text = (): string => JSON.stringify({ job_id: who.jobId, raw_body: { rule: 'beside', number: number++ } })
  const event = (): Buffer => {
    const body = text()
    const head = `POST /api/v1/events/ HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${who.key}\r\n`
    return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const probes = Promise.all([
    probe(
      requests(who.port, () => livez, 200),
      isGoing,
    ),
    probe(requests(who.port, event, 201), isGoing),
    probe(
      lines(who.port, who.key, () => `${text()}\n`),
      isGoing,
    ),
  ])
  probes.catch(() => {})
  try {
    const result = await load()
    goes = false
    const [livezLatency, post, stream] = await probes
    return { noticed: { livez: livezLatency, post, stream, rssMaxMib }, result }
  } finally {
    goes = false
    clearInterval(sample)
  }
}

/** Runs the sender to its end. */
export async function runFlood(flood: Flood): Promise<FloodResult> {
  return (await runNode(built('test/faults/flood-sender.js'), [JSON.stringify(flood)])) as FloodResult
}

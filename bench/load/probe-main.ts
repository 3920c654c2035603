/**
 * How long it takes from the POST of an event until GET shows its decision: a few events a second, while others make
 * the load.
 *
 * A probe posts an event under an id of its own and then gets it, at once and again every millisecond, until it is
 * decided. It takes one JSON argument and prints one line of JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Histogram } from './histogram.js'
import { RawClient } from './raw-client.js'
import { encodeRequest, readRequests } from './requests.js'

interface Argument {
  readonly port: number
  readonly jobId: number
  readonly seconds: number
  /** Probes at the same time. */
  readonly connections: number
  /** Milliseconds between a probe's end and the next one's start. */
  readonly pauseMs: number
  /** Single POSTs, as writeRequests wrote them. */
  readonly file: string
  readonly headers: Readonly<Record<string, string>>
}

const argument = JSON.parse(process.argv[2] ?? '') as Argument
const bodies = readRequests(argument.file).map(({ body }) => body)
const headers = { 'Content-Type': 'application/json', ...argument.headers }
const histogram = new Histogram()
const endsAt = performance.now() + argument.seconds * 1000
let undecided = 0
let count = 0

async function probe(client: RawClient): Promise<void> {
  const id = `probe-${process.pid}-${count++}`
  const body = bodies[count % bodies.length] as string
  const post = encodeRequest({ method: 'POST', path: `/api/v1/events/${id}`, body }, headers)
  const get = encodeRequest({ method: 'GET', path: `/api/v1/events/${argument.jobId}/${id}`, body: '' }, headers)
  const startedAt = performance.now()
  const posted = await client.send(post)
  if (posted.status !== 201) throw new Error(`POST answered ${posted.status}: ${posted.body}`)
  for (;;) {
    const answer = await client.send(get)
    const event = answer.status === 200 ? (JSON.parse(answer.body) as { status: string; result: string }) : null
    if (event !== null && event.status === 'OK') {
      if (event.result === '') undecided++
      break
    }
    if (performance.now() - startedAt > 10_000) {
      throw new Error(`no decision after 10 s: ${answer.status} ${answer.body}`)
    }
    await sleep(1)
  }
  histogram.record((performance.now() - startedAt) * 1000)
}

async function lane(): Promise<void> {
  const client = new RawClient(argument.port)
  while (performance.now() < endsAt) {
    await probe(client)
    await sleep(argument.pauseMs)
  }
  client.close()
}

await Promise.all(Array.from({ length: argument.connections }, lane))
console.log(
  JSON.stringify({
    probes: histogram.count,
    undecided,
    p50Micros: histogram.percentile(50),
    p99Micros: histogram.percentile(99),
    maxMicros: histogram.max,
  }),
)

/**
 * The service beside what people would build in Python: FastAPI on uvicorn, scikit-learn's random forest, SQLite. Both
 * decide each event and have it on disk before they answer. Both learn from the same labelled events.
 *
 * One event a request, then batches of 256, then how many decisions about later events of the same stream are right.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { runNode, run as runProgram } from '../harness/child.js'
import { built, source } from '../harness/paths.js'
import { startFastApi, type Listening } from '../harness/peers.js'
import { pythonEnvironment } from '../harness/python.js'
import { alternate, rated, type Rated, type Row, type RunSize, type Step } from '../harness/result.js'
import { removeDirectory, temporaryDirectory } from '../harness/service.js'
import { alerts, learned, linesFile, postsFile, storedEvents, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'
import type { LoadResult } from '../load/raw-load.js'
import { writeFlushed, writeRequests } from '../load/requests.js'
import { alertLabels, alertPoints, type Alert } from '../streams/alerts.js'

const connections = 32
const batchEvents = 256
const batches = 40
const pool = batchEvents * batches
const batchConnections = 4
/** Events behind the labelled ones whose decisions are checked. */
const examEvents = 5_000

interface Quality {
  readonly accuracy: number
  readonly macroF1: number
}

/** How right decisions are. An event without a decision is not right. */
export function qualityOf(said: readonly string[], truth: readonly string[], labels: readonly string[]): Quality {
  const right = said.filter((label, at) => label === truth[at]).length
  const f1 = labels.map((label) => {
    const hits = said.filter((one, at) => one === label && truth[at] === label).length
    const both = said.filter((one) => one === label).length + truth.filter((one) => one === label).length
    return both === 0 ? 1 : (2 * hits) / both
  })
  return { accuracy: right / said.length, macroF1: f1.reduce((sum, one) => sum + one, 0) / labels.length }
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], body)
}

function pointsOf({ body }: Alert): Record<string, unknown> {
  return Object.fromEntries(alertPoints.map((point) => [point, valueAt(body, point.split('.'))]))
}

/** Trains the peer's forest and starts it. */
async function startPeer(directory: string): Promise<Listening> {
  const home = source('.build/peers/fastapi')
  const python = join(pythonEnvironment(home, source('bench/peers/fastapi/requirements.txt')), 'python')
  const samples = join(directory, 'samples.ndjson')
  const lines = learned().map((alert) => `${JSON.stringify({ points: pointsOf(alert), label: alert.label })}\n`)
  writeFlushed(samples, lines.join(''))
  const { code, err } = await runProgram(python, ['-B', source('bench/peers/fastapi/server.py'), samples, directory])
  if (code !== 0) throw new Error(`the peer could not be trained: ${err.slice(-500)}`)
  return startFastApi(python, { directory, points: alertPoints, workers: availableParallelism() })
}

function batchesFile(subject: Subject): string {
  const file = join(subject.scratch, 'batches.txt')
  const events = alerts(12, pool).map(({ body }) => ({ job_id: subject.jobId, raw_body: body }))
  const plans = Array.from({ length: batches }, (_, at) => {
    const body = JSON.stringify(events.slice(at * batchEvents, (at + 1) * batchEvents))
    return { method: 'POST', path: '/api/v1/events/batch', body }
  })
  writeRequests(file, plans)
  return file
}

/** Our own generator for both: wrk's cannot be paced by so few answers. */
async function drive(port: number, file: string, how: { connections: number; seconds: number; headers?: object }) {
  const argument = JSON.stringify({ port, file, rate: 0, headers: {}, ...how })
  const result = (await runNode(built('bench/load/raw-main.js'), [argument])) as LoadResult
  if (result.badStatus > 0 || result.failed > 0)
    throw new Error(`${result.badStatus} answers were refusals, ${result.failed} connections failed`)
  return result
}

interface Measured {
  readonly single: readonly [Rated, Rated]
  readonly batch: readonly [Rated, Rated]
  readonly quality: readonly [Quality, Quality]
}

async function theirAnswers(port: number, events: readonly Alert[]): Promise<string[]> {
  const said: string[] = []
  for (let at = 0; at < events.length; at += batchEvents) {
    const part = events.slice(at, at + batchEvents).map(({ body }) => ({ job_id: 1, raw_body: body }))
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/events/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(part),
    })
    if (answer.status !== 201) throw new Error(`the peer answered ${answer.status}`)
    said.push(...((await answer.json()) as { result_label: string }[]).map((one) => one.result_label))
  }
  return said
}

async function ourAnswers(subject: Subject, events: readonly Alert[]): Promise<string[]> {
  const said: string[] = []
  const lines = events.map(({ body }) => `${JSON.stringify({ job_id: subject.jobId, raw_body: body })}\n`)
  await subject.input.bulk(lines, (answer, at) => void (said[at] = answer.result_label))
  return said
}

async function storedBy({ port }: Listening): Promise<number> {
  const answer = (await (await fetch(`http://127.0.0.1:${port}/count`)).json()) as { stored: number }
  return answer.stored
}

async function measure(subject: Subject, size: RunSize, peer: Listening): Promise<Measured> {
  const exam = learned(examEvents).slice(-examEvents)
  const truth = exam.map(({ label }) => label)
  const ours = await ourAnswers(subject, exam)
  const theirs = await theirAnswers(peer.port, exam)
  const [posts, groups, lines] = [postsFile(subject, pool), batchesFile(subject), linesFile(subject, pool).file]
  const { headers, service } = subject
  const { seconds, rounds } = size
  const bulk = { port: service.port, file: lines, headers, connections: batchConnections, rate: 0, events: 0, seconds }
  const blocks = { ...bulk, blockLines: batchEvents, windowLines: batchEvents }
  const post = (port: number, file: string, many: number, length = seconds) =>
    drive(port, file, { connections: many, seconds: length, headers })
  for (const port of [service.port, peer.port]) await post(port, posts, connections, 1)
  const before = [await storedEvents(subject), await storedBy(peer)] as const
  const [ourPosts, theirPosts, ourBatches, theirBatches] = await alternate(rounds, [
    () => post(service.port, posts, connections),
    () => post(peer.port, posts, connections),
    () => driveBulk(blocks),
    () => post(peer.port, groups, batchConnections),
  ])
  const sent = [
    sum(ourPosts.map(({ requests }) => requests)) + sum(ourBatches.map(({ events }) => events)),
    sum(theirPosts.map(({ requests }) => requests)) + batchEvents * sum(theirBatches.map(({ requests }) => requests)),
  ] as const
  const stored = [(await storedEvents(subject)) - before[0], (await storedBy(peer)) - before[1]] as const
  // Requests that were under way at the end of a round are stored, too.
  if (stored[0] < sent[0] || stored[1] < sent[1]) throw new Error(`acknowledged ${sent}, stored ${stored}`)
  return {
    single: [rated(ourPosts, (i) => ourPosts[i]!.requests), rated(theirPosts, (i) => theirPosts[i]!.requests)],
    batch: [
      rated(ourBatches, (i) => ourBatches[i]!.events),
      rated(theirBatches, (i) => theirBatches[i]!.requests * batchEvents),
    ],
    quality: [qualityOf(ours, truth, alertLabels), qualityOf(theirs, truth, alertLabels)],
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

const name = 'FastAPI + scikit-learn + SQLite'

function rateRow(what: string, unit: string, [ours, theirs]: readonly [Rated, Rated]): Row {
  return {
    what,
    ours: ours.perSecond,
    unit,
    against: { name, value: theirs.perSecond },
    ratio: ours.perSecond / theirs.perSecond,
    p50Ms: ours.p50Ms,
    p99Ms: ours.p99Ms,
    bar: '',
    met: null,
    note: `the peer: p50 ${theirs.p50Ms.toFixed(1)} ms, p99 ${theirs.p99Ms.toFixed(1)} ms`,
  }
}

function rowsOf({ single, batch, quality: [ours, theirs] }: Measured): Row[] {
  const share = (what: string, own: number, other: number): Row => ({
    what: `${what} on ${examEvents} later events, same labels`,
    ours: 100 * own,
    unit: '%',
    against: { name, value: 100 * other },
    ratio: own / other,
    bar: '',
    met: null,
  })
  return [
    rateRow(`single POST, decided and flushed, ${connections} connections`, '/s', single),
    rateRow(`batches of ${batchEvents}, decided and flushed, ${batchConnections} connections`, 'events/s', batch),
    share('accuracy', ours.accuracy, theirs.accuracy),
    share('macro F1', ours.macroF1, theirs.macroF1),
  ]
}

async function run(size: RunSize): Promise<Row[]> {
  const directory = temporaryDirectory()
  try {
    const peer = await startPeer(directory)
    try {
      return rowsOf(await withSubject((subject) => measure(subject, size, peer)))
    } finally {
      await peer.child.stop()
    }
  } finally {
    removeDirectory(directory)
  }
}

export const peer: Step = { name: 'peer', run }

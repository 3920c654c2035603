/**
 * Many jobs with a model each, all of them with a few events a second: whether each event is decided, how long that
 * takes, how much memory a job takes that is idle, and how long an event waits whose model has to come back.
 *
 * Each job has its labelled history. A training for each would take ten minutes, so the first `trainings` jobs are
 * trained. The others have their streams in turn, and copies of their models (harness/models.ts). BENCH_TRAININGS=1000
 * trains all, each on a stream of its own.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { Client } from '../harness/client.js'
import { makeJob, makeSiblings, train } from '../harness/job.js'
import { memoryOf } from '../harness/machine.js'
import { copyModels } from '../harness/models.js'
import { median, type Row, type RunSize, type Step } from '../harness/result.js'
import { newKey, removeDirectory, startService, temporaryDirectory, type Service } from '../harness/service.js'
import { driveBulk } from '../load/drive.js'
import { writeFlushed } from '../load/requests.js'
import { AlertStream, alertLabels, alertPoints, type Alert } from '../streams/alerts.js'
import { benchJob } from '../walk/turn.js'
import { bulkConnections } from './bulk.js'

const jobsMost = 1_000
/** Trainings of the jobs' models. */
const trainings = Number(process.env.BENCH_TRAININGS ?? 20)
const labelledEvents = 150
const eventsPerJob = 20
const restSeconds = 6
/** Jobs that are asked again after their models have gone. */
const returning = 60
const bars = { p99Ms: 50, idleKb: 50, returnMs: 20 }

interface Jobs {
  readonly service: Service
  readonly key: string
  readonly ids: readonly number[]
}

/** The stream of job number `at`. */
function streamOf(at: number, events: number): AlertStream {
  return new AlertStream(100 + (at % trainings), events)
}

/** Makes jobs with their labelled history, and trains the first of them. The service must be started again. */
async function makeTaught(
  service: Service,
  count: number,
  log: (what: string) => void,
): Promise<Omit<Jobs, 'service'>> {
  const plan = { points: alertPoints, labels: alertLabels }
  const made = await makeJob(service.client, { ...plan, title: 'Bench' })
  const plans = Array.from({ length: count - 1 }, (_, at) => ({ ...plan, title: `Bench ${at + 2}` }))
  const ids = [made.jobId, ...(await makeSiblings(service.client, 'Bench', plans))]
  const input = new Client(service.port, made.key)
  for (const [at, id] of ids.entries()) {
    const stream = streamOf(at, labelledEvents)
    const events = Array.from({ length: labelledEvents }, () => stream.next()).map(({ body, label }) => {
      return { job_id: id, raw_body: body, label: { cortex_user: 'history', feedback: label } }
    })
    await input.ask('POST', `/api/v1/bulk/${id}`, { count: events.length, events })
    if (at < trainings) await train(service.client, id)
    if (at % 100 === 99) log(`${at + 1} jobs have their history`)
  }
  input.close()
  return { key: made.key, ids }
}

/** Starts the service with so many jobs, each with a model; returns them. */
async function prepare(directory: string, managementKey: string, count: number, log: (what: string) => void) {
  const service = await startService(directory, managementKey)
  let made: Omit<Jobs, 'service'>
  try {
    made = await makeTaught(service, count, log)
  } finally {
    await service.stop()
  }
  const copies = made.ids.slice(trainings).map((id, at) => [id, made.ids[at % trainings] as number] as const)
  await copyModels(directory, benchJob, new Map(copies))
  log(`${copies.length} models are copies`)
  return made
}

/** A figure of the service by its name, as it is scraped. */
async function figure({ service, key }: Jobs, name: string): Promise<number> {
  const headers = { 'x-service-api-key': service.client.key }
  const text = await (await fetch(`http://127.0.0.1:${service.port}/metrics`, { headers })).text()
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)
  if (found === null) throw new Error(`/metrics has no ${name} (${key.length})`)
  return Number(found[1])
}

/** The jobs' events at their pace. `what`: how much the service knows of them. */
async function paced(jobs: Jobs, scratch: string, seconds: number, what = 'right after a start'): Promise<Row> {
  const { service, ids, key } = jobs
  const rate = ids.length * eventsPerJob
  const streams = ids.map((_, at) => streamOf(at, 10 * labelledEvents))
  const lines = Array.from({ length: Math.max(2, seconds) * rate }, (_, at) => {
    const { body }: Alert = streams[at % ids.length]!.next()
    return `{"job_id":${ids[at % ids.length]},"raw_body":${JSON.stringify(body)}}\n`
  })
  const file = join(scratch, 'lines.ndjson')
  writeFlushed(file, lines.join(''))
  const load = { port: service.port, file, headers: { 'X-Service-Api-Key': key }, connections: bulkConnections, rate }
  await driveBulk({ ...load, seconds: 2, events: 0 })
  const before = await figure(jobs, 'decision_models_opened_total')
  const result = await driveBulk({ ...load, seconds, events: 0 })
  const opened = (await figure(jobs, 'decision_models_opened_total')) - before
  if (result.undecided > 0) throw new Error(`${result.undecided} of ${result.events} events have no decision`)
  const megabytes = (await figure(jobs, 'decision_models_bytes')) / 1e6
  return {
    what: `${ids.length} jobs with ${eventsPerJob} events/s each, ${what}: decided and flushed`,
    ours: result.events / result.seconds,
    unit: 'events/s',
    p50Ms: result.p50Micros / 1000,
    p99Ms: result.p99Micros / 1000,
    bar: `${rate} events/s, p99 ${bars.p99Ms} ms`,
    met: result.events / result.seconds > 0.97 * rate && result.p99Micros / 1000 <= bars.p99Ms,
    note: `${opened} models came back meanwhile; ${megabytes.toFixed(0)} MB of models are open`,
  }
}

/** Each of the events of the pace, as fast as they are taken. */
async function everyEventOnce({ service, key }: Jobs, scratch: string): Promise<void> {
  const file = join(scratch, 'lines.ndjson')
  const events = readFileSync(file, 'latin1').split('\n').length - 1
  const load = {
    port: service.port,
    file,
    headers: { 'X-Service-Api-Key': key },
    connections: bulkConnections,
    rate: 0,
  }
  await driveBulk({ ...load, seconds: 0, events })
}

/** What each job has added that was used and rests, from a tenth of the jobs on: that is past the base cost. */
function idleRow(jobs: number, before: number, after: number): Row {
  const kilobytes = ((after - before) * 1048.576) / (0.9 * jobs)
  return {
    what: `memory of a job that was used and rests, its model gone, ${jobs} jobs`,
    ours: kilobytes,
    unit: 'kB',
    bar: `under ${bars.idleKb} kB`,
    met: kilobytes < bars.idleKb,
    note: `${before.toFixed(0)} MiB after a tenth of the jobs, ${after.toFixed(0)} MiB after all; no mapped files`,
  }
}

/** Single events to jobs one after the other, more than have a model in memory: each model comes back. */
async function comeBack(jobs: Jobs): Promise<Row> {
  const { service, key, ids } = jobs
  const input = new Client(service.port, key)
  const waits: number[] = []
  const openedBefore = await figure(jobs, 'decision_models_opened_total')
  const asked = ids.slice(0, returning)
  for (const [at, id] of asked.entries()) {
    const body = { ...new AlertStream(9_000 + at, 10).next().body, rule: { id: `new-${at}`, name: 'a new rule' } }
    const began = performance.now()
    await input.ask('POST', '/api/v1/events/', { job_id: id, raw_body: body })
    waits.push(performance.now() - began)
  }
  input.close()
  const opened = (await figure(jobs, 'decision_models_opened_total')) - openedBefore
  const sorted = [...waits].sort((a, b) => a - b)
  const p99 = sorted[Math.floor(0.99 * (sorted.length - 1))] as number
  return {
    what: 'an event whose model has to come back: POST, decided and flushed',
    ours: median(waits),
    unit: 'ms',
    p50Ms: median(waits),
    p99Ms: p99,
    bar: `p99 ${bars.returnMs} ms`,
    met: p99 <= bars.returnMs,
    note: `${opened} of ${asked.length} models came back`,
  }
}

async function run(size: RunSize): Promise<Row[]> {
  const count = size.rounds === 1 ? jobsMost / 10 : jobsMost
  const directory = temporaryDirectory()
  const scratch = temporaryDirectory()
  const managementKey = newKey()
  try {
    const rows: Row[] = []
    const made = await prepare(directory, managementKey, count, size.log)
    const service = await startService(directory, managementKey)
    try {
      rows.push(await paced({ service, ...made }, scratch, size.seconds))
      // Until then it may not have had all of the events.
      await everyEventOnce({ service, ...made }, scratch)
      rows.push(await paced({ service, ...made }, scratch, size.seconds, 'each in a bucket that is known'))
    } finally {
      await service.stop()
    }
    // The same jobs with room for few models: what an idle job takes, and how a model comes back.
    const small = await startService(directory, managementKey, { SERVICE_MODEL_MEMORY_MB: '4' })
    try {
      const jobs = { ...made, service: small }
      const restedAfter = async (ids: readonly number[]): Promise<number> => {
        await paced({ ...jobs, ids }, scratch, 2)
        await sleep(restSeconds * 1000)
        return memoryOf(small.pid).anonymousMib
      }
      const before = await restedAfter(made.ids.slice(0, count / 10))
      rows.push(idleRow(count, before, await restedAfter(made.ids)))
      rows.push(await comeBack(jobs))
    } finally {
      await small.stop()
    }
    return rows
  } finally {
    removeDirectory(directory)
    removeDirectory(scratch)
  }
}

export const manyJobs: Step = { name: 'many-jobs', run }

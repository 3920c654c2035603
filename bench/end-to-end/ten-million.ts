/**
 * Ten million events in a hundred jobs with a million buckets: ingest, memory, the next start, reads and lists.
 *
 * Events are made while they are sent. A tenth of the lines of each part are the first of their bucket. The others are
 * in buckets before, half of them in a sixteenth of these: a stream has a heavy tail. A ticket, which is a decision
 * point, makes a bucket's number part of its values.
 *
 * The empty store is a copy of the directory, made when the jobs had their models and no other events. Parts of the
 * same kind go into the full store and into the copy in turn.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../harness/client.js'
import { makeJob, makeSibling, train } from '../harness/job.js'
import { diskBytes, memoryOf } from '../harness/machine.js'
import { median, type Row, type RunSize, type Step } from '../harness/result.js'
import { newKey, removeDirectory, startService, temporaryDirectory, type Service } from '../harness/service.js'
import { alerts } from '../harness/trained.js'
import type { BulkResult } from '../load/bulk-load.js'
import { driveBulk } from '../load/drive.js'
import { writeFlushed } from '../load/requests.js'
import { alertLabels, alertPoints } from '../streams/alerts.js'
import { Random } from '../streams/random.js'
import { bulkConnections } from './bulk.js'
import { askedEvents, listRows, type Store } from './ten-million-reads.js'

const jobCount = 100
const labelledEvents = 150
const partEvents = 102_400
const newOfPart = partEvents / 10
const restSeconds = 6
const bars = { ingest: 0.9, memoryMb: 450, readySeconds: 2, get: 0.8 }

/** Lines of events, part after part. */
class Lines {
  readonly #ids: readonly number[]
  /** Bodies without their closing brace. */
  readonly #heads = alerts(12, 5_000).map(({ body }) => JSON.stringify(body).slice(0, -1))
  readonly #random = new Random(7)
  /** Buckets so far. The first event of bucket b has the id `first-b`, and its job is number b % jobs. */
  buckets = 0

  readonly file: string

  constructor(ids: readonly number[], file: string) {
    this.#ids = ids
    this.file = file
  }

  /** Writes the next part over the one before; returns where it is. */
  nextPart(): string {
    const lines = Array.from({ length: partEvents }, (_, at) => {
      const isNew = at % (partEvents / newOfPart) === 0
      const bucket = isNew ? this.buckets++ : Math.floor(this.buckets * this.#random.unit() ** 4)
      const id = isNew ? `"event_id":"first-${bucket}",` : ''
      const head = this.#heads[bucket % this.#heads.length] as string
      return `{"job_id":${this.#ids[bucket % this.#ids.length]},${id}"raw_body":${head},"ticket":"t${bucket}"}}\n`
    })
    writeFlushed(this.file, lines.join(''))
    return this.file
  }
}

async function makeJobs(service: Service, log: RunSize['log']): Promise<{ key: string; ids: number[] }> {
  const plan = { points: [...alertPoints, 'ticket'], labels: alertLabels }
  const made = await makeJob(service.client, { ...plan, title: 'Bench' })
  const ids = [made.jobId]
  while (ids.length < jobCount)
    ids.push(await makeSibling(service.client, 'Bench', { ...plan, title: `Bench ${ids.length + 1}` }))
  const input = new Client(service.port, made.key)
  for (const [at, id] of ids.entries()) {
    const events = alerts(100 + at, labelledEvents).map(({ body, label }) => {
      return { job_id: id, raw_body: body, label: { cortex_user: 'history', feedback: label } }
    })
    await input.ask('POST', `/api/v1/bulk/${id}`, { count: events.length, events })
    await train(service.client, id)
  }
  input.close()
  log(`${ids.length} jobs have a model`)
  return { key: made.key, ids }
}

function send({ service, key }: Store, file: string): Promise<BulkResult> {
  const headers = { 'X-Service-Api-Key': key }
  return driveBulk({
    port: service.port,
    file,
    headers,
    connections: bulkConnections,
    seconds: 0,
    events: partEvents,
    rate: 0,
  })
}

const rateOf = (parts: readonly BulkResult[]): number => median(parts.map(({ events, seconds }) => events / seconds))

/** Sends parts until so many events are stored; returns the most memory that was seen, MiB. */
async function fill(store: Store, lines: Lines, upTo: number, log: RunSize['log']): Promise<number> {
  let most = 0
  for (let rates: BulkResult[] = []; lines.buckets * (partEvents / newOfPart) < upTo; ) {
    rates.push(await send(store, lines.nextPart()))
    most = Math.max(most, memoryOf(store.service.pid).rssMib)
    if (rates.length < 10) continue
    log(`${lines.buckets} buckets, ${Math.round(rateOf(rates))} events/s, ${Math.round(most)} MiB at most`)
    rates = []
  }
  return most
}

async function starts(directory: string, key: string, millions: string): Promise<{ rows: Row[]; service: Service }> {
  const after = async (signal: NodeJS.Signals): Promise<number> => {
    const one = await startService(directory, key)
    await one.stop(signal)
    return one.readyMs / 1000
  }
  const times: number[] = []
  for (let i = 0; i < 3; i++) times.push(await after('SIGTERM'))
  await after('SIGKILL')
  const service = await startService(directory, key)
  const killed = service.readyMs / 1000
  const row = (what: string, ours: number): Row => {
    return { what, ours, unit: 's', bar: `within ${bars.readySeconds} s of a start`, met: ours < bars.readySeconds }
  }
  return {
    rows: [
      row(`ready again with ${millions} events`, median(times)),
      row(`ready again with ${millions} events, after SIGKILL`, killed),
    ],
    service,
  }
}

/** The same parts into the full store and into an empty one, in turn. */
async function compared(full: Store, empty: Store, lines: Lines, size: RunSize): Promise<Row> {
  const ours: BulkResult[] = []
  const theirs: BulkResult[] = []
  for (let round = -1; round < size.rounds; round++) {
    const file = lines.nextPart()
    const pair = [await send(full, file), await send(empty, file)] as const
    if (round < 0) continue
    ours.push(pair[0])
    theirs.push(pair[1])
  }
  const ratio = rateOf(ours) / rateOf(theirs)
  return {
    what: `ingest with ${size.million / 1e5} M events stored, ${jobCount} jobs`,
    ours: rateOf(ours),
    unit: 'events/s',
    against: { name: 'the same jobs, no events', value: rateOf(theirs) },
    ratio,
    p50Ms: median(ours.map(({ p50Micros }) => p50Micros)) / 1000,
    p99Ms: median(ours.map(({ p99Micros }) => p99Micros)) / 1000,
    bar: `at least ${bars.ingest} of it`,
    met: ratio >= bars.ingest,
  }
}

function getRow(few: number, many: number, millions: string): Row {
  return {
    what: `GET of one of ${millions} events, as a share of the bare handler`,
    ours: many,
    unit: '',
    against: { name: 'the same at a tenth of them', value: few },
    ratio: many / few,
    bar: `at least ${bars.get} of it`,
    met: many / few >= bars.get,
  }
}

async function memoryRow(pid: number, most: number, disk: number, millions: string): Promise<Row> {
  const now = memoryOf(pid)
  await sleep(restSeconds * 1000)
  const rested = memoryOf(pid)
  return {
    what: `resident memory with ${millions} events, ${jobCount} jobs`,
    ours: now.rssMib,
    unit: 'MiB',
    bar: `under ${bars.memoryMb} MB`,
    met: now.rssMib * 1.048576 < bars.memoryMb,
    note:
      `right after the load, ${now.anonymousMib.toFixed(0)} MiB of it not mapped files; ` +
      `at most ${most.toFixed(0)} MiB; ` +
      `${restSeconds} s later ${rested.rssMib.toFixed(0)} MiB; ${(disk / 2 ** 30).toFixed(2)} GiB on disk`,
  }
}

async function run(size: RunSize): Promise<Row[]> {
  const upTo = size.million * 10
  const millions = `${(upTo / 1e6).toFixed(1)} M`
  const directory = temporaryDirectory()
  const copy = temporaryDirectory()
  const scratch = temporaryDirectory()
  const managementKey = newKey()
  const services: Service[] = []
  const start = async (where: string): Promise<Service> => {
    const service = await startService(where, managementKey)
    services.push(service)
    return service
  }
  try {
    const first = await start(directory)
    const { key, ids } = await makeJobs(first, size.log)
    await first.stop()
    cpSync(directory, copy, { recursive: true })
    const full: Store = { service: await start(directory), key, ids }
    const lines = new Lines(ids, join(scratch, 'lines.ndjson'))
    const mostOfFew = await fill(full, lines, size.million, size.log)
    const few = await askedEvents(full, scratch, lines.buckets, size)
    const most = Math.max(mostOfFew, await fill(full, lines, upTo, size.log))
    const rows = [await memoryRow(full.service.pid, most, diskBytes(directory), millions)]
    rows.push(getRow(few, await askedEvents(full, scratch, lines.buckets, size), millions))
    rows.push(...(await listRows(full, size)))
    const empty: Store = { service: await start(copy), key, ids }
    rows.push(await compared(full, empty, lines, size))
    await Promise.all([empty.service.stop(), full.service.stop()])
    const again = await starts(directory, managementKey, millions)
    services.push(again.service)
    return [...rows, ...again.rows]
  } finally {
    await Promise.all(services.map((service) => service.stop().catch(() => {})))
    for (const one of [directory, copy, scratch]) removeDirectory(one)
  }
}

export const tenMillion: Step = { name: 'ten-million', run }

/**
 * Training on many labelled events, and ingest meanwhile. The step `million-labels` has a million, event centric, and
 * what the service's memory grows by while it trains.
 *
 * In a job with buckets, labelled events that share their decision points are one example. In an event-centric job each
 * is its own. Both are timed.
 *
 * The bar for ingest is about a machine with a free core for the training. So the load is paced: it is lowered until at
 * least one core is idle without a training. Then the same load runs while the job trains. If other programs leave no
 * core idle, the bar is not judged. The note has, without a bar, what happens without a free core (load as fast as
 * answers arrive).
 */
import { cpus } from 'node:os'
import { train } from '../harness/job.js'
import { memoryOf, processorTicks } from '../harness/machine.js'
import { median, type RunSize, type Row, type Step } from '../harness/result.js'
import { jobOf, linesFile, teach, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk, type BulkDrive } from '../load/drive.js'
import { AlertStream } from '../streams/alerts.js'
import { bulkConnections } from './bulk.js'

const labelledSeed = 21
const idleTrainings = 3
/** Labelled events that are made at a time. */
const taughtAtOnce = 10_000
const memoryLookMs = 50
const eventCentric = { category: 'Event centric decision intelligence' }

/** How many labelled events, of which kind of job, and how many seconds a training may take. */
interface Labelled {
  readonly count: number
  readonly kind: string
  readonly barSeconds: number
}

/** Seconds from the start of a training to its end, as the service reports them. */
async function timedTraining(subject: Subject): Promise<number> {
  const job = await train(subject.service.client, subject.jobId)
  const at = (time: string | null): number => Date.parse(time ?? '')
  return (at(job.last_train_finished_timestamp) - at(job.last_train_start_timestamp)) / 1000
}

/** Runs a load, and measures how many cores are idle meanwhile. */
async function withIdleCores(load: BulkDrive): Promise<{ rate: number; p99Ms: number; idleCores: number }> {
  const before = processorTicks()
  const result = await driveBulk(load)
  const after = processorTicks()
  const idleShare = 1 - (after.busy - before.busy) / Math.max(1, after.total - before.total)
  return { rate: result.events / result.seconds, p99Ms: result.p99Micros / 1000, idleCores: idleShare * cpus().length }
}

interface Meanwhile {
  readonly rate: number
  readonly p99Ms: number
  /** Seconds of each training that ran beside the load. */
  readonly trainings: readonly number[]
}

/** Runs the load while the job trains, one training after the other until the load is over. */
async function whileTraining(subject: Subject, load: BulkDrive): Promise<Meanwhile> {
  let over = false
  const trainings: number[] = []
  const training = (async () => {
    while (!over) trainings.push(await timedTraining(subject))
  })()
  const result = await driveBulk(load).finally(() => (over = true))
  await training
  return { rate: result.events / result.seconds, p99Ms: result.p99Micros / 1000, trainings }
}

async function teachMany(subject: Subject, count: number): Promise<void> {
  const stream = new AlertStream(labelledSeed, count)
  for (let left = count; left > 0; left -= taughtAtOnce)
    await teach(
      subject,
      Array.from({ length: Math.min(left, taughtAtOnce) }, () => stream.next()),
    )
}

/** Labels events, then times trainings with nothing beside them, and tells what memory they take. */
async function idleTraining(subject: Subject, size: RunSize, { count, kind, barSeconds }: Labelled): Promise<Row[]> {
  size.log(`teaching ${count} labelled events, ${kind}`)
  await teachMany(subject, count)
  const { pid } = subject.service
  const before = memoryOf(pid).anonymousMib
  let most = 0
  const looks = setInterval(() => (most = Math.max(most, memoryOf(pid).anonymousMib)), memoryLookMs)
  const times: number[] = []
  for (let i = 0; i < idleTrainings; i++) times.push(await timedTraining(subject))
  clearInterval(looks)
  const seconds = median(times)
  const grown = most - before
  return [
    {
      what: `training on ${count / 1000} k labelled events, ${kind}`,
      ours: seconds,
      unit: 's',
      bar: `under ${barSeconds} s`,
      met: seconds < barSeconds,
      note: `${times.map((one) => one.toFixed(2)).join(', ')} s; ${(await jobOf(subject)).retrain_msg}`,
    },
    {
      what: `memory of a training on ${count / 1000} k labelled events, ${kind}`,
      ours: grown,
      unit: 'MiB',
      bar: 'under 400 MB',
      met: grown * 1.048576 < 400,
      note: `the most beyond the ${before.toFixed(0)} MiB before, without mapped files, in ${idleTrainings} trainings`,
    },
  ]
}

async function ingestMeanwhile(subject: Subject, size: RunSize, { count }: Labelled): Promise<Row> {
  const { file } = linesFile(subject, 20_000)
  const base = { port: subject.service.port, file, headers: subject.headers, connections: bulkConnections, events: 0 }
  const { seconds } = size
  const full = await driveBulk({ ...base, seconds, rate: 0 })
  const fullRate = full.events / full.seconds
  let rate = fullRate / 2
  let alone = await withIdleCores({ ...base, seconds, rate })
  while (alone.idleCores < 1 && rate > fullRate / 10) {
    rate *= 0.75
    alone = await withIdleCores({ ...base, seconds, rate })
  }
  const meanwhile = await whileTraining(subject, { ...base, seconds, rate })
  const fullMeanwhile = await whileTraining(subject, { ...base, seconds, rate: 0 })
  const ratio = meanwhile.rate / alone.rate
  const fullShare = fullMeanwhile.rate / fullRate
  return {
    what: `ingest while training on ${count / 1000} k, where a core is free`,
    ours: meanwhile.rate,
    unit: 'events/s',
    against: { name: 'the same load without training', value: alone.rate },
    ratio,
    p99Ms: meanwhile.p99Ms,
    bar: 'at least 0.9 of it',
    met: alone.idleCores < 0.9 ? null : ratio >= 0.9,
    note:
      `paced so that ${alone.idleCores.toFixed(2)} of ${cpus().length} cores were idle without training, ` +
      `p99 of a block then ${alone.p99Ms.toFixed(1)} ms; ` +
      `${meanwhile.trainings.length} trainings in a row, ${median(meanwhile.trainings).toFixed(2)} s each; ` +
      `as fast as answers come, with no core free, ${fullShare.toFixed(2)} of what it is without training`,
  }
}

/** All rows of these labelled events. */
async function measure(subject: Subject, size: RunSize, labelled: Labelled): Promise<Row[]> {
  return [...(await idleTraining(subject, size, labelled)), await ingestMeanwhile(subject, size, labelled)]
}

async function run(size: RunSize): Promise<Row[]> {
  const labelled = { count: size.labelled, kind: 'with buckets', barSeconds: 4 }
  const rows = await withSubject((subject) => measure(subject, size, labelled))
  const single = { ...labelled, kind: 'event centric' }
  return [...rows, ...(await withSubject((subject) => idleTraining(subject, size, single), eventCentric))]
}

async function runMillion(size: RunSize): Promise<Row[]> {
  const labelled = { count: size.million, kind: 'event centric', barSeconds: 45 }
  return await withSubject((subject) => measure(subject, size, labelled), eventCentric)
}

export const training: Step = { name: 'training', run }
export const millionLabels: Step = { name: 'million-labels', run: runMillion }

/**
 * Training on many labelled events, and ingest meanwhile.
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
import { processorTicks } from '../harness/machine.js'
import { median, type RunSize, type Row, type Step } from '../harness/result.js'
import { alerts, jobOf, linesFile, teach, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk, type BulkDrive } from '../load/drive.js'
import { bulkConnections } from './bulk.js'

const labelledSeed = 21
const idleTrainings = 3

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

/** Labels events, then times trainings with nothing beside them. */
async function idleTraining(subject: Subject, size: RunSize, kind: string): Promise<Row> {
  size.log(`teaching ${size.labelled} labelled events, ${kind}`)
  await teach(subject, alerts(labelledSeed, size.labelled))
  const times: number[] = []
  for (let i = 0; i < idleTrainings; i++) times.push(await timedTraining(subject))
  const seconds = median(times)
  return {
    what: `training on ${size.labelled / 1000} k labelled events, ${kind}`,
    ours: seconds,
    unit: 's',
    bar: 'under 10 s',
    met: seconds < 10,
    note: `${times.map((one) => one.toFixed(2)).join(', ')} s; ${(await jobOf(subject)).retrain_msg}`,
  }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const trainingRow = await idleTraining(subject, size, 'with buckets')
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
  return [
    trainingRow,
    {
      what: 'ingest while training, where a core is free',
      ours: meanwhile.rate,
      unit: 'events/s',
      against: { name: 'the same load without training', value: alone.rate },
      ratio,
      p99Ms: meanwhile.p99Ms,
      bar: 'at least 0.8 of it',
      met: alone.idleCores < 0.9 ? null : ratio >= 0.8,
      note:
        `paced so that ${alone.idleCores.toFixed(2)} of ${cpus().length} cores were idle without training, ` +
        `p99 of a block then ${alone.p99Ms.toFixed(1)} ms; ` +
        `${meanwhile.trainings.length} trainings in a row, ${median(meanwhile.trainings).toFixed(2)} s each; ` +
        `as fast as answers come, with no core free, ${fullShare.toFixed(2)} of what it is without training`,
    },
  ]
}

async function run(size: RunSize): Promise<Row[]> {
  const rows = await withSubject((subject) => measure(subject, size))
  const eventCentric = await withSubject((subject) => idleTraining(subject, size, 'event centric'), {
    category: 'Event centric decision intelligence',
  })
  return [...rows, eventCentric]
}

export const training: Step = { name: 'training', run }

/**
 * How long single decisions take, each timed on its own: in a new bucket, and in one that is already decided.
 *
 * It runs what decides in a job's thread: the buckets in memory over an empty store, the model, and the model watch.
 * The model is the full learner with 3,000 labels and a background of unlabelled events.
 */
import { rmSync } from 'node:fs'
import { LateRows } from '../../engine/actor/buckets/late-rows.js'
import { BucketMemory } from '../../engine/actor/buckets/bucket-memory.js'
import { BucketCache } from '../../engine/actor/buckets/bucket-cache.js'
import { JobModel } from '../../engine/actor/job-model.js'
import { JobStats } from '../../engine/actor/job-stats.js'
import { TurnStore } from '../../engine/actor/turn-store.js'
import { bucketText } from '../../engine/domain/event/bucket-key.js'
import { DecisionPoints } from '../../engine/domain/event/decision-points.js'
import type { PointValues } from '../../engine/domain/event/point-value.js'
import { defaultClassifier, loadModel } from '../../engine/domain/learn/registry.js'
import { openLmdb } from '../../engine/store/lmdb/lmdb.js'
import { hashBytes, viewOfBytes } from '../../engine/domain/event/byte-table.js'
import type { PointKey } from '../../engine/domain/event/point-tree.js'
import { emptyStats, type ModelRow } from '../../engine/store/rows.js'
import { shardTables } from '../../engine/store/tables.js'
import { median, type RunSize, type Row } from '../harness/result.js'
import { temporaryDirectory } from '../harness/service.js'
import { alerts } from '../harness/trained.js'
import { alertLabels, alertPoints } from '../streams/alerts.js'
import { benchJob } from './turn.js'

const learned = 3_000
const unlabelled = 2_000
const query = 6_000
/** Warm-up passes before anything counts. */
const warmUps = 2
const bars = { newP50: 80, newP99: 200, known: 5 }

interface Passes {
  /** Microseconds of each decision, ascending. */
  readonly fresh: Float64Array
  readonly known: Float64Array
}

interface Job {
  readonly points: DecisionPoints
  readonly row: ModelRow
  readonly model: Uint8Array
  /** One event of each bucket. */
  readonly events: readonly PointValues[]
}

function makeJob(): Job {
  const points = new DecisionPoints(alertPoints)
  const examples = alerts(11, learned).map(({ body, label }) => {
    return { values: points.valuesOf(body), label: alertLabels.indexOf(label), weight: 1 }
  })
  const background = alerts(13, unlabelled).map(({ body }) => points.valuesOf(body))
  const set = { points: alertPoints, labelCount: alertLabels.length, examples, background, seed: 1 }
  const model = defaultClassifier.train(set, () => true)
  const { summary } = loadModel(model)
  const buckets = new Map(
    alerts(12, query)
      .map(({ body }) => points.valuesOf(body))
      .map((values) => [bucketText(values), values]),
  )
  const row = { version: 1, throughSeq: 0, trainedMicros: 0, fingerprint: points.fingerprint, summary }
  return { points, row, model, events: [...buckets.values()] }
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}

/** As the scanner finds one (event/point-tree.ts). */
function keyOf(text: string): PointKey {
  const view = viewOfBytes(Buffer.from(text))
  return { view, length: view.byteLength, hash: hashBytes(view, 0, view.byteLength) }
}

/** Decides every event twice: first in a new bucket, then in the same one. */
function pass({ points, row, model, events }: Job, store: TurnStore): Passes {
  store.begin()
  const stats = new JobStats(benchJob.id, emptyStats(alertLabels.length))
  const decider = new JobModel(benchJob, points.fingerprint, store, stats)
  decider.use(row, model)
  const { fingerprint } = points
  const buckets = new BucketCache({
    settings: benchJob,
    fingerprint,
    stats,
    late: new LateRows({ uncountedEventsMax: 0 }),
    memory: new BucketMemory(),
  })
  const keys = events.map((_, i) => keyOf(String(i)))
  const fresh = new Float64Array(events.length)
  events.forEach((values, i) => {
    const startedAt = performance.now()
    const bucket = buckets.of(store, values)
    decider.decide(() => events[i] as PointValues, bucket)
    fresh[i] = (performance.now() - startedAt) * 1000
    buckets.remember(keys[i] as PointKey, bucket)
  })
  const known = Float64Array.from(keys, (key, i) => {
    const startedAt = performance.now()
    // As the actor does: a key whose slot in the table is crowded is not kept, so its bucket is found by its values.
    const bucket = buckets.byKey(key) ?? buckets.of(store, events[i] as PointValues)
    decider.decide(() => events[i] as PointValues, bucket)
    return (performance.now() - startedAt) * 1000
  })
  return { fresh: fresh.sort(), known: known.sort() }
}

/** Microseconds. */
interface Bar {
  readonly bar: string
  readonly p50Max: number
  readonly p99Max: number
}

function row(what: string, passes: readonly Float64Array[], { bar, p50Max, p99Max }: Bar, note: string): Row {
  const p50 = median(passes.map((times) => percentile(times, 0.5)))
  const p99 = median(passes.map((times) => percentile(times, 0.99)))
  return {
    what,
    ours: p50,
    unit: 'µs',
    p50Ms: p50 / 1000,
    p99Ms: p99 / 1000,
    bar,
    met: p50 < p50Max && p99 < p99Max,
    note,
  }
}

export async function latencyRows(size: RunSize): Promise<Row[]> {
  const job = makeJob()
  const directory = temporaryDirectory()
  const environment = openLmdb(directory, 'shard', shardTables)
  try {
    const store = new TurnStore(environment)
    for (let i = 0; i < warmUps; i++) pass(job, store)
    const passes = Array.from({ length: size.rounds * 3 }, () => pass(job, store))
    const note = `each of ${job.events.length} decisions timed on its own, model from ${learned} labels, ${job.model.length >> 10} KiB`
    const { newP50, newP99, known } = bars
    return [
      row(
        'one decision in a new bucket',
        passes.map(({ fresh }) => fresh),
        { bar: `p50 under ${newP50} µs, p99 under ${newP99} µs`, p50Max: newP50, p99Max: newP99 },
        note,
      ),
      row(
        'one decision in a known bucket',
        passes.map((times) => times.known),
        { bar: `p50 under ${known} µs`, p50Max: known, p99Max: Infinity },
        note,
      ),
    ]
  } finally {
    await environment.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

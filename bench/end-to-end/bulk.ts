/**
 * NDJSON bulk, every event decided and flushed before its answer. The floor is parse, pack and put with flush in one
 * thread.
 */
import { readFileSync } from 'node:fs'
import type { FloorResult } from '../floors/store.js'
import { runNode } from '../harness/child.js'
import { built } from '../harness/paths.js'
import { alternate, rated, type RunSize, type Row, type Step } from '../harness/result.js'
import { linesFile, storedEvents, withSubject, type Subject } from '../harness/trained.js'
import type { BulkResult } from '../load/bulk-load.js'
import { driveBulk, type BulkDrive } from '../load/drive.js'
import { eventsPerTurn } from '../walk/turn.js'

export const bulkConnections = 4
const pool = 40_000
/** One job runs on one thread; several jobs can keep more threads busy. */
const severalJobs = 4

type Floor = 'pack' | 'put' | 'bulk'

/** The floors write batches of the size that turns have under load. */
function floor(name: Floor, file: string, batchSize: number, seconds: number): () => Promise<FloorResult> {
  const argument = JSON.stringify({ floor: name, file, batchSize, seconds })
  return async () => (await runNode(built('bench/floors/main.js'), [argument])) as FloorResult
}

/** A third of the load that the subject's job takes now. */
export async function aThirdOfBulk(subject: Subject, size: RunSize): Promise<BulkDrive> {
  const { file } = linesFile(subject, 20_000)
  const load = {
    port: subject.service.port,
    file,
    headers: subject.headers,
    connections: bulkConnections,
    seconds: size.seconds,
    events: 0,
    rate: 0,
  }
  const { events, seconds } = await driveBulk(load)
  return { ...load, rate: events / seconds / 3 }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { file } = linesFile(subject, pool)
  const batchSize = eventsPerTurn(readFileSync(file, 'utf8').split('\n', 2_000))
  const { seconds, rounds } = size
  const { headers } = subject
  const load = { port: subject.service.port, file, headers, connections: bulkConnections, events: 0, rate: 0 }
  await driveBulk({ ...load, seconds: 2 })
  const before = await storedEvents(subject)
  const [floors, packs, puts, all] = await alternate(rounds, [
    floor('bulk', file, batchSize, seconds),
    floor('pack', file, batchSize, Math.min(seconds, 2)),
    floor('put', file, batchSize, Math.min(seconds, 2)),
    () => driveBulk({ ...load, seconds }),
  ])
  const stored = (await storedEvents(subject)) - before
  const answered = all.reduce((sum, round) => sum + round.events, 0)
  if (stored !== answered) throw new Error(`${answered} events were acknowledged, ${stored} are stored`)
  const undecided = all.reduce((sum, round) => sum + round.undecided, 0)
  if (undecided > 0) throw new Error(`${undecided} of ${answered} events were not decided`)
  const ours = rated(all, (i) => (all[i] as BulkResult).events)
  const theirs = rated(floors, (i) => (floors[i] as FloorResult).events)
  const pack = rated(packs, (i) => (packs[i] as FloorResult).events)
  const put = rated(puts, (i) => (puts[i] as FloorResult).events)
  const ratio = ours.perSecond / theirs.perSecond
  const jobs = subject.jobIds.length === 1 ? 'one job' : `${subject.jobIds.length} jobs`
  const against = { name: 'parse, pack, put with flush', value: theirs.perSecond }
  return [
    {
      what: `NDJSON bulk, decided and flushed, ${jobs}`,
      ours: ours.perSecond,
      unit: 'events/s',
      against,
      ratio,
      p50Ms: ours.p50Ms,
      p99Ms: ours.p99Ms,
      bar: 'at least 120 k events/s',
      met: ours.perSecond >= 120_000,
      note:
        `latency is that of a block of 256 events; floors in batches of ${batchSize}: ` +
        `raw msgpackr ${Math.round(pack.perSecond)}, raw LMDB put with flush ${Math.round(put.perSecond)} events/s`,
    },
    {
      what: `NDJSON bulk against the floor in one thread, ${jobs}`,
      ours: ours.perSecond,
      unit: 'events/s',
      against,
      ratio,
      bar: 'at least 0.6 of the floor',
      met: ratio >= 0.6,
    },
  ]
}

async function run(size: RunSize): Promise<Row[]> {
  const one = await withSubject((subject) => measure(subject, size))
  const several = await withSubject((subject) => measure(subject, size), { jobs: severalJobs })
  return [...one, ...several]
}

export const bulk: Step = { name: 'bulk', run }

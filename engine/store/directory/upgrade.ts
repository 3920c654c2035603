/**
 * Upgrades a data directory of an earlier format, at the start of a service. The caller holds the lock.
 *
 * 1. Rows of buckets lie under their ids in format 1, under their numbers from format 2 on (bucket-row.ts).
 * 2. Counters of jobs lack those of voted events by label, of events without a decision, and of what the model was made
 *    from, before format 3. They are counted from the rows.
 * 3. Rows are moved some at a time, each piece in one commit, and format.json is written last. So an upgrade that was
 *    cut off goes on at the next start.
 */
import type { Entry, Environment } from '../environment.js'
import { decodeBallot, labelledBy } from '../ballot-row.js'
import { decodeCount, decodeFirstBucket, encodeBucket } from '../bucket-row.js'
import { encodeBucketNumber } from '../bucket-table.js'
import { isPending, labelOf } from '../record-header.js'
import { decodeRegistry } from '../registry-row.js'
import { decodeStats, encodeStats, type StatsRow } from '../rows.js'
import { WriteBatch } from '../write-batch.js'
import { bucketKey, countKey, JOB_BYTES, jobKey, jobOfKey, jobRange, modelKey } from '../tables.js'
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import { votesBehind } from '../../domain/metrics/evidence.js'
import { DATA_FORMAT, openDataDir, writeFormat, type DataDir } from './data-dir.js'
import { openShard } from './environments.js'

/** Rows in one commit. */
const PIECE = 10_000

/** Opens a directory as openDataDir does, and upgrades it. */
export async function openUpgraded(path: string, shards: number): Promise<DataDir> {
  return await upgradeDataDir(openDataDir(path, shards))
}

/** Resolves with the directory as it is now. */
export async function upgradeDataDir(dir: DataDir): Promise<DataDir> {
  if (dir.format === DATA_FORMAT) return dir
  for (let shard = 0; shard < dir.shards; shard++) {
    const environment = openShard(dir.path, shard)
    try {
      if (dir.format < 2) moveBuckets(environment)
      countAgain(environment)
    } finally {
      await environment.close()
    }
  }
  const upgraded = { ...dir, format: DATA_FORMAT }
  writeFormat(upgraded)
  return upgraded
}

function moveBuckets(environment: Environment): void {
  let from: Uint8Array | undefined
  do {
    const batch = new WriteBatch()
    let rows = 0
    let last: Uint8Array | undefined
    for (const entry of environment.range('buckets', { ...(from === undefined ? {} : { from }), limit: PIECE })) {
      rows++
      last = entry.key
      // Those that were moved are shorter.
      if (entry.key.length === JOB_BYTES + BUCKET_ID_BYTES) moveBucket(environment, batch, entry)
    }
    if (batch.size > 0) environment.commit(batch)
    from = rows === PIECE ? last : undefined
  } while (from !== undefined)
}

function moveBucket(environment: Environment, batch: WriteBatch, { key, value }: Entry): void {
  const jobId = jobOfKey(key)
  const id = key.subarray(JOB_BYTES)
  const row = decodeFirstBucket(value, id)
  const counts = environment.get('counts', countKey(jobId, row.number))
  const none = { events: 0, lastMicros: 0, decided: [] }
  const own = counts === undefined ? none : decodeCount(counts)
  batch.put('buckets', countKey(jobId, row.number), encodeBucket({ ...row, ...own }, row.values))
  batch.put('bucket_ids', bucketKey(jobId, id), encodeBucketNumber(row.number))
  batch.delete('buckets', key)
}

function countAgain(environment: Environment): void {
  const batch = new WriteBatch()
  for (const { key, value } of environment.range('stats', {})) {
    const jobId = jobOfKey(key)
    batch.put(
      'stats',
      jobKey(jobId),
      encodeStats({ ...decodeStats(value), ...counted(environment, jobId, decodeStats(value)) }),
    )
  }
  if (batch.size > 0) environment.commit(batch)
}

function counted(
  environment: Environment,
  jobId: number,
  { consensusCounts, modelVersion }: StatsRow,
): Pick<StatsRow, 'undecided' | 'labelledEvents' | 'modelVotes'> {
  const labelledEvents = consensusCounts.map(() => 0)
  environment.scan('ballots', jobRange(jobId), (key, value) => {
    for (const [label, events] of labelledBy(key.subarray(JOB_BYTES), decodeBallot(value)).entries())
      labelledEvents[label] = (labelledEvents[label] ?? 0) + events
    return true
  })
  let undecided = 0
  environment.scan('events', jobRange(jobId), (_, record) => {
    if (labelOf(record) < 0 && !isPending(record)) undecided++
    return true
  })
  const model = environment.get('registry', modelKey(jobId, modelVersion))
  const modelVotes =
    model === undefined ? {} : { modelVotes: votesBehind(decodeRegistry(model), consensusCounts.length) }
  return { undecided, labelledEvents, ...modelVotes }
}

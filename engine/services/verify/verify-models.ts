/** The models of a job: the registry has every one, and the bytes of those that it says are kept. */
import { decodeRegistry, type RegistryRow } from '../../store/registry-row.js'
import { decodeModel, type StatsRow } from '../../store/rows.js'
import { decodeShadow, decodeTrial, noCounts, withOutcome, type TrialCounts } from '../../store/trial-row.js'
import { jobKey, modelKey, versionOfKey } from '../../store/tables.js'
import { openModel } from '../../actor/job-model.js'
import type { ShardCheck } from './verify-shard.js'

export function checkModels(shard: ShardCheck, jobId: number, stats: StatsRow): void {
  checkTrial(shard, jobId, stats)
  const rows = new Map<number, RegistryRow>()
  for (const entry of shard.entries('registry', jobId)) {
    const row = shard.read('registry', entry, decodeRegistry)
    if (row === null) continue
    if (row.version !== versionOfKey(entry.key)) shard.note('registry', entry.key, 'is the row of another version')
    rows.set(row.version, row)
    const isActive = row.spans.at(-1)?.toMicros === null
    if (isActive !== (row.version === stats.modelVersion))
      shard.note('registry', entry.key, isActive ? 'says that it is active' : 'does not say that it is active')
    if (row.isKept && shard.get('models', entry.key) === undefined)
      shard.note('models', modelKey(jobId, row.version), 'is missing')
  }
  for (const version of stats.modelVersions)
    if (!rows.has(version)) shard.note('registry', modelKey(jobId, version), 'is missing')
  for (const entry of shard.entries('models', jobId)) {
    shard.read('models', entry, (value) => {
      const { row, model } = decodeModel(value)
      if (row.version !== versionOfKey(entry.key)) throw new Error('it is the model of another version')
      if (rows.get(row.version)?.isKept !== true) throw new Error('the registry says that it is not kept')
      openModel(model)
    })
  }
}

/** The counts of a challenger add up those of its disagreements, and each of these is of an event. */
function checkTrial(shard: ShardCheck, jobId: number, stats: StatsRow): void {
  const key = jobKey(jobId)
  const value = shard.get('trials', key)
  const row = value === undefined ? null : shard.read('trials', { key, value }, decodeTrial)
  let [rows, counts] = [0, row?.gone ?? noCounts]
  for (const entry of shard.entries('shadows', jobId)) {
    const shadow = shard.read('shadows', entry, decodeShadow)
    if (shadow === null) continue
    rows++
    counts = withOutcome(counts, shadow.outcome, 1)
    if (shard.get('events', entry.key) === undefined) shard.note('shadows', entry.key, 'is of no event')
  }
  if (row === null) {
    if (rows > 0) shard.note('shadows', null, `job ${jobId}: ${rows} disagreements without a challenger`)
    return
  }
  const [says, is] = [[row.rows, ...countsOf(row.counts)].join(), [rows, ...countsOf(counts)].join()]
  if (says !== is) shard.note('trials', key, `says ${says} instead of ${is}`)
  if (row.champion !== stats.modelVersion) shard.note('trials', key, 'is a comparison with a model that is not active')
  if (shard.get('models', modelKey(jobId, row.version)) === undefined)
    shard.note('models', modelKey(jobId, row.version), 'is missing')
}

function countsOf({ wins, losses, neither }: TrialCounts): number[] {
  return [wins, losses, neither]
}

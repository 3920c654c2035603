/** The models of a job: the registry has every one, and the bytes of those that it says are kept. */
import { decodeRegistry, type RegistryRow } from '../../store/registry-row.js'
import { decodeModel, type StatsRow } from '../../store/rows.js'
import { modelKey, versionOfKey } from '../../store/tables.js'
import { openModel } from '../../actor/job-model.js'
import type { ShardCheck } from './verify-shard.js'

export function checkModels(shard: ShardCheck, jobId: number, stats: StatsRow): void {
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
      openModel(Uint8Array.from(model))
    })
  }
}

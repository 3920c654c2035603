/**
 * Models for many jobs without a training for each: copies of the models of jobs that were trained.
 *
 * The jobs have equal decision points and labels, so a model of one fits the others. Each copy is installed by the
 * engine's own message, as a training does, and is memory of its own to the service. The service must not run.
 */
import { readdirSync } from 'node:fs'
import { lastTime } from '../../engine/actor/event-table.js'
import { Shard } from '../../engine/actor/shard.js'
import type { JobSettings } from '../../engine/domain/job/job.js'
import { openShard } from '../../engine/store/directory/environments.js'
import type { LmdbEnvironment } from '../../engine/store/lmdb/lmdb.js'
import { jobKey, jobRange } from '../../engine/store/tables.js'
import { Turns } from '../walk/turn.js'

/** The settings of these jobs beside their id and their shard. */
export type CommonSettings = Omit<JobSettings, 'id' | 'shard'>

interface OpenShard {
  readonly number: number
  readonly environment: LmdbEnvironment
}

function openShards(dataDir: string): OpenShard[] {
  const files = readdirSync(dataDir).filter((file) => /^shard-\d+\.mdb$/.test(file))
  return files.map((file) => {
    const number = Number(file.slice('shard-'.length, -'.mdb'.length))
    return { number, environment: openShard(dataDir, number) }
  })
}

/** The latest model of the job, as it is stored. */
function modelOf(shards: readonly OpenShard[], jobId: number): Uint8Array {
  for (const { environment } of shards) {
    for (const { value } of environment.range('models', { ...jobRange(jobId), reverse: true, limit: 1 })) return value
  }
  throw new Error(`job ${jobId} has no model`)
}

/** Gives each of these jobs the model of one that was trained. */
export async function copyModels(
  dataDir: string,
  settings: CommonSettings,
  from: ReadonlyMap<number, number>,
): Promise<void> {
  const shards = openShards(dataDir)
  try {
    const models = new Map([...new Set(from.values())].map((trained) => [trained, modelOf(shards, trained)]))
    for (const { number, environment } of shards) {
      const shard = new Shard(environment, [])
      for (const [id, trained] of from) {
        if (environment.get('stats', jobKey(id)) === undefined) continue
        const turns = new Turns(shard, { ...settings, id, shard: number }, lastTime(environment) + 1)
        turns.install(models.get(trained) as Uint8Array)
      }
    }
  } finally {
    for (const { environment } of shards) await environment.close()
  }
}

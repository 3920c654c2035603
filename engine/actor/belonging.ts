/**
 * Whether the catalog and the shards of a data directory belong together, looked at before a start makes or deletes anything.
 *
 * A start makes the files that are missing, and deletes events of jobs that the catalog does not have (upkeep.ts). So where a file was
 * lost it would lose the rest, too. Leaves out: files that are cut off (store/whole-files.ts), all other damage (`npm run verify`).
 */
import { Refusal } from '../errors.js'
import type { Catalog } from '../resource/catalog.js'
import { openToLook } from '../store/environments.js'
import { isMade } from '../store/whole-files.js'

/** Costs a look at the size of each file where nothing is missing. @throws Refusal data_dir_invalid. */
export function mustBelongTogether(dataDir: string, shards: number, catalog: Pick<Catalog, 'jobs' | 'users'>): void {
  const used = new Set([...catalog.jobs()].map(({ shard }) => shard))
  // Shards are made before there can be a job in one.
  for (const shard of used) if (!isMade(dataDir, `shard-${shard}`)) throw lost(dataDir, `shard-${shard}`, 'jobs lie in it')
  // Nobody is in a catalog that was made just now, or is that of a first start that was cut off.
  if (catalog.users.list().length > 0) return
  for (let shard = 0; shard < shards; shard++) {
    if (isMade(dataDir, `shard-${shard}`) && hasJobs(dataDir, shard)) throw lost(dataDir, 'catalog', 'there are events of jobs')
  }
}

function hasJobs(dataDir: string, shard: number): boolean {
  const environment = openToLook(dataDir, `shard-${shard}`)
  const [first] = environment.range('stats', { limit: 1 })
  void environment.close()
  return first !== undefined
}

function lost(dataDir: string, name: string, why: string): Refusal {
  return new Refusal('data_dir_invalid', `${name}.mdb in the data directory ${dataDir} is missing or empty, and ${why}; restore a backup`)
}

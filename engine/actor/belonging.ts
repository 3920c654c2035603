/**
 * Whether the catalog and the shards of a data directory belong together, looked at before a start makes or deletes anything.
 *
 * A start makes the files that are missing, and deletes events of jobs that the catalog does not have (upkeep.ts). So where a file was
 * lost, or is an older one or that of another directory, it would lose the rest, too. Leaves out: files that are cut off
 * (store/whole-files.ts), all other damage (`npm run verify`).
 */
import { Refusal } from '../errors.js'
import type { AuditLog } from '../monitor/audit-log.js'
import { decodeHead } from '../monitor/audit-tables.js'
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

/** Where a file is there, and another one than it was: what is asked of a shard (job-reader.ts). */
interface StoredJobs {
  storedJobs(): Iterable<{ readonly jobId: number }>
  notedHead(): Uint8Array | undefined
}

/**
 * A job that is in a shard alone was deleted, and its rows are to follow it: if the catalog is the one that it was deleted from. That has
 * given the job's id, and its audit log has what the shard noted of it last. @throws Refusal data_dir_invalid.
 */
export function mustHaveDeleted(
  dataDir: string, shards: readonly StoredJobs[], catalog: Pick<Catalog, 'job' | 'hasGiven'>, log: Pick<AuditLog, 'has'>,
): void {
  for (const [shard, stored] of shards.entries()) {
    const orphans = [...stored.storedJobs()].map(({ jobId }) => jobId).filter((id) => catalog.job(id) === undefined)
    if (orphans.length === 0) continue
    const noted = stored.notedHead()
    if (orphans.every((id) => catalog.hasGiven(id)) && (noted === undefined || log.has(decodeHead(noted)))) continue
    const why = `shard-${shard}.mdb has events of the job ${orphans[0]}, which the catalog has never had`
    throw new Refusal('data_dir_invalid', `catalog.mdb in the data directory ${dataDir} is older than the rest, or of another directory: ${why}; restore a backup`)
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

/**
 * Whether the catalog and the shards of a data directory belong together, looked at before a start makes or deletes anything.
 *
 * A start makes the files that are missing, and deletes events of jobs that the catalog does not have (upkeep.ts). So where a file was
 * lost, or is an older one or that of another directory, it would lose the rest, too, or nobody would know of it. Leaves out: files
 * that are cut off (directory/whole-files.ts), all other damage (`npm run verify`).
 *
 * 1. What is missing beside a catalog that has all the rest may be accepted: the others are worth having without it. A catalog that is
 *    lost, older or another one may not: with it all the rest would go.
 */
import { isoMicros } from '../../clock.js'
import { Refusal } from '../../errors.js'
import type { AuditLog } from '../audit/audit-log.js'
import { decodeHead } from '../audit/audit-tables.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { Environment } from '../../store/environment.js'
import { openToLook } from '../../store/directory/environments.js'
import { isMade } from '../../store/directory/whole-files.js'
import { LEDGER, markOf } from './watermarks.js'
import type { Log } from '../../api/monitor-service.js'

/** Told of what is lost of a file and may be accepted: throws it where it is not. */
export type OnLoss = (file: string, loss: Refusal) => void

export function lossesAre(accepted: boolean, log: Pick<Log, 'warn'>): OnLoss {
  const told = new Set<string>()
  return (file, loss) => {
    if (!accepted) throw loss
    // A shard that is not there is made, and then older than what is known of it.
    if (told.has(file)) return
    told.add(file)
    log.warn('a loss was accepted', { what: loss.message })
  }
}

const OR_ACCEPT = 'restore a backup, or go on without what is lost (--accept-loss)'

/** Costs a look at the size of each file where nothing is missing. @throws Refusal data_dir_invalid. */
export function mustBeConsistent(
  dataDir: string,
  shards: number,
  resources: Pick<ResourceStore, 'jobs' | 'users'>,
  onLoss: OnLoss,
): void {
  // Shards are made before there can be a job in one.
  for (const shard of usedShards(resources)) {
    const file = `shard-${shard}`
    if (!isMade(dataDir, file)) onLoss(file, lost(dataDir, file, 'jobs lie in it', OR_ACCEPT))
  }
  // Nobody is in a catalog that was made just now, or is that of a first start that was cut off.
  if (resources.users.list().length > 0) return
  for (let shard = 0; shard < shards; shard++) {
    if (isMade(dataDir, `shard-${shard}`) && hasJobs(dataDir, shard))
      throw lost(dataDir, 'catalog', 'there are events of jobs')
  }
}

/** Shards that jobs lie in. */
function usedShards(resources: Pick<ResourceStore, 'jobs'>): Set<number> {
  return new Set([...resources.jobs()].map(({ shard }) => shard))
}

/** What of the shards is on disk, against what the catalog knows of them (watermarks.ts). @throws Refusal data_dir_invalid. */
export function mustBeCurrent(
  dataDir: string,
  shards: readonly { lastMicros(): number }[],
  resources: Pick<ResourceStore, 'jobs'>,
  marks: Environment,
  onLoss: OnLoss,
): void {
  for (const shard of usedShards(resources)) {
    const older = olderThanWatermark(marks, shard, shards[shard]?.lastMicros() ?? 0)
    if (older === null) continue
    onLoss(
      `shard-${shard}`,
      new Refusal('data_dir_invalid', `shard-${shard}.mdb in the data directory ${dataDir} ${older}; ${OR_ACCEPT}`),
    )
  }
}

/** How a shard's file is older than what the catalog knows of it, or null. */
export function olderThanWatermark(marks: Environment, shard: number, lastMicros: number): string | null {
  const known = markOf(marks, `shard-${shard}`) ?? 0
  if (lastMicros >= known) return null
  const last = lastMicros === 0 ? 'it has nothing' : `its last change is of ${isoMicros(lastMicros)}`
  return `is older than the rest: ${last}, and there was one at ${isoMicros(known)}`
}

/** True where the ledger was lost that steps go by. @throws Refusal data_dir_invalid. */
export function ledgerIsLost(
  dataDir: string,
  resources: Pick<ResourceStore, 'jobs'>,
  marks: Environment,
  onLoss: OnLoss,
): boolean {
  if (markOf(marks, LEDGER) === null || isMade(dataDir, LEDGER)) return false
  if (![...resources.jobs()].some(({ pipeline }) => pipeline.some(({ outsideSince }) => outsideSince !== undefined)))
    return false
  onLoss(LEDGER, lost(dataDir, LEDGER, 'it says how far integrations are', OR_ACCEPT))
  return true
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
  dataDir: string,
  shards: readonly StoredJobs[],
  resources: Pick<ResourceStore, 'job' | 'hasGiven'>,
  log: Pick<AuditLog, 'has'>,
): void {
  for (const [shard, stored] of shards.entries()) {
    const orphans = [...stored.storedJobs()].map(({ jobId }) => jobId).filter((id) => resources.job(id) === undefined)
    if (orphans.length === 0) continue
    const noted = stored.notedHead()
    if (orphans.every((id) => resources.hasGiven(id)) && (noted === undefined || log.has(decodeHead(noted)))) continue
    const why = `shard-${shard}.mdb has events of the job ${orphans[0]}, which the catalog has never had`
    throw new Refusal(
      'data_dir_invalid',
      `catalog.mdb in the data directory ${dataDir} is older than the rest, or of another directory: ${why}; restore a backup`,
    )
  }
}

function hasJobs(dataDir: string, shard: number): boolean {
  const environment = openToLook(dataDir, `shard-${shard}`)
  const [first] = environment.range('stats', { limit: 1 })
  void environment.close()
  return first !== undefined
}

function lost(dataDir: string, name: string, why: string, then = 'restore a backup'): Refusal {
  return new Refusal(
    'data_dir_invalid',
    `${name}.mdb in the data directory ${dataDir} is missing or empty, and ${why}; ${then}`,
  )
}

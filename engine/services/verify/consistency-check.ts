/**
 * The consistency check: whether the catalog and the shards of a data directory fit together, before a start creates or
 * deletes anything.
 *
 * A start creates missing files, and deletes events of jobs that the catalog does not have (upkeep.ts). Where a file is
 * lost, older than the rest or from another directory, a start would lose more, or nobody would know of the loss.
 *
 * Leaves out: truncated files (whole-files.ts), all other damage (verify.ts).
 *
 * 1. A loss beside an intact catalog may be accepted: the other files are worth having without it. A catalog that is
 *    lost, older or another one is never accepted: everything else would be lost with it.
 */
import { isoMicros } from '../../clock.js'
import { Refusal } from '../../errors.js'
import type { Log } from '../../api/monitor-service.js'
import type { Environment } from '../../store/environment.js'
import { openReadOnly } from '../../store/directory/environments.js'
import { isMade } from '../../store/directory/whole-files.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { AuditLog } from '../audit/audit-log.js'
import { decodeHead } from '../audit/audit-tables.js'
import { LEDGER, watermarkOf } from './watermarks.js'

const OR_ACCEPT = 'restore a backup, or go on without what is lost (--accept-loss)'

export interface ConsistencyDeps {
  readonly dataDir: string
  readonly resources: Pick<ResourceStore, 'job' | 'jobs' | 'users' | 'hasGiven'>
  /** The catalog's environment. */
  readonly catalog: Environment
  /** Losses that may be accepted are: each with a warning. */
  readonly acceptLoss: boolean
  readonly log: Pick<Log, 'warn'>
}

/** What is read of a shard (job-reader.ts). */
interface CheckedShard {
  /** The last time applied in it, microseconds. */
  lastMicros(): number
  storedJobs(): Iterable<{ readonly jobId: number }>
  notedHead(): Uint8Array | undefined
}

/** Each method throws Refusal data_dir_invalid for a loss that is not accepted. */
export class ConsistencyCheck {
  readonly #deps: ConsistencyDeps
  readonly #warned = new Set<string>()

  constructor(deps: ConsistencyDeps) {
    this.#deps = deps
  }

  /** Refuses missing files. Where none is missing it only reads the size of each file. */
  mustHaveFiles(shards: number): void {
    const { dataDir, resources } = this.#deps
    // A shard is created before it can have a job.
    for (const shard of this.#usedShards()) {
      const file = `shard-${shard}`
      if (!isMade(dataDir, file)) this.#lose(file, lost(dataDir, file, 'jobs are in it', OR_ACCEPT))
    }
    // A catalog without users is new, or from a first start that was cut off.
    if (resources.users.list().length > 0) return
    for (let shard = 0; shard < shards; shard++) {
      if (isMade(dataDir, `shard-${shard}`) && hasJobs(dataDir, shard))
        throw lost(dataDir, 'catalog', 'there are events of jobs')
    }
  }

  /** True where the ledger is lost and pipelines need it. */
  ledgerIsLost(): boolean {
    const { dataDir, resources, catalog } = this.#deps
    if (watermarkOf(catalog, LEDGER) === null || isMade(dataDir, LEDGER)) return false
    if (![...resources.jobs()].some(({ pipeline }) => pipeline.some(({ outsideSince }) => outsideSince !== undefined)))
      return false
    this.#lose(LEDGER, lost(dataDir, LEDGER, 'it holds how far each integration is', OR_ACCEPT))
    return true
  }

  /**
   * Refuses a catalog other than the one from which a job was deleted that only a shard still has. That catalog has
   * given the job's id, and its audit log has the head that the shard noted last.
   */
  mustHaveDeleted(shards: readonly CheckedShard[], log: Pick<AuditLog, 'has'>): void {
    const { dataDir, resources } = this.#deps
    for (const [shard, stored] of shards.entries()) {
      const orphans = [...stored.storedJobs()].map(({ jobId }) => jobId).filter((id) => resources.job(id) === undefined)
      if (orphans.length === 0) continue
      const noted = stored.notedHead()
      if (orphans.every((id) => resources.hasGiven(id)) && (noted === undefined || log.has(decodeHead(noted)))) continue
      throw new Refusal(
        'data_dir_invalid',
        `catalog.mdb in the data directory ${dataDir} is older than the rest, or from another directory: ` +
          `shard-${shard}.mdb has events of the job ${orphans[0]}, which the catalog has never had; restore a backup`,
      )
    }
  }

  /** Refuses shards that are older than their watermarks (watermarks.ts). */
  mustBeCurrent(shards: readonly CheckedShard[]): void {
    const { dataDir, catalog } = this.#deps
    for (const shard of this.#usedShards()) {
      const older = olderThanWatermark(catalog, shard, shards[shard]?.lastMicros() ?? 0)
      if (older === null) continue
      this.#lose(
        `shard-${shard}`,
        new Refusal('data_dir_invalid', `shard-${shard}.mdb in the data directory ${dataDir} ${older}; ${OR_ACCEPT}`),
      )
    }
  }

  #usedShards(): Set<number> {
    return new Set([...this.#deps.resources.jobs()].map(({ shard }) => shard))
  }

  /** A loss that may be accepted. */
  #lose(file: string, loss: Refusal): void {
    const { acceptLoss, log } = this.#deps
    if (!acceptLoss) throw loss
    // A missing shard is created, and is then older than its watermark: one warning is enough.
    if (this.#warned.has(file)) return
    this.#warned.add(file)
    log.warn('a loss was accepted', { what: loss.message })
  }
}

/** How a shard's file is older than its watermark, or null. `lastMicros` is the last time applied in it. */
export function olderThanWatermark(catalog: Environment, shard: number, lastMicros: number): string | null {
  const known = watermarkOf(catalog, `shard-${shard}`) ?? 0
  if (lastMicros >= known) return null
  const last = lastMicros === 0 ? 'it is empty' : `its last change is of ${isoMicros(lastMicros)}`
  return `is older than the rest: ${last}, and it had one of ${isoMicros(known)}`
}

function hasJobs(dataDir: string, shard: number): boolean {
  const environment = openReadOnly(dataDir, `shard-${shard}`)
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

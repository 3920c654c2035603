/**
 * Verifies a data directory or a backup: every page, record, index, counter and reference.
 *
 * Owns: the order of the checks. Leaves out: the checks themselves (page-walk.ts, verify-shard.ts, verify-resources.ts,
 * audit-proof.ts).
 *
 * 1. It changes nothing that is stored, and holds the directory's lock meanwhile.
 * 2. A file's contents are read only where its pages are in order: otherwise the native library would end the process.
 * 3. Every change of a key or a value is found by its checksum (checksums.ts), every change between pages by walking
 *    them. What is left changes nothing that is read: free pages, and unused bytes of pages.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../errors.js'
import { systemRandom } from '../../rng.js'
import type { JobSettings } from '../../domain/job/job.js'
import { compareWithList, readList } from '../../store/directory/backup-files.js'
import { openDataDir, sealingKey } from '../../store/directory/data-dir.js'
import { openReadOnly } from '../../store/directory/environments.js'
import { lockDataDir } from '../../store/directory/data-lock.js'
import { walkPages } from '../../store/pages/page-walk.js'
import { shardTables } from '../../store/tables.js'
import { Sealer } from '../../resource/access/sealing.js'
import { lastTime } from '../../actor/event-table.js'
import { notedHead } from '../../actor/audit-outbox.js'
import { ledgerTables } from '../../integration/delivery/ledger.js'
import { proveChain } from '../audit/audit-proof.js'
import { notedInShards } from '../audit/audit.js'
import { allCatalogTables } from '../catalog-tables.js'
import { verifyDecisions, type DecisionReport } from './verify-decisions.js'
import { verifyResources } from './verify-resources.js'
import { olderThanWatermark } from './consistency-check.js'
import { ShardCheck, type StoreProblem } from './verify-shard.js'
import { checkJobs, type JobCount } from './verify-job.js'

export interface VerifyReport {
  readonly problems: readonly StoreProblem[]
  /** When the backup was made; null for a data directory. */
  readonly backupOf: string | null
  readonly jobs: number
  readonly events: number
  /** Rows of deleted jobs, which the next start deletes. */
  readonly leftOver: number
  /** Decisions that were computed again; null where that was not asked for. */
  readonly decisions: DecisionReport | null
}

class Verification {
  readonly problems: StoreProblem[] = []
  readonly #path: string
  readonly #format: number
  jobs: ReadonlyMap<number, JobSettings> = new Map()
  events = 0
  leftOver = 0

  constructor(path: string, format: number) {
    this.#path = path
    this.#format = format
  }

  note(file: string, what: string, table = '', key = ''): void {
    this.problems.push({ file, table, key, what })
  }

  /** True where the pages of the file are in order, so that it may be opened. */
  pages(name: string, known: readonly string[]): boolean {
    const file = `${name}.mdb`
    if (!existsSync(join(this.#path, file))) {
      this.note(file, 'is missing')
      return false
    }
    const { problems, tables, hasChecksums } = walkPages(join(this.#path, file))
    for (const { page, what } of problems) this.note(file, page === null ? what : `page ${page} ${what}`)
    const unknown = tables.filter((table) => !known.includes(table))
    for (const table of unknown)
      this.note(file, `has a table ${JSON.stringify(table)}, which this service does not have`)
    if (problems.length === 0 && !hasChecksums) this.note(file, 'should have checksums, and has none')
    // Opening a table by a slightly different name would create a new one.
    return problems.length === 0 && unknown.length === 0 && hasChecksums
  }

  /** The ledger: its rows have no relations to verify. */
  ledger(): void {
    if (existsSync(join(this.#path, 'integrations.mdb'))) this.pages('integrations', ledgerTables)
  }

  /** The resources of the catalog, whose pages are in order. False if one of them is damaged. */
  async resources(shards: number, sealer: Sealer | null): Promise<boolean> {
    const environment = openReadOnly(this.#path, 'catalog')
    try {
      const { problems, jobs } = verifyResources(environment, shards, sealer)
      for (const { table, key, what } of problems) this.note('catalog.mdb', what, table, key)
      this.jobs = jobs
      return problems.length === 0
    } finally {
      await environment.close()
    }
  }

  /** Whether the shards have all that the catalog's marks and audit log say. Its pages are in order. */
  async catalogOverShards(
    heads: readonly (Uint8Array | undefined)[],
    last: ReadonlyMap<number, number>,
  ): Promise<void> {
    const environment = openReadOnly(this.#path, 'catalog')
    try {
      for (const [shard, micros] of last) {
        const older = [...this.jobs.values()].some((job) => job.shard === shard)
          ? olderThanWatermark(environment, shard, micros)
          : null
        if (older !== null) this.note(`shard-${shard}.mdb`, older)
      }
      const { broken } = proveChain(environment, notedInShards(heads))
      if (broken !== null) this.note('catalog.mdb', `entry ${broken.sequence}: ${broken.reason}`, 'audit')
    } finally {
      await environment.close()
    }
  }

  /**
   * Verifies a shard, fills the maps, and returns the head of the audit log that the shard has noted. The rows of a
   * deleted job are deleted table by table, so they do not agree with each other: its events are only counted.
   */
  async shard(
    shard: number,
    isDeleted: (jobId: number) => boolean,
    counts: Map<number, JobCount[]>,
    last: Map<number, number>,
  ): Promise<Uint8Array | undefined> {
    const name = `shard-${shard}`
    if (!this.pages(name, shardTables)) return undefined
    const environment = openReadOnly(this.#path, name)
    try {
      const check = new ShardCheck(environment, `${name}.mdb`, this.#format)
      counts.set(shard, checkJobs(check, isDeleted))
      last.set(shard, lastTime(environment))
      this.problems.push(...check.problems)
      return notedHead(environment)
    } catch (error) {
      this.note(`${name}.mdb`, `cannot be read: ${(error as Error).message}`)
      return undefined
    } finally {
      await environment.close()
    }
  }

  /** Counts events, and checks that they are in the shard of their job. */
  count(counts: ReadonlyMap<number, readonly JobCount[]>): void {
    for (const [shard, jobs] of counts) {
      for (const { jobId, events } of jobs) {
        const job = this.jobs.get(jobId)
        if (job === undefined) this.leftOver += events
        else if (job.shard === shard) this.events += events
        else if (events > 0)
          this.note(
            `shard-${shard}.mdb`,
            `has ${events} events of job ${jobId}, which is in shard ${job.shard}`,
            'events',
          )
      }
    }
  }
}

/**
 * Verifies everything; `sample`: so many decisions are computed again, too. Rejects with Refusal data_dir_in_use,
 * data_dir_newer, data_dir_invalid where nothing can be read.
 */
export async function verifyDataDir(path: string, sample: number | 'all' | null = null): Promise<VerifyReport> {
  if (!existsSync(join(path, 'format.json')))
    throw new Refusal('data_dir_invalid', `there is no data directory at ${path}`)
  const lock = await lockDataDir(path)
  try {
    const { shards, format } = openDataDir(path, 0, false)
    const verification = new Verification(path, format)
    const list = readList(path)
    if (list !== null) for (const { name, what } of compareWithList(path, list)) verification.note(name, what)
    if (existsSync(join(path, `shard-${shards}.mdb`)))
      verification.note('format.json', `says ${shards} shards, and there are more`)
    const sealer = existsSync(join(path, 'sealing.key')) ? new Sealer(sealingKey(path), systemRandom) : null
    const counts = new Map<number, JobCount[]>()
    const heads: (Uint8Array | undefined)[] = []
    const last = new Map<number, number>()
    const opensCatalog = verification.pages('catalog', allCatalogTables)
    const knowsJobs = opensCatalog && (await verification.resources(shards, sealer))
    const isDeleted = (jobId: number): boolean => knowsJobs && !verification.jobs.has(jobId)
    for (let shard = 0; shard < shards; shard++) heads.push(await verification.shard(shard, isDeleted, counts, last))
    if (opensCatalog) await verification.catalogOverShards(heads, last)
    verification.ledger()
    if (verification.jobs.size > 0 || verification.problems.length === 0) verification.count(counts)
    const { problems, jobs, events, leftOver } = verification
    // What is damaged cannot be computed from.
    const decisions = sample === null || problems.length > 0 ? null : await verifyDecisions(path, jobs.values(), sample)
    problems.push(...(decisions?.problems ?? []))
    return { problems, backupOf: list?.madeAt ?? null, jobs: jobs.size, events, leftOver, decisions }
  } finally {
    await lock.release()
  }
}

/**
 * The catalog of the owner: every commit is appended to the catalog's log before it is made.
 *
 * Owns: the order of append and commit, and the position in the log. Leaves out: the append (catalog-writer.ts).
 *
 * 1. A commit that the log refused has changed nothing. It may take effect all the same, where the log did not answer:
 *    then the writer takes no more, and the catalog is read from the log again (catalog-follower.ts).
 * 2. The position is in the commit that it belongs to.
 */
import type { Environment, WriteBatch } from '../../../store/environment.js'
import type { LoggedEntry } from './catalog-record.js'
import { entriesOf } from './catalog-record.js'

/** Appends what a commit of the catalog changes; returns its sequence. */
export interface CatalogLog {
  /** Null where nothing is to be committed. @throws Refusal log_unavailable. */
  append(entries: readonly LoggedEntry[]): number | null
}

/** Where a copy of the catalog, or of a shard, has its position. */
export const POSITION_TABLE = 'meta'
export const POSITION = Buffer.from('log_sequence')

/** How far the catalog has applied its log; 0 for not at all. */
export function catalogPosition(catalog: Pick<Environment, 'get'>): number {
  const value = catalog.get(POSITION_TABLE, POSITION)
  return value === undefined ? 0 : Number(Buffer.from(value).readBigUInt64BE())
}

/** Adds the position to what is committed with it. */
export function putCatalogPosition(batch: WriteBatch, sequence: number): void {
  const value = Buffer.alloc(8)
  value.writeBigUInt64BE(BigInt(sequence))
  batch.put(POSITION_TABLE, POSITION, value)
}

/** The environment, with commits that go through the log. */
export function loggedEnvironment(environment: Environment, log: CatalogLog): Environment {
  return {
    get: (table, key) => environment.get(table, key),
    read: (table, key, into) => environment.read(table, key, into),
    range: (table, range) => environment.range(table, range),
    scan: (table, range, visit) => environment.scan(table, range, visit),
    count: (table, range) => environment.count(table, range),
    commit: (batch) => {
      const sequence = log.append(entriesOf(batch))
      if (sequence === null) return
      putCatalogPosition(batch, sequence)
      environment.commit(batch)
    },
    refresh: () => environment.refresh(),
    unmap: () => environment.unmap(),
    map: () => environment.map(),
    sizeBytes: () => environment.sizeBytes(),
    close: () => environment.close(),
  }
}

/**
 * The environments of a data directory (data-dir.ts), opened by what they are for; every thread that reads or writes one
 * opens it here. Leaves out: what they hold.
 */
import type { Environment } from '../environment.js'
import { openLmdb, type LmdbEnvironment } from '../lmdb/lmdb.js'
import { presentTables } from '../present-tables.js'
import { tablesOf } from '../lmdb/store-file.js'
import { shardTables } from '../tables.js'

/** The environment of shard `shard`. */
export function openShard(dataDir: string, shard: number): LmdbEnvironment {
  return openLmdb(dataDir, `shard-${shard}`, shardTables)
}

/** An environment of a directory with all tables that it has; others may write to it. */
export function openWhole(dataDir: string, name: string): LmdbEnvironment {
  return openLmdb(dataDir, name, null)
}

/** The same of a directory that nobody uses, for whoever only looks. */
export function openToLook(dataDir: string, name: string): Environment {
  const tables = tablesOf(dataDir, name)
  return presentTables(openLmdb(dataDir, name, tables), tables)
}

/** The environment of the catalog with these tables. */
export function openCatalog(dataDir: string, tables: readonly string[]): LmdbEnvironment {
  return openLmdb(dataDir, 'catalog', tables)
}

/** The ledger of integrations with these tables. */
export function openLedger(dataDir: string, tables: readonly string[]): LmdbEnvironment {
  return openLmdb(dataDir, 'integrations', tables)
}

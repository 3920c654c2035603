/**
 * Opens the environments of a data directory (data-dir.ts) by what they are for. Every thread that reads or writes one
 * opens it here. Leaves out: what they hold (tables.ts, and the tables of the catalog and the ledger).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../../assert.js'
import type { Environment } from '../environment.js'
import { openLmdb, type LmdbEnvironment } from '../lmdb/lmdb.js'
import { tablesOf } from '../lmdb/store-file.js'
import { shardTables } from '../tables.js'
import { syncDirectory } from './make-directory.js'

/** The environment of shard `shard`. */
export function openShard(dataDir: string, shard: number): LmdbEnvironment {
  return openOrMake(dataDir, `shard-${shard}`, shardTables)
}

/** An environment with all tables that it has; others may write to it. */
export function openWhole(dataDir: string, name: string): LmdbEnvironment {
  return openLmdb(dataDir, name, null)
}

/** An environment for reading only, of a directory that no process uses. A table that it does not have is empty. */
export function openReadOnly(dataDir: string, name: string): Environment {
  const tables = tablesOf(dataDir, name)
  return readOnly(openLmdb(dataDir, name, tables), tables)
}

/** The catalog environment with these tables. */
export function openCatalog(dataDir: string, tables: readonly string[]): LmdbEnvironment {
  return openOrMake(dataDir, 'catalog', tables)
}

/** The ledger of integrations with these tables. */
export function openLedger(dataDir: string, tables: readonly string[]): LmdbEnvironment {
  return openOrMake(dataDir, 'integrations', tables)
}

/** LMDB flushes what is in a file, not the file's name. Without the name, a power cut would lose the file. */
function openOrMake(dataDir: string, name: string, tables: readonly string[]): LmdbEnvironment {
  const isNew = !existsSync(join(dataDir, `${name}.mdb`))
  const environment = openLmdb(dataDir, name, tables)
  if (isNew) syncDirectory(dataDir)
  return environment
}

/** LMDB would make a table that is opened and not there. */
function readOnly(environment: Environment, tables: readonly string[]): Environment {
  const has = (table: string): boolean => tables.includes(table)
  return {
    get: (table, key) => (has(table) ? environment.get(table, key) : undefined),
    read: (table, key, into) => (has(table) ? environment.read(table, key, into) : -1),
    range: (table, range) => (has(table) ? environment.range(table, range) : []),
    scan: (table, range, visit) => void (has(table) && environment.scan(table, range, visit)),
    count: (table, range) => (has(table) ? environment.count(table, range) : 0),
    commit: () => assert(false, 'an environment opened for reading is not written'),
    refresh: () => environment.refresh(),
    unmap: () => environment.unmap(),
    map: () => environment.map(),
    sizeBytes: () => environment.sizeBytes(),
    close: () => environment.close(),
  }
}

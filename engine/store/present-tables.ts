/**
 * An environment for whoever only looks: a table that is not there is empty, where opening it would make it.
 */
import { assert } from '../assert.js'
import type { Environment } from './environment.js'

export function presentTables(environment: Environment, tables: readonly string[]): Environment {
  const has = (table: string): boolean => tables.includes(table)
  return {
    get: (table, key) => (has(table) ? environment.get(table, key) : undefined),
    read: (table, key, into) => (has(table) ? environment.read(table, key, into) : -1),
    range: (table, range) => (has(table) ? environment.range(table, range) : []),
    scan: (table, range, visit) => void (has(table) && environment.scan(table, range, visit)),
    count: (table, range) => (has(table) ? environment.count(table, range) : 0),
    commit: () => assert(false, 'whoever only looks writes nothing'),
    refresh: () => environment.refresh(),
    unmap: () => environment.unmap(),
    map: () => environment.map(),
    sizeBytes: () => environment.sizeBytes(),
    close: () => environment.close(),
  }
}

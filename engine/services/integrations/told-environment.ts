/** The ledger of an owner in a cluster: each commit is told to the main thread, which appends it to the log. */
import { entriesOf } from '../../runtime/log/catalog/catalog-record.js'
import type { Environment } from '../../store/environment.js'
import type { FromIntegrations } from './integration-protocol.js'

export function toldEnvironment(environment: Environment, tell: (message: FromIntegrations) => void): Environment {
  return {
    get: (table, key) => environment.get(table, key),
    read: (table, key, into) => environment.read(table, key, into),
    range: (table, range) => environment.range(table, range),
    scan: (table, range, visit) => environment.scan(table, range, visit),
    count: (table, range) => environment.count(table, range),
    commit: (batch) => {
      const entries = entriesOf(batch)
      environment.commit(batch)
      tell({ type: 'ledger', entries })
    },
    refresh: () => environment.refresh(),
    unmap: () => environment.unmap(),
    map: () => environment.map(),
    sizeBytes: () => environment.sizeBytes(),
    close: () => environment.close(),
  }
}

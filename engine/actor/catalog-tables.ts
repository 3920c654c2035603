/** Every table of the catalog's environment, whoever owns it. */
import { alertsTable } from '../monitor/alert-log.js'
import { auditTables } from '../monitor/audit-tables.js'
import { samplesTable } from '../monitor/sample-store.js'
import { watchdogsTable } from '../monitor/watchdog-log.js'
import { catalogTables } from '../resource/records.js'
import { metricsTables } from './metrics-log.js'
import { marksTable } from './marks.js'
import { TRAININGS_TABLE } from './training-log.js'

export const allCatalogTables: readonly string[] = [
  ...catalogTables,
  TRAININGS_TABLE,
  ...auditTables,
  ...metricsTables,
  samplesTable,
  watchdogsTable,
  alertsTable,
  marksTable,
]

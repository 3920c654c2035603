/** All tables of the catalog. Each is declared beside the code that owns it. */
import { alertsTable } from './monitor/alert-log.js'
import { auditTables } from './audit/audit-tables.js'
import { samplesTable } from './monitor/sample-store.js'
import { watchdogsTable } from './monitor/watchdog-log.js'
import { catalogTables } from '../resource/records.js'
import { metricsTables } from './report/metrics-log.js'
import { watermarksTable } from './verify/watermarks.js'
import { handlingTables } from './handling/handling-tables.js'
import { voteTaskTables } from './vote-tasks/vote-task-log.js'
import { TRAININGS_TABLE } from './training/training-log.js'

export const allCatalogTables: readonly string[] = [
  ...catalogTables,
  TRAININGS_TABLE,
  ...voteTaskTables,
  ...handlingTables,
  ...auditTables,
  ...metricsTables,
  samplesTable,
  watchdogsTable,
  alertsTable,
  watermarksTable,
]

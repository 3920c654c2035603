/** The only door of the engine: what is not exported here is nobody else's business. */
export type * from './api/principal.js'
export * from './api/decision-service.js'
export type * from './api/cluster-service.js'
export { clusterDocument, isoMillis, linkDocument } from './services/read/cluster-document.js'
export type * from './api/consensus-service.js'
export type * from './api/audit-service.js'
export type * from './api/integrations-service.js'
export * from './errors.js'
export { isScope, roles, scopeTable } from './api/scopes.js'
export type * from './api/users-service.js'
export { limits } from './limits.js'
export { isoMicros } from './clock.js'
export { atRoundEnd } from './runtime/round-end.js'
export { jsonSize, valuesMaxOf } from './domain/event/json-size.js'
export type * from './domain/job/job.js'
export type * from './api/monitor-service.js'
export type * from './api/turn-trace.js'
export { monitorBounds } from './services/monitor/bounds.js'
export { isWatchdogType, watchdogTypes } from './services/monitor/watchdog-conditions.js'
export { Histogram, secondsBounds } from './domain/metrics/histogram.js'
export { components, isComponent, MAIN, type Component } from './api/components.js'
export {
  isLogLevel,
  levelForAll,
  logLevels,
  parseLogLevels,
  type LogLevel,
  type LogLevels,
} from './api/log-level.js'
export { integrationRoles } from './domain/job/job.js'
export type * from './api/erase-service.js'
export type * from './api/reprocess-service.js'
export { backupDataDir } from './services/backup/backup-command.js'
export { restoreBackup } from './store/directory/backup-files.js'
export { verifyDataDir, type VerifyReport } from './services/verify/verify.js'
export { checkAuditLog, type AuditCheck } from './services/audit/audit-check.js'
export type * from './api/query-service.js'
export type * from './api/metrics-service.js'
export type { EngineOptions } from './options.js'
export { openEngine, type Engine } from './engine.js'
export { type Log, batchKinds, type Batch, type BatchKind } from './api/monitor-service.js'
export { isTimeSelector, timeSelectors, type TimeSelector } from './api/container-service.js'

/** The only door of the engine: what is not exported here is nobody else's business. */
export type * from './principal.js'
export * from './service.js'
export type * from './actor/cluster-service.js'
export { clusterDocument, isoMillis, linkDocument } from './actor/cluster-document.js'
export type * from './actor/consensus-service.js'
export type * from './monitor/audit-service.js'
export type * from './integration/integrations-service.js'
export * from './errors.js'
export { isScope, roles, scopeTable } from './scopes.js'
export type * from './resource/users-service.js'
export { limits } from './limits.js'
export { isoMicros } from './clock.js'
export { jsonSize, valuesMaxOf } from './event/json-size.js'
export type * from './job/job.js'
export type * from './monitor/monitor-service.js'
export type * from './monitor/turn-trace-service.js'
export { monitorBounds } from './monitor/bounds.js'
export { isWatchdogType, watchdogTypes } from './monitor/watchdog.js'
export { Histogram, secondsBounds } from './monitor/histogram.js'
export { components, isComponent, MAIN, type Component } from './monitor/components.js'
export {
  isLogLevel,
  levelForAll,
  logLevels,
  parseLogLevels,
  type LogLevel,
  type LogLevels,
} from './monitor/log-level.js'
export { integrationRoles } from './job/job.js'
export type * from './actor/erasure-service.js'
export type * from './actor/reprocess-service.js'
export { backupDataDir } from './actor/backup-command.js'
export { restoreBackup } from './store/backup-files.js'
export { verifyDataDir, type VerifyReport } from './actor/verify.js'
export { checkAuditLog, type AuditCheck } from './actor/audit-check.js'
export type * from './actor/queries-service.js'
export type * from './metrics/metrics-service.js'
export type { EngineOptions } from './options.js'
export { openEngine, type Engine } from './engine.js'
export { type Log, batchKinds, type Batch, type BatchKind } from './monitor/monitor-service.js'
export { isTimeSelector, timeSelectors, type TimeSelector } from './monitor/container-service.js'

/** The only door of the engine: what is not exported here is nobody else's business. */
export * from './service.js'
export * from './errors.js'
export { limits } from './limits.js'
export { isoMicros } from './clock.js'
export type * from './job/job.js'
export { integrationRoles } from './job/job.js'
export type * from './actor/reprocess-service.js'
export { openEngine, type Engine, type EngineOptions } from './engine.js'

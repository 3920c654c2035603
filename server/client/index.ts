/** The client of the service, for browsers and Node.js: `import { createClient } from 'decision-service/client'`. */
export type * from '#client-operations'
export type { Line } from './batches.js'
export type { BulkOptions } from './bulk.js'
export type { HistoryOptions, HistoryPart, OldEvent } from './history.js'
export { createClient, type Client, type Methods } from './client.js'
export { ApiError, ConnectionError, isTransient, ServiceError, TimeoutError, type Issue } from './errors.js'
export type { CallOptions, ClientOptions, Clock } from './transport.js'

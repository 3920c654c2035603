/** A catalog over a memory store with a manual clock and seeded chance, and what its tests look at. */
import { ManualClock } from '../../engine/clock.js'
import { SeededRandom } from '../../engine/rng.js'
import { AuditLog } from '../../engine/services/audit/audit-log.js'
import { auditTables } from '../../engine/services/audit/audit-tables.js'
import { ResourceStore, catalogTables } from '../../engine/resource/resource-store.js'
import { builtInKinds } from '../../engine/resource/registry/registry-entries.js'
import type { IntegrationRegistry } from '../../engine/resource/registry/integration-registry.js'
import { Sealer, SEALING_KEY_BYTES } from '../../engine/resource/access/sealing.js'
import { MemoryEnvironment } from '../../engine/store/memory-store.js'
import { testAuthor } from './author.js'

export interface ResourceStoreBench {
  readonly environment: MemoryEnvironment
  readonly clock: ManualClock
  readonly resources: ResourceStore
  /** The catalog as another start reads it from the same store. */
  reopen(): ResourceStore
}

/** A catalog with nothing but what is built in. */
export function openResourceStore(seed = 1, shards = 8, kinds: IntegrationRegistry = builtInKinds): ResourceStoreBench {
  const environment = new MemoryEnvironment([...catalogTables, ...auditTables])
  const clock = new ManualClock()
  const random = new SeededRandom(seed)
  const sealer = new Sealer(new Uint8Array(SEALING_KEY_BYTES), random)
  const reopen = (): ResourceStore =>
    ResourceStore.open(environment, {
      clock,
      stamp: () => clock.nowMicros(),
      random,
      shards,
      sealer,
      kinds,
      passwordCost: 10,
      audit: new AuditLog(environment),
    })
  return { environment, clock, resources: reopen(), reopen }
}

/** Every entry of the store, `table key value`, with one character a byte. */
export function dump(environment: MemoryEnvironment, tables: readonly string[] = catalogTables): string[] {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
  return tables.flatMap((table) => {
    return [...environment.range(table, {})].map(({ key, value }) => `${table} ${text(key)} ${text(value)}`)
  })
}

/** Everything that the catalog says of itself, jobs in full. */
export function view(resources: ResourceStore): unknown {
  const titles = [...resources.jobs()].map((job) => job.title)
  return [resources.list({}), titles.map((title) => resources.list({ type: 'job', title })), [...resources.jobs()]]
}

export function apiKey(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { type: 'api_key', properties: { name }, ...more }
}

/** Makes a key of that name; its value. */
export function keyOf(resources: ResourceStore, name: string): string {
  return resources.apply({ k: apiKey(name) }, true, testAuthor).created[0]?.value as string
}

/** An External REST API integration bound to the key of that name. */
export function restApi(title: string, keyName: string): Record<string, unknown> {
  const parameters = { api_key: `{{api_keys(name='${keyName}')}}`, data_type: 'alerts' }
  return { type: 'integration', properties: { title, integration_type: 'External REST API', parameters } }
}

export function job(title: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    type: 'job',
    properties: { title, category: 'Decision intelligence', decision_points: ['host.name', 'rule.id'], ...more },
  }
}

/** A pipeline step that takes posts through the integration that `resource` names. */
export function input(resource: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { resource, integration_type: 'input', enabled: true, ...more }
}

/** A job with an input that reads a search engine which nobody serves. */
export function jobFedBySearch(enabled: boolean): Record<string, unknown> {
  const parameters = { hosts: '127.0.0.1', port: 9, schema: 'http', user: 'elastic', password: 'changeme-now' }
  return {
    resources: {
      alerts: { type: 'integration', properties: { title: 'alerts', integration_type: 'Search engine', parameters } },
      job: job('a job', {
        pipeline_integrations: [
          input('alerts', { enabled, parameters: { index_pattern: 'alerts', preserve_id: true } }),
        ],
      }),
    },
  }
}

/** A key, an integration bound to it and a job fed by it. */
export function smallSet(suffix = ''): Record<string, unknown> {
  return {
    resources: {
      key: apiKey(`key${suffix}`),
      rest: restApi(`rest${suffix}`, `key${suffix}`),
      job: job(`job${suffix}`, { pipeline_integrations: [input('rest')] }),
    },
  }
}

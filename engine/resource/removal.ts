/**
 * What deleting a resource takes away, or who still needs it.
 *
 * 1. A job can always go. An integration stays while a pipeline has it, a key while an integration is bound to it.
 * 2. Built-in integrations stay, and so does the last management key: without it nobody could get in.
 */
import { Refusal, type Issue } from '../errors.js'
import type { ResourceQuery, ResourceRef } from '../service.js'
import { kindById } from './kinds.js'
import { findResources } from './listing.js'
import type { ApiKeyRecord, IntegrationRecord } from './records.js'
import { refer } from './refer.js'
import { Changes, type CatalogState } from './state.js'

const USERS_SHOWN_MAX = 10

function inUse(what: string, users: readonly string[]): Refusal {
  const more = users.length > USERS_SHOWN_MAX ? ` and ${users.length - USERS_SHOWN_MAX} more` : ''
  const details = `used by: ${users.slice(0, USERS_SHOWN_MAX).join(', ')}${more}`
  return new Refusal('resource_in_use', `${what} is in use`, { details })
}

function refuseIntegrationInUse(state: CatalogState, record: IntegrationRecord): void {
  const what = `the integration "${record.title}"`
  if (kindById(record.kind).builtIn) throw new Refusal('resource_in_use', `${what} is a part of the service`)
  const jobs = [...state.jobs.values()].filter((job) => job.pipeline.some((step) => step.integrationId === record.id))
  if (jobs.length > 0) throw inUse(what, jobs.map((job) => `job "${job.title}"`))
}

function refuseKeyInUse(state: CatalogState, key: ApiKeyRecord): void {
  const bound = (record: IntegrationRecord): boolean => {
    return kindById(record.kind).connection.some(({ name, type }) => {
      return type === 'api_key' && record.connection[name] === key.name
    })
  }
  const users = [...state.integrations.values()].filter(bound)
  if (users.length > 0) throw inUse(`the api key "${key.name}"`, users.map((record) => `integration "${record.title}"`))
  const management = [...state.apiKeys.values()].filter((each) => each.kind === 'management')
  if (key.kind === 'management' && management.length === 1) {
    throw new Refusal('resource_in_use', 'the last management key cannot be deleted')
  }
}

/** A deletion names a type, and one resource of it. */
function refuseVague({ type, title, id }: ResourceQuery): void {
  const issues: Issue[] = []
  if (type === undefined) issues.push({ loc: ['query', 'resource_type'], msg: 'is required', type: 'missing' })
  if (title === undefined && id === undefined) {
    issues.push({ loc: ['query', 'title'], msg: 'title or id is required', type: 'missing' })
  }
  if (issues.length > 0) {
    throw new Refusal('invalid_resources', 'a deletion names a type, and a title or id', { issues })
  }
}

/**
 * The changes that delete what the query names, and what that is.
 * @throws Refusal invalid_resources, resource_not_found, resource_in_use.
 */
export function planRemoval(state: CatalogState, query: ResourceQuery): { changes: Changes; removed: ResourceRef[] } {
  refuseVague(query)
  const { apiKeys, integrations, jobs } = findResources(state, query)
  const changes = new Changes()
  const removed: ResourceRef[] = []
  for (const key of apiKeys) {
    refuseKeyInUse(state, key)
    changes.apiKeys.set(key.name, null)
    removed.push(refer('api_key', key))
  }
  for (const record of integrations) {
    refuseIntegrationInUse(state, record)
    changes.integrations.set(record.id, null)
    removed.push(refer('integration', record))
  }
  for (const job of jobs) {
    changes.jobs.set(job.id, null)
    removed.push(refer('job', job))
  }
  if (removed.length === 0) throw new Refusal('resource_not_found', `there is no such ${query.type}`)
  return { changes, removed }
}

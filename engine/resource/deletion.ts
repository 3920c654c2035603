/**
 * Plans a deletion: what is deleted, and what loses something by it.
 *
 * 1. A job can always be deleted.
 * 2. An integration in a pipeline, or a key that an integration uses, is refused unless the deletion is forced. Then
 *    the same commit takes the steps out of the pipelines, or the key out of the integrations. A later key of the same
 *    name is not used by them.
 * 3. Built-in integrations and the last management key are never deleted: without the key nobody could manage the
 *    service.
 */
import type { JobSettings } from '../domain/job/job.js'
import { Refusal, type Issue } from '../errors.js'
import type { DeletionOutcome, DeletionQuery, ResourceQuery } from '../api/decision-service.js'
import { findResources } from './listing.js'
import type { ApiKeyRecord, IntegrationRecord } from './records.js'
import { refer } from './resource-names.js'
import { Changes, type ResourceState } from './state.js'

const USERS_SHOWN_MAX = 100

function refuseInUse(what: string, users: readonly string[]): void {
  if (users.length === 0) return
  const more = users.length > USERS_SHOWN_MAX ? ` and ${users.length - USERS_SHOWN_MAX} more` : ''
  const details = `used by: ${users.slice(0, USERS_SHOWN_MAX).join(', ')}${more}`
  throw new Refusal('resource_in_use', `${what} is in use; force=true deletes it anyway`, { details })
}

function refuseBuiltIn(state: ResourceState, record: IntegrationRecord): void {
  if (!state.kinds.byId(record.kind).builtIn) return
  throw new Refusal('resource_in_use', `the integration "${record.title}" is built in and cannot be deleted`)
}

function refuseLastManagementKey(state: ResourceState, key: ApiKeyRecord): void {
  if (key.kind !== 'management') return
  const managing = [...state.apiKeys.values()].filter((each) => each.kind === 'management')
  if (managing.length === 1) throw new Refusal('resource_in_use', 'the last management key cannot be deleted')
}

function refuseVague({ type, title, id }: ResourceQuery): void {
  const issues: Issue[] = []
  if (type === undefined) issues.push({ loc: ['query', 'resource_type'], msg: 'is required', type: 'missing' })
  if (title === undefined && id === undefined) {
    issues.push({ loc: ['query', 'title'], msg: 'title or id is required', type: 'missing' })
  }
  if (issues.length > 0) {
    throw new Refusal('invalid_resources', 'a deletion needs a type, and a title or an id', { issues })
  }
}

function usersOf(state: ResourceState, record: IntegrationRecord): JobSettings[] {
  return [...state.jobs.values()].filter((job) => job.pipeline.some((step) => step.integrationId === record.id))
}

/** The parameters of the integration that hold the key's name. */
function bindingsTo(state: ResourceState, key: ApiKeyRecord, { kind, connection }: IntegrationRecord): string[] {
  const references = state.kinds.byId(kind).connection.filter(({ type }) => type === 'api_key')
  return references.map(({ name }) => name).filter((name) => connection[name] === key.name)
}

/** Collects the changes of one deletion. */
class Deletion {
  readonly changes = new Changes()
  readonly #state: ResourceState
  readonly #force: boolean

  constructor(state: ResourceState, force: boolean) {
    this.#state = state
    this.#force = force
  }

  key(key: ApiKeyRecord): void {
    refuseLastManagementKey(this.#state, key)
    const bound = [...this.#state.integrations.values()].filter((each) => bindingsTo(this.#state, key, each).length > 0)
    if (!this.#force)
      refuseInUse(
        `the api key "${key.name}"`,
        bound.map(({ title }) => `integration "${title}"`),
      )
    for (const record of bound) {
      const lost = bindingsTo(this.#state, key, record)
      const left = Object.entries(record.connection).filter(([name]) => !lost.includes(name))
      this.changes.integrations.set(record.id, { ...record, connection: Object.fromEntries(left) })
    }
    this.changes.apiKeys.set(key.name, null)
  }

  integration(record: IntegrationRecord): void {
    refuseBuiltIn(this.#state, record)
    const users = usersOf(this.#state, record)
    if (!this.#force)
      refuseInUse(
        `the integration "${record.title}"`,
        users.map(({ title }) => `job "${title}"`),
      )
    for (const job of users) {
      const pipeline = job.pipeline.filter((step) => step.integrationId !== record.id)
      this.changes.jobs.set(job.id, { ...job, pipeline, revision: job.revision + 1 })
    }
    this.changes.integrations.set(record.id, null)
  }

  job(job: JobSettings): void {
    this.changes.jobs.set(job.id, null)
  }
}

/**
 * Plans the deletion of what the query names.
 * @throws Refusal invalid_resources, resource_not_found, resource_in_use.
 */
export function planDeletion(
  state: ResourceState,
  query: DeletionQuery,
): { changes: Changes; outcome: DeletionOutcome } {
  refuseVague(query)
  const { apiKeys, integrations, jobs } = findResources(state, query)
  const deletion = new Deletion(state, query.force ?? false)
  for (const key of apiKeys) deletion.key(key)
  for (const record of integrations) deletion.integration(record)
  for (const job of jobs) deletion.job(job)
  const deleted = [
    ...apiKeys.map((key) => refer('api_key', key)),
    ...integrations.map((record) => refer('integration', record)),
    ...jobs.map((job) => refer('job', job)),
  ]
  if (deleted.length === 0) throw new Refusal('resource_not_found', `${query.type} not found`)
  const { changes } = deletion
  const updated = [
    ...[...changes.integrations.values()].flatMap((each) => (each === null ? [] : [refer('integration', each)])),
    ...[...changes.jobs.values()].flatMap((each) => (each === null ? [] : [refer('job', each)])),
  ]
  return { changes, outcome: { deleted, updated } }
}

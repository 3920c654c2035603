/**
 * What deleting a resource takes away, or who still needs it.
 *
 * 1. A job can always go. An integration stays while a pipeline has it, a key while an integration is bound to it, unless
 *    the deletion is forced: then, in the same commit, the pipelines lose the integration's steps and the integrations
 *    their key. A name that is used again binds nothing that was bound before.
 * 2. Built-in integrations stay, forced or not, and so does the last management key: without it nobody could get in.
 */
import { Refusal, type Issue } from '../errors.js'
import type { JobSettings } from '../domain/job/job.js'
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
  throw new Refusal('resource_in_use', `${what} is in use; force=true deletes it nevertheless`, { details })
}

function refuseBuiltIn(state: ResourceState, record: IntegrationRecord): void {
  if (!state.kinds.byId(record.kind).builtIn) return
  throw new Refusal('resource_in_use', `the integration "${record.title}" is a part of the service`)
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
    throw new Refusal('invalid_resources', 'a deletion names a type, and a title or id', { issues })
  }
}

function usersOf(state: ResourceState, record: IntegrationRecord): JobSettings[] {
  return [...state.jobs.values()].filter((job) => job.pipeline.some((step) => step.integrationId === record.id))
}

/** The parameters of the integration that name the key. */
function bindingsTo(state: ResourceState, key: ApiKeyRecord, { kind, connection }: IntegrationRecord): string[] {
  const references = state.kinds.byId(kind).connection.filter(({ type }) => type === 'api_key')
  return references.map(({ name }) => name).filter((name) => connection[name] === key.name)
}

/** One walk over what a deletion names. */
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
 * The changes that delete what the query names, what that is, and what lost it.
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
  if (deleted.length === 0) throw new Refusal('resource_not_found', `there is no such ${query.type}`)
  const { changes } = deletion
  const updated = [
    ...[...changes.integrations.values()].flatMap((each) => (each === null ? [] : [refer('integration', each)])),
    ...[...changes.jobs.values()].flatMap((each) => (each === null ? [] : [refer('job', each)])),
  ]
  return { changes, outcome: { deleted, updated } }
}

/**
 * The catalog: jobs, integrations, keys and users, in memory as they are in the store.
 *
 * Owns: the state, when it changes, who is told. Leaves out: what a change is (apply.ts, deletion.ts, bootstrap.ts),
 * what the engine does about it.
 *
 * 1. Every change is one commit, all or nothing; memory changes after the commit returned, so a commit that failed has
 *    changed neither.
 * 2. One catalog per environment, on one thread. Other threads read jobs with records.ts.
 * 3. Listeners hear of a change after memory has it; they must not throw.
 * 4. Every change is told to the audit log, in its commit, under the name of whoever asked for it.
 */
import { Refusal } from '../errors.js'
import type { JobSettings, JobStatus } from '../domain/job/job.js'
import type { ApplyOutcome, DeletionOutcome, DeletionQuery, ResourceQuery } from '../api/decision-service.js'
import type { Environment } from '../store/environment.js'
import { Access } from './access/visibility.js'
import { planApply } from './apply.js'
import { auditOf } from './audit-changes.js'
import type { AuditTrail } from './audit-trail.js'
import { planBootstrap, planBuiltIns, type BootstrapOutcome, type BootstrapSecrets } from './bootstrap.js'
import { IntegrationMetadata } from './registry/integration-metadata.js'
import type { IntegrationMetadataService } from '../api/integration-metadata-service.js'
import { builtInKinds } from './registry/registry-entries.js'
import type { IntegrationRegistry } from './registry/integration-registry.js'
import { Credentials } from './access/credentials.js'
import { LastUse } from './access/last-use.js'
import { listResources } from './listing.js'
import { Passwords } from './access/passwords.js'
import type { Maker } from './plan.js'
import { planDeletion } from './deletion.js'
import { parseDocument } from './shapes.js'
import type { IntegrationRecord } from './records.js'
import { ResourceState, Changes } from './state.js'
import { planStepsAnew } from './steps-anew.js'
import { Tokens } from './access/tokens.js'
import { RefusedSignIns } from './access/refused-sign-ins.js'
import { signInId, Users, type AccountsHost } from './access/users.js'
import { type Author, type Principal, theService } from '../api/principal.js'
import type { AuditEntry } from '../api/audit-service.js'

export { catalogTables } from './records.js'

export interface ResourceStoreOptions extends Maker {
  /** The kinds of integrations that there are; those of the service where absent. */
  readonly kinds?: IntegrationRegistry
  /** Told of every change, in its commit. */
  readonly audit?: AuditTrail
}

/** Says of whom or what it is known when it was used last. */
function userIds(state: ResourceState): (id: string) => boolean {
  const keys = new Set([...state.apiKeys.values()].map(({ id }) => id))
  const users = new Set([...state.users.keys()].map(signInId))
  return (id) => keys.has(id) || state.tokens.has(id) || users.has(id)
}

/** Keys are made and deleted by whoever may (S21). */
function refuseKeys(changes: Changes, { scopes }: Author): void {
  if (changes.apiKeys.size > 0 && scopes !== undefined && !scopes.has('write:api_keys')) {
    throw new Refusal('forbidden', 'to make or delete an api key, the scope write:api_keys is needed')
  }
}

export class ResourceStore {
  readonly #environment: Environment
  readonly #maker: ResourceStoreOptions
  readonly #state: ResourceState
  readonly #access: Access
  /** What can be set up, for people and clients. */
  readonly integrationMetadata: IntegrationMetadataService
  readonly #lastUse: LastUse
  readonly #credentials: Credentials
  readonly #refusedSignIns: RefusedSignIns | null
  readonly users: Users
  readonly tokens: Tokens
  #closed = false
  readonly #changed = new Set<(job: JobSettings) => void>()
  readonly #removed = new Set<(jobId: number) => void>()
  readonly #rewired = new Set<() => void>()

  private constructor(environment: Environment, maker: ResourceStoreOptions, state: ResourceState) {
    this.#environment = environment
    this.#maker = maker
    this.#state = state
    this.#access = new Access(state)
    this.integrationMetadata = new IntegrationMetadata(state.kinds)
    this.#lastUse = new LastUse(environment, maker.clock, userIds(state))
    this.#credentials = new Credentials(state, maker.clock, this.#lastUse)
    this.#refusedSignIns = maker.audit === undefined ? null : new RefusedSignIns(environment, maker.audit, maker.clock)
    const accounts: AccountsHost = {
      state,
      maker,
      lastUse: this.#lastUse,
      passwords: new Passwords(state, maker, this.#refusedSignIns),
      commit: (changes, by, details) => this.#commit(changes, by, details),
    }
    this.users = new Users(accounts)
    this.tokens = new Tokens(accounts)
  }

  /**
   * Reads the catalog of the environment, which has at least the tables of `catalogTables`, and adds what is built in.
   * @throws Refusal data_dir_newer, data_dir_invalid, and those of a commit.
   */
  static open(environment: Environment, options: ResourceStoreOptions): ResourceStore {
    environment.refresh()
    const state = ResourceState.load(environment, options.kinds ?? builtInKinds)
    for (const { title, shard } of state.jobs.values()) {
      if (shard < options.shards) continue
      throw new Refusal('data_dir_invalid', `the job "${title}" is in shard ${shard} of ${options.shards}`)
    }
    const resources = new ResourceStore(environment, options, state)
    resources.#commit(planBuiltIns(state, options), theService)
    return resources
  }

  /** Makes the administrator and the management key where there is nobody yet; takes tens of milliseconds then. */
  bootstrap(given: BootstrapSecrets): BootstrapOutcome {
    const { changes, outcome } = planBootstrap(this.#state, given, this.#maker)
    this.#commit(changes, theService)
    return outcome
  }

  integrations(): Iterable<IntegrationRecord> {
    return this.#state.integrations.values()
  }

  jobs(): Iterable<JobSettings> {
    return this.#state.jobs.values()
  }

  job(id: number): JobSettings | undefined {
    return this.#state.jobs.get(id)
  }

  /** There is, or was, a job of that id. */
  hasGiven(jobId: number): boolean {
    return jobId < this.#state.counters.nextJobId
  }

  jobByTitle(title: string): JobSettings | undefined {
    return this.#state.jobsByTitle.get(title)
  }

  /** Whose key or token it is, or null. */
  authenticate(secret: string): Principal | null {
    return this.#credentials.authenticate(secret)
  }

  /** True where the principal may see the job (S1). */
  canSee(principal: Principal, jobId: number): boolean {
    return this.#access.canSee(principal, jobId)
  }

  /** True where the job has an enabled input that takes posted events. */
  hasRestInput(job: JobSettings): boolean {
    return this.#access.hasRestInput(job)
  }

  /** The data type that the job's input for posted events declares, or ''. */
  dataTypeOf(job: JobSettings): string {
    return this.#access.dataTypeOf(job)
  }

  /** The job's settings afterwards; a status it has already changes nothing. @throws Refusal job_not_found. */
  setJobStatus(id: number, status: JobStatus, by: Author): JobSettings {
    const job = this.#state.jobs.get(id)
    if (job === undefined) throw new Refusal('job_not_found', 'job not found')
    if (job.status === status) return job
    const changed: JobSettings = { ...job, status, revision: job.revision + 1 }
    const changes = new Changes()
    changes.jobs.set(id, changed)
    this.#commit(changes, by)
    return changed
  }

  /** Steps that ask or tell something outside go on from now: how far they were is lost. */
  beginStepsAnew(): void {
    this.#commit(planStepsAnew(this.#state.jobs.values(), this.#maker.stamp()), theService)
  }

  /** Makes and changes what the document says; the keys it makes have their values in the outcome, only now. */
  apply(document: unknown, overwrite: boolean, by: Author): ApplyOutcome {
    const { changes, outcome } = planApply(this.#state, parseDocument(document), overwrite, this.#maker)
    refuseKeys(changes, by)
    this.#commit(changes, by)
    return outcome
  }

  /** In the shapes that clients read (C3.8). */
  list(query: ResourceQuery): unknown[] {
    return listResources(this.#state, query)
  }

  /**
   * What was deleted, and what lost something by it.
   * @throws Refusal invalid_resources, resource_not_found, resource_in_use, forbidden.
   */
  remove(query: DeletionQuery, by: Author): DeletionOutcome {
    const { changes, outcome } = planDeletion(this.#state, query)
    refuseKeys(changes, by)
    this.#commit(changes, by)
    return outcome
  }

  /** Calls back with each new or changed job; the answer stops it. */
  onJobChanged(listener: (job: JobSettings) => void): () => void {
    this.#changed.add(listener)
    return () => void this.#changed.delete(listener)
  }

  /** Calls back with the id of each deleted job; the answer stops it. */
  onJobDeleted(listener: (jobId: number) => void): () => void {
    this.#removed.add(listener)
    return () => void this.#removed.delete(listener)
  }

  /** Writes when keys were last used, and what was counted; no change comes afterwards. */
  close(): void {
    this.#lastUse.write()
    this.#refusedSignIns?.close()
    this.#closed = true
  }

  /** Calls back after each change of an integration or of a pipeline; the answer stops it. */
  onRewired(listener: () => void): () => void {
    this.#rewired.add(listener)
    return () => void this.#rewired.delete(listener)
  }

  #commit(changes: Changes, by: Author, details?: AuditEntry['details']): void {
    if (this.#closed) throw new Refusal('draining', 'the service is shutting down')
    if (changes.isEmpty) return
    const batch = changes.toBatch()
    const { audit, clock } = this.#maker
    if (audit !== undefined) {
      for (const entry of auditOf(this.#state, changes, by, clock.nowMicros())) {
        audit.record(batch, details === undefined ? entry : { ...entry, details })
      }
    }
    const rebinds =
      changes.integrations.size > 0 ||
      [...changes.jobs].some(([id, job]) => job?.pipeline !== this.#state.jobs.get(id)?.pipeline)
    this.#environment.commit(batch)
    this.#credentials.change(changes)
    this.#state.absorb(changes)
    if (rebinds) this.#access.bindingsChanged()
    for (const [id, job] of changes.jobs) {
      if (job === null) for (const listener of this.#removed) listener(id)
      else for (const listener of this.#changed) listener(job)
    }
    if (rebinds) for (const listener of this.#rewired) listener()
  }
}

/**
 * The resource store: jobs, integrations, api keys, users and tokens, in memory and in the catalog environment.
 *
 * Owns: the state, commits, listeners. Leaves out: what a change consists of (apply.ts, deletion.ts, bootstrap.ts),
 * what follows from a change (wiring.ts).
 *
 * 1. Every change is one commit, all or nothing. Memory changes after the commit, so a failed commit changes neither.
 * 2. One store per environment, on one thread. Other threads read records from the environment (records.ts).
 * 3. Listeners are called after the change is in memory. They must not throw.
 * 4. Every change and its audit entry, with its author, are in one commit.
 */
import type { JobSettings, JobStatus } from '../domain/job/job.js'
import { Refusal } from '../errors.js'
import type { AuditEntry } from '../api/audit-service.js'
import type { ApplyOutcome, DeletionOutcome, DeletionQuery, ResourceQuery } from '../api/decision-service.js'
import type { IntegrationMetadataService } from '../api/integration-metadata-service.js'
import type { Warning } from '../api/warning.js'
import { type Author, type Principal, type ScopedAuthor, theService } from '../api/principal.js'
import type { Environment } from '../store/environment.js'
import { Credentials } from './access/credentials.js'
import { LastUse } from './access/last-use.js'
import { Passwords } from './access/passwords.js'
import { RefusedSignIns } from './access/refused-sign-ins.js'
import { Tokens } from './access/tokens.js'
import { signInId, Users, type AccountDeps } from './access/users.js'
import { Visibility } from './access/visibility.js'
import { planApply } from './apply.js'
import { auditOf } from './audit-changes.js'
import type { AuditTrail } from './audit-trail.js'
import { planBootstrap, planBuiltIns, type BootstrapOutcome, type BootstrapSecrets } from './bootstrap.js'
import { planDeletion } from './deletion.js'
import { listResources } from './listing.js'
import type { PlanDeps } from './plan.js'
import type { IntegrationRecord } from './records.js'
import { IntegrationMetadata } from './registry/integration-metadata.js'
import type { IntegrationRegistry } from './registry/integration-registry.js'
import { builtInKinds } from './registry/registry-entries.js'
import { parseDocument } from './shapes.js'
import { Changes, ResourceState } from './state.js'

export { catalogTables } from './records.js'

export interface ResourceStoreOptions extends PlanDeps {
  /** The kinds of integrations; default: those of this service. */
  readonly kinds?: IntegrationRegistry
  /** Records every change in the change's commit. */
  readonly audit?: AuditTrail
}

/** Recognizes the ids of existing keys, tokens and users. */
function idsInUse(state: ResourceState): (id: string) => boolean {
  const keys = new Set([...state.apiKeys.values()].map(({ id }) => id))
  const users = new Set([...state.users.keys()].map(signInId))
  return (id) => keys.has(id) || state.tokens.has(id) || users.has(id)
}

/** Creating and deleting api keys needs a scope of its own (S21). */
function refuseKeys(changes: Changes, { scopes }: ScopedAuthor): void {
  if (changes.apiKeys.size > 0 && !scopes.has('write:api_keys')) {
    throw new Refusal('forbidden', 'creating or deleting an api key needs the scope write:api_keys')
  }
}

/**
 * After the ledger is lost, steps that work outside the service continue with events after `stamp`: nobody knows what
 * they sent before, and sending it all again would repeat old actions. Inputs read from the beginning, because a
 * document that is read twice is one event.
 */
function planRestartedSteps(jobs: Iterable<JobSettings>, stamp: number): Changes {
  const changes = new Changes()
  for (const job of jobs) {
    if (!job.pipeline.some(({ outsideSince }) => outsideSince !== undefined)) continue
    const pipeline = job.pipeline.map((step) =>
      step.outsideSince === undefined ? step : { ...step, outsideSince: stamp },
    )
    changes.jobs.set(job.id, { ...job, pipeline, revision: job.revision + 1 })
  }
  return changes
}

export class ResourceStore {
  readonly #environment: Environment
  readonly #options: ResourceStoreOptions
  readonly #state: ResourceState
  readonly #visibility: Visibility
  readonly integrationMetadata: IntegrationMetadataService
  readonly #lastUse: LastUse
  readonly #credentials: Credentials
  readonly #refusedSignIns: RefusedSignIns | null
  readonly users: Users
  readonly tokens: Tokens
  #closed = false
  readonly #changed = new Set<(job: JobSettings) => void>()
  readonly #deleted = new Set<(jobId: number) => void>()
  readonly #rewired = new Set<() => void>()

  private constructor(environment: Environment, options: ResourceStoreOptions, state: ResourceState) {
    const { clock, random, audit } = options
    this.#environment = environment
    this.#options = options
    this.#state = state
    this.#visibility = new Visibility(state)
    this.integrationMetadata = new IntegrationMetadata(state.kinds)
    this.#lastUse = new LastUse(environment, clock, idsInUse(state))
    this.#credentials = new Credentials(state, clock, this.#lastUse)
    this.#refusedSignIns = audit === undefined ? null : new RefusedSignIns(environment, audit, clock)
    const accounts: AccountDeps = {
      state,
      clock,
      random,
      lastUse: this.#lastUse,
      passwords: new Passwords(state, options, this.#refusedSignIns),
      commit: (changes, by, details) => this.#commit(changes, by, details),
    }
    this.users = new Users(accounts)
    this.tokens = new Tokens(accounts)
  }

  /**
   * Reads the resources of a catalog environment and adds missing built-in integrations. The environment has at least
   * the tables of `catalogTables`. @throws Refusal data_dir_newer, data_dir_invalid, and those of a commit.
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

  /** Creates who manages a new store. `keep` is given what was generated, before it is stored. Takes tens of ms. */
  bootstrap(given: BootstrapSecrets, keep: (generated: BootstrapOutcome) => void = () => {}): BootstrapOutcome {
    const { changes, outcome } = planBootstrap(this.#state, given, this.#options)
    if (outcome.adminPassword !== null || outcome.managementKey !== null) keep(outcome)
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

  /** True where a job has, or had, that id. */
  hasGiven(jobId: number): boolean {
    return jobId < this.#state.counters.nextJobId
  }

  jobByTitle(title: string): JobSettings | undefined {
    return this.#state.jobsByTitle.get(title)
  }

  /** The owner of a key or token, or null. */
  authenticate(secret: string): Principal | null {
    return this.#credentials.authenticate(secret)
  }

  /** Keys and tokens with these ids were used. Others are passed over. */
  noteUses(ids: readonly string[]): void {
    for (const id of ids.filter(idsInUse(this.#state))) this.#lastUse.note(id)
  }

  /** True where the principal may see the job (S1). */
  canSee(principal: Principal, jobId: number): boolean {
    return this.#visibility.canSee(principal, jobId)
  }

  /** True where the job takes events from the principal, who sees it. */
  canPost(principal: Principal, jobId: number): boolean {
    return this.#visibility.canPost(principal, jobId)
  }

  /** True where the job has an enabled input for posted events. */
  hasRestInput(job: JobSettings): boolean {
    return this.#visibility.hasRestInput(job)
  }

  /** The data type of the job's input for posted events, or ''. */
  dataTypeOf(job: JobSettings): string {
    return this.#visibility.dataTypeOf(job)
  }

  /**
   * Sets the status and returns the job. Nothing is written where it has that status. @throws Refusal job_not_found.
   */
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

  /** Restarts the steps that send events out, after the ledger of their progress was lost. */
  restartSteps(): void {
    this.#commit(planRestartedSteps(this.#state.jobs.values(), this.#options.stamp()), theService)
  }

  /** Creates and changes the resources of a document. The outcome holds the values of new keys; they are not kept. */
  apply(document: unknown, overwrite: boolean, by: ScopedAuthor): ApplyOutcome {
    const { changes, outcome } = planApply(this.#state, parseDocument(document), overwrite, this.#options)
    refuseKeys(changes, by)
    this.#commit(changes, by)
    return outcome
  }

  /** In the form that clients read (C3.8). */
  list(query: ResourceQuery, warningsOf?: (job: JobSettings) => readonly Warning[]): unknown[] {
    return listResources(this.#state, query, warningsOf)
  }

  /**
   * Deletes what the query names, and returns it with the resources that lost something.
   * @throws Refusal invalid_resources, resource_not_found, resource_in_use, forbidden.
   */
  delete(query: DeletionQuery, by: ScopedAuthor): DeletionOutcome {
    const { changes, outcome } = planDeletion(this.#state, query)
    refuseKeys(changes, by)
    this.#commit(changes, by)
    return outcome
  }

  /** Calls the listener with each new or changed job. Returns a function that ends this. */
  onJobChanged(listener: (job: JobSettings) => void): () => void {
    this.#changed.add(listener)
    return () => void this.#changed.delete(listener)
  }

  /** Calls the listener with the id of each deleted job. Returns a function that ends this. */
  onJobDeleted(listener: (jobId: number) => void): () => void {
    this.#deleted.add(listener)
    return () => void this.#deleted.delete(listener)
  }

  /** Writes the times of last use and the counted sign-ins. Later changes are refused. */
  close(): void {
    this.#lastUse.write()
    this.#refusedSignIns?.close()
    this.#closed = true
  }

  /** Calls the listener after each change of an integration or a pipeline. Returns a function that ends this. */
  onRewired(listener: () => void): () => void {
    this.#rewired.add(listener)
    return () => void this.#rewired.delete(listener)
  }

  #commit(changes: Changes, by: Author, details?: AuditEntry['details']): void {
    if (this.#closed) throw new Refusal('draining', 'the service is shutting down')
    if (changes.isEmpty) return
    const batch = changes.toBatch()
    const { audit, clock } = this.#options
    if (audit !== undefined) {
      for (const entry of auditOf(this.#state, changes, by, clock.nowMicros())) {
        audit.record(batch, details === undefined ? entry : { ...entry, details })
      }
    }
    const rewires =
      changes.integrations.size > 0 ||
      [...changes.jobs].some(([id, job]) => job?.pipeline !== this.#state.jobs.get(id)?.pipeline)
    this.#environment.commit(batch)
    this.#credentials.change(changes)
    this.#state.absorb(changes)
    if (rewires) this.#visibility.recompute()
    this.#tellListeners(changes, rewires)
  }

  #tellListeners(changes: Changes, rewires: boolean): void {
    for (const [id, job] of changes.jobs) {
      if (job === null) for (const listener of this.#deleted) listener(id)
      else for (const listener of this.#changed) listener(job)
    }
    if (rewires) for (const listener of this.#rewired) listener()
  }
}

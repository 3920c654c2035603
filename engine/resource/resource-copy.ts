/**
 * The resources of a catalog that another process changes: who a caller is, and which jobs there are.
 *
 * Owns: the state in memory, and following the catalog's rows. Leaves out: every change of a resource
 * (resource-store.ts), where the rows come from (services/cluster/).
 *
 * 1. It writes nothing. Uses of keys are told to `used`.
 */
import type { Clock } from '../clock.js'
import type { JobSettings } from '../domain/job/job.js'
import { Refusal } from '../errors.js'
import type { Principal } from '../api/principal.js'
import type { Environment } from '../store/environment.js'
import { Credentials } from './access/credentials.js'
import type { Usable } from './access/last-use.js'
import { Visibility } from './access/visibility.js'
import { changesOfRows, type ChangedRow } from './followed-changes.js'
import type { IntegrationRegistry } from './registry/integration-registry.js'
import { ResourceState } from './state.js'

export interface ResourceCopyOptions {
  readonly clock: Clock
  readonly kinds: IntegrationRegistry
  /** A key or token was used. */
  used(id: string): void
}

export class ResourceCopy {
  readonly #state: ResourceState
  readonly #visibility: Visibility
  readonly #credentials: Credentials
  /** Keys and tokens that were used since the last `tellAgain`: they are told once. */
  #told: Usable[] = []

  /** Reads the resources as they are. @throws Refusal data_dir_newer, data_dir_invalid. */
  constructor(catalog: Environment, { clock, kinds, used }: ResourceCopyOptions) {
    catalog.refresh()
    this.#state = ResourceState.load(catalog, kinds)
    this.#visibility = new Visibility(this.#state)
    const note = (id: string, by?: Usable): void => {
      if (by !== undefined) {
        by.used = true
        this.#told.push(by)
      }
      used(id)
    }
    this.#credentials = new Credentials(this.#state, clock, { note, forget() {} })
  }

  /** From now on each key is told again with its next use. */
  tellAgain(): void {
    for (const one of this.#told) one.used = false
    this.#told = []
  }

  /** Takes in rows that were changed. @throws Refusal data_dir_newer, data_dir_invalid. */
  follow(rows: readonly ChangedRow[]): void {
    const changes = changesOfRows(rows)
    if (changes.isEmpty) return
    this.#credentials.change(changes)
    this.#state.absorb(changes)
    this.#visibility.recompute()
  }

  authenticate(secret: string): Principal | null {
    return this.#credentials.authenticate(secret)
  }

  jobs(): Iterable<JobSettings> {
    return this.#state.jobs.values()
  }

  job(id: number): JobSettings | undefined {
    return this.#state.jobs.get(id)
  }

  jobByTitle(title: string): JobSettings | undefined {
    return this.#state.jobsByTitle.get(title)
  }

  /** True where the principal may see the job (S1). */
  canSee(principal: Principal, jobId: number): boolean {
    return this.#visibility.canSee(principal, jobId)
  }

  /** The job as it is now. @throws Refusal job_not_found. */
  current({ id }: { readonly id: number }): JobSettings {
    const job = this.#state.jobs.get(id)
    if (job === undefined) throw new Refusal('job_not_found', 'job not found')
    return job
  }
}

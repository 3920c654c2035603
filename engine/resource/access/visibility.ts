/**
 * Which jobs a caller may see (S1), and the inputs of jobs for posted events.
 *
 * Owns: the jobs of each input key, computed after each change. Leaves out: the records (state.ts), the owner of a key
 * (credentials.ts), refusals (engine.ts).
 *
 * 1. An input key sees the jobs with an enabled input step whose integration uses that key. All other callers see all
 *    jobs.
 */
import type { JobSettings } from '../../domain/job/job.js'
import type { Principal } from '../../api/principal.js'
import type { ResourceState } from '../state.js'

const noJobs: ReadonlySet<number> = new Set()

export class Visibility {
  readonly #state: ResourceState
  /** Ids of jobs by the name of an input key. */
  #jobsOfKey = new Map<string, Set<number>>()

  constructor(state: ResourceState) {
    this.#state = state
    this.recompute()
  }

  /** True where the principal may see the job; false for a job that does not exist. */
  canSee(principal: Principal, jobId: number): boolean {
    if (principal.kind !== 'input') return this.#state.jobs.has(jobId)
    return (this.#jobsOfKey.get(principal.name) ?? noJobs).has(jobId)
  }

  /** The connection parameters of each enabled input of the job that takes posted events. */
  *#restInputsOf(job: JobSettings): Iterable<Readonly<Record<string, unknown>>> {
    for (const step of job.pipeline) {
      if (!step.enabled || step.role !== 'input') continue
      const integration = this.#state.integrations.get(step.integrationId)
      if (integration !== undefined && this.#state.kinds.byId(integration.kind).takesPosts) yield integration.connection
    }
  }

  /** True where clients may post events to the job. */
  hasRestInput(job: JobSettings): boolean {
    for (const _ of this.#restInputsOf(job)) return true
    return false
  }

  /** The data type of the job's first input for posted events, or ''. */
  dataTypeOf(job: JobSettings): string {
    for (const connection of this.#restInputsOf(job)) return String(connection.data_type ?? '')
    return ''
  }

  /** Must be called after every change of a pipeline or an integration. */
  recompute(): void {
    this.#jobsOfKey = new Map()
    for (const job of this.#state.jobs.values()) {
      for (const connection of this.#restInputsOf(job)) {
        const name = connection.api_key
        // The forced deletion of a key leaves integrations without one.
        if (typeof name !== 'string') continue
        const jobs = this.#jobsOfKey.get(name)
        if (jobs === undefined) this.#jobsOfKey.set(name, new Set([job.id]))
        else jobs.add(job.id)
      }
    }
  }
}

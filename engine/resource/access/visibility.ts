/**
 * Which jobs a caller may see (S1), and what their inputs for posted events are.
 *
 * Owns: what is computed from the catalog for every request. Leaves out: the records (state.ts), whose a key is
 * (credentials.ts), refusing (server/).
 *
 * 1. An input key sees the jobs that have an enabled input step whose integration is bound to it; everybody else all.
 */
import type { JobSettings } from '../../domain/job/job.js'
import type { ResourceState } from '../state.js'
import type { Principal } from '../../api/principal.js'

const nothing: ReadonlySet<number> = new Set()

export class Access {
  readonly #state: ResourceState
  #seen = new Map<string, Set<number>>()

  constructor(state: ResourceState) {
    this.#state = state
    this.bindingsChanged()
  }

  /** True where the principal may see the job; false as well for a job that does not exist. */
  canSee(principal: Principal, jobId: number): boolean {
    if (principal.kind !== 'input') return this.#state.jobs.has(jobId)
    return (this.#seen.get(principal.name) ?? nothing).has(jobId)
  }

  /** The connection behind each enabled input of the job that takes posted events. */
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

  /** The data type that the job's first input for posted events declares, or ''. */
  dataTypeOf(job: JobSettings): string {
    for (const connection of this.#restInputsOf(job)) return String(connection.data_type ?? '')
    return ''
  }

  /** To be called after every change of a job's pipeline or of an integration. */
  bindingsChanged(): void {
    this.#seen = new Map()
    for (const job of this.#state.jobs.values()) {
      for (const connection of this.#restInputsOf(job)) {
        const name = connection.api_key
        // A key that was deleted by force left its integrations without one.
        if (typeof name !== 'string') continue
        const jobs = this.#seen.get(name)
        if (jobs === undefined) this.#seen.set(name, new Set([job.id]))
        else jobs.add(job.id)
      }
    }
  }
}

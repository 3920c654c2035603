/**
 * Which jobs a caller may see (S1), and which take the events that a caller posts.
 *
 * Owns: both for each input key, computed after each change. Leaves out: the records (state.ts), the owner of a key
 * (credentials.ts), refusals (engine.ts).
 *
 * 1. An input key sees the jobs with an input step whose integration uses that key, enabled or not. All other callers
 *    see all jobs.
 * 2. A disabled input takes no events, whoever posts them. An input key posts to the jobs with an enabled input that is
 *    bound to it. All others post to jobs with an enabled input, and to jobs that have none at all.
 */
import type { JobSettings } from '../../domain/job/job.js'
import type { Principal } from '../../api/principal.js'
import type { ResourceState } from '../state.js'

type JobsOfKeys = Map<string, Set<number>>

/** An input of a job that takes posted events. */
interface RestInput {
  readonly enabled: boolean
  readonly connection: Readonly<Record<string, unknown>>
}

const noJobs: ReadonlySet<number> = new Set()

export class Visibility {
  readonly #state: ResourceState
  /** Ids of jobs by the name of an input key: those with an input bound to it, and those where it is enabled. */
  #seenByKey: JobsOfKeys = new Map()
  #openToKey: JobsOfKeys = new Map()
  /** Ids of jobs whose inputs are all disabled. */
  #closed = new Set<number>()

  constructor(state: ResourceState) {
    this.#state = state
    this.recompute()
  }

  /** True where the principal may see the job; false for a job that does not exist. */
  canSee(principal: Principal, jobId: number): boolean {
    if (principal.kind !== 'input') return this.#state.jobs.has(jobId)
    return (this.#seenByKey.get(principal.name) ?? noJobs).has(jobId)
  }

  /** True where the job takes events from the principal, who sees it. */
  canPost(principal: Principal, jobId: number): boolean {
    if (principal.kind !== 'input') return !this.#closed.has(jobId)
    return (this.#openToKey.get(principal.name) ?? noJobs).has(jobId)
  }

  *#restInputsOf(job: JobSettings): Iterable<RestInput> {
    for (const { enabled, role, integrationId } of job.pipeline) {
      if (role !== 'input') continue
      const integration = this.#state.integrations.get(integrationId)
      if (integration !== undefined && this.#state.kinds.byId(integration.kind).takesPosts)
        yield { enabled, connection: integration.connection }
    }
  }

  /** True where clients may post events to the job. */
  hasRestInput(job: JobSettings): boolean {
    for (const { enabled } of this.#restInputsOf(job)) if (enabled) return true
    return false
  }

  /** The data type of the job's first input for posted events, an enabled one if it has one; or ''. */
  dataTypeOf(job: JobSettings): string {
    const inputs = [...this.#restInputsOf(job)]
    const input = inputs.find(({ enabled }) => enabled) ?? inputs[0]
    return String(input?.connection.data_type ?? '')
  }

  /** Must be called after every change of a pipeline or an integration. */
  recompute(): void {
    this.#seenByKey = new Map()
    this.#openToKey = new Map()
    this.#closed = new Set()
    for (const job of this.#state.jobs.values()) {
      const posted = [...this.#restInputsOf(job)]
      for (const { enabled, connection } of posted) {
        // The forced deletion of a key leaves integrations without one.
        if (typeof connection.api_key !== 'string') continue
        addTo(this.#seenByKey, connection.api_key, job.id)
        if (enabled) addTo(this.#openToKey, connection.api_key, job.id)
      }
      const inputs = posted.length > 0 ? posted : job.pipeline.filter(({ role }) => role === 'input')
      if (inputs.length > 0 && inputs.every(({ enabled }) => !enabled)) this.#closed.add(job.id)
    }
  }
}

function addTo(keys: JobsOfKeys, name: string, jobId: number): void {
  const jobs = keys.get(name)
  if (jobs === undefined) keys.set(name, new Set([jobId]))
  else jobs.add(jobId)
}

/**
 * Queries about stored events, on the main thread: which jobs they cover, and how long they may take.
 *
 * Owns: which jobs a principal may query (S1). Leaves out: the answers (run-query.ts), the way to a reader thread and
 * back (reader-tasks.ts).
 *
 * 1. A query sees the jobs that its principal may see, and no others.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { EventsQuery, JobSelection, QueriesService, SearchQuery } from '../../api/query-service.js'
import type { QueriedJob, EventQuery } from './query-protocol.js'
import { ReaderTasks, type ReaderTasksDeps } from '../readers/reader-tasks.js'
import type { Principal } from '../../api/principal.js'
import { selectJobs, type JobSelector } from './selected-jobs.js'

export interface QueryDeps extends ReaderTasksDeps {
  readonly resources: JobSelector
}

export class Queries implements QueriesService {
  readonly #deps: QueryDeps
  readonly #tasks: ReaderTasks

  constructor(deps: QueryDeps) {
    this.#deps = deps
    this.#tasks = new ReaderTasks(deps)
  }

  events(principal: Principal, query: EventsQuery, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, query, { kind: 'events', query }, gone)
  }

  search(principal: Principal, query: SearchQuery, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, query, { kind: 'search', query }, gone)
  }

  fields(principal: Principal, jobs: JobSelection, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, jobs, { kind: 'fields' }, gone)
  }

  fieldTypes(principal: Principal, jobs: JobSelection, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, jobs, { kind: 'fieldTypes' }, gone)
  }

  /** Gives up running queries, and refuses new ones. */
  close(): void {
    this.#tasks.close()
  }

  async #ask(
    principal: Principal,
    selection: JobSelection,
    query: EventQuery,
    gone: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    this.#tasks.mustBeOpen()
    const jobs = this.#select(principal, selection)
    const { json } = await this.#tasks.ask('storedEvents', { jobs, query }, limits.queryMsMax, gone)
    return json
  }

  #select(principal: Principal, selection: JobSelection): QueriedJob[] {
    const jobs = selectJobs(this.#deps.resources, principal, selection)
    if (jobs.length <= limits.queryJobsMax) return jobs
    throw new Refusal('query_too_large', `a query covers at most ${limits.queryJobsMax} jobs; name them`)
  }
}

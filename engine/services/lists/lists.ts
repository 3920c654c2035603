/** Lists of events and facets, on the main thread: which jobs they cover, and the way to the list thread and back. */
import { limits } from '../../limits.js'
import { Refusal } from '../../errors.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { FacetQuery, ListQuery, ListSelection, ListsService } from '../../api/live/list-service.js'
import type { Principal } from '../../api/principal.js'
import { queriedJob, selectJobs, type JobSelector } from '../query/selected-jobs.js'
import { ReaderTasks, type ReaderTasksDeps } from '../readers/reader-tasks.js'
import type { ListRequest } from './list-protocol.js'
import type { EventVoteRef, OwnVote } from './run-refs.js'

export interface ListsDeps extends ReaderTasksDeps {
  readonly resources: JobSelector
}

export class Lists implements ListsService {
  readonly #deps: ListsDeps
  readonly #tasks: ReaderTasks

  constructor(deps: ListsDeps) {
    this.#deps = deps
    this.#tasks = new ReaderTasks(deps)
  }

  events(principal: Principal, query: ListQuery, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, query, { kind: 'events', query }, gone)
  }

  facets(principal: Principal, query: FacetQuery, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, query, { kind: 'facets', query }, gone)
  }

  /** The next events of one job that match, and an analyst's votes on them. */
  async refs(
    job: JobSettings,
    query: ListQuery,
    analyst: string,
  ): Promise<{ refs: readonly EventVoteRef[]; next: string | null }> {
    return (await this.#ofJob(job, { kind: 'refs', query, analyst })) as { refs: EventVoteRef[]; next: string | null }
  }

  /** An analyst's votes on events. */
  async ownVotes(job: JobSettings, analyst: string, times: readonly number[]): Promise<readonly OwnVote[]> {
    return (await this.#ofJob(job, { kind: 'ownVotes', analyst, times })) as OwnVote[]
  }

  async #ofJob(job: JobSettings, request: ListRequest): Promise<unknown> {
    const { json } = await this.#tasks.ask('list', { jobs: [queriedJob(job)], request }, limits.queryMsMax)
    return JSON.parse(Buffer.from(json).toString('utf8'))
  }

  /** Gives up what runs, and refuses what comes. */
  close(): void {
    this.#tasks.close()
  }

  async #ask(
    principal: Principal,
    selection: ListSelection,
    request: ListRequest,
    gone: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    this.#tasks.mustBeOpen()
    const jobs = selectJobs(this.#deps.resources, principal, selection)
    if (jobs.length > limits.listJobsMax)
      throw new Refusal('query_too_large', `a list is about ${limits.listJobsMax} jobs at most; name them`)
    const { json } = await this.#tasks.ask('list', { jobs, request }, limits.queryMsMax, gone)
    return json
  }
}

/** Which jobs a query is about: those that it names, or all that its principal may see (S1). */
import { Refusal } from '../../errors.js'
import type { JobSettings } from '../../domain/job/job.js'
import { typesOf } from '../../domain/job/job-points.js'
import type { Principal } from '../../api/principal.js'
import type { JobSelection } from '../../api/query-service.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { QueriedJob } from './query-protocol.js'

export type JobSelector = Pick<ResourceStore, 'job' | 'jobByTitle' | 'jobs' | 'canSee'>

/** @throws Refusal job_not_found. */
export function selectJobs(
  resources: JobSelector,
  principal: Principal,
  { jobIds, jobTitles }: JobSelection,
): QueriedJob[] {
  const visible = (job: JobSettings | undefined): JobSettings => {
    if (job === undefined || !resources.canSee(principal, job.id)) throw new Refusal('job_not_found', 'job not found')
    return job
  }
  const chosen =
    jobIds === undefined && jobTitles === undefined
      ? [...resources.jobs()].filter(({ id }) => resources.canSee(principal, id))
      : [
          ...(jobIds ?? []).map((id) => visible(resources.job(id))),
          ...(jobTitles ?? []).map((title) => visible(resources.jobByTitle(title))),
        ]
  return [...new Map(chosen.map((job) => [job.id, queriedJob(job)])).values()]
}

export function queriedJob(job: JobSettings): QueriedJob {
  const { id, shard, title, labels, decisionPoints, category, pipeline } = job
  const processors = pipeline.filter(({ role }) => role === 'processor')
  const advancedSettings = { strict_types: typesOf(job) === 'strict' }
  return { id, shard, title, labels, decisionPoints, category, pipeline: processors, advancedSettings }
}

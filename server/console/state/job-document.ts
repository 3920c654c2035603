/** Reading and changing the document of a job. */
import type { WarningBody } from '../../client/index.js'
import { api } from './api.js'
import type { JobChange, JobDocument } from './job-shapes.js'
import { t } from '../texts.js'
import { loadJobs, reloadColors, type ShownJob } from './jobs.js'

export type { JobChange, JobDocument }

/** @throws where the job is not there. */
export async function readDocument(jobId: number, signal?: AbortSignal): Promise<JobDocument> {
  const options = signal === undefined ? {} : { signal }
  const [found] = await api.listResources({ resource_type: 'job', id: String(jobId) }, options)
  const [one] = Object.values(found ?? {}) as { readonly properties: JobDocument }[]
  if (one === undefined) throw new Error(t('job.gone'))
  return one.properties
}

/**
 * Saves a change. The jobs that pages show are read again. A title is what finds a job, and a colleague may have
 * changed it or deleted the job since this page was opened: what is saved must not make another one.
 */
export async function saveDocument(of: ShownJob, change: JobChange): Promise<readonly WarningBody[]> {
  const { title } = await readDocument(of.job_id)
  const isRenamed = change.title !== undefined && change.title !== title
  const names = isRenamed ? { renamed_from: title } : {}
  const { warnings } = await api.applyResources({
    body: { resources: { job: { type: 'job', properties: { title, ...change, ...names } } } },
  })
  reloadColors()
  await loadJobs()
  return warnings
}

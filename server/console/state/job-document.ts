/** Reading and changing the document of a job. */
import type { WarningBody } from '../../client/index.js'
import { api } from './api.js'
import type { JobChange, JobDocument } from './job-shapes.js'
import { loadJobs, reloadColors, type ShownJob } from './jobs.js'

export type { JobChange, JobDocument }

export async function readDocument(jobId: number, signal: AbortSignal): Promise<JobDocument> {
  const [found] = await api.listResources({ resource_type: 'job', id: String(jobId) }, { signal })
  const { properties } = Object.values(found ?? {})[0] as { readonly properties: JobDocument }
  return properties
}

/** Saves a change. The jobs that pages show are read again. */
export async function saveDocument(of: ShownJob, change: JobChange): Promise<readonly WarningBody[]> {
  const { warnings } = await api.applyResources({
    body: { resources: { job: { type: 'job', properties: { title: of.title, ...change } } } },
  })
  reloadColors()
  await loadJobs()
  return warnings
}

/** The document of a job: what people may change of it, and saving a change. */
import type { JobSettings, PipelineStep, WarningBody } from '../../client/index.js'
import { api } from './api.js'
import { loadJobs, reloadColors, type ShownJob } from './jobs.js'

export interface JobDocument {
  readonly title: string
  readonly description: string
  readonly category: string
  readonly decision_points: readonly string[]
  readonly feedback_columns: readonly string[]
  readonly advanced_settings: JobSettings
  readonly pipeline_integrations: readonly PipelineStep[]
}

/** What a change sets; what it leaves out stays. */
export interface JobChange {
  readonly description?: string
  readonly decision_points?: string[]
  readonly feedback_columns?: string[]
  readonly advanced_settings?: JobSettings
  readonly pipeline_integrations?: PipelineStep[]
  readonly remove_missing_pipeline_integrations?: boolean
}

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

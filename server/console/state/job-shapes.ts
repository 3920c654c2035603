/** The document of a job, as far as people may change it, and a change of it. */
import type { JobSettings, PipelineStep } from '../../client/index.js'

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
  /** Another name. Id, events and votes stay. */
  readonly title?: string
  readonly description?: string
  readonly decision_points?: string[]
  readonly feedback_columns?: string[]
  readonly advanced_settings?: JobSettings
  readonly pipeline_integrations?: PipelineStep[]
  readonly remove_missing_pipeline_integrations?: boolean
}

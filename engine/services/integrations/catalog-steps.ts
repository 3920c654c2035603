/** Inputs and deliveries as the catalog has them, before they are opened. */
import { bringsIn, takesOut, type JobSettings, type PipelineStep } from '../../domain/job/job.js'
import { stepKey, type StepId } from '../../integration/delivery/ledger.js'
import { decodeRecord, idKey, type IntegrationRecord } from '../../resource/records.js'
import type { Environment } from '../../store/environment.js'

export interface CatalogStep {
  readonly job: JobSettings
  readonly step: PipelineStep
  readonly integration: IntegrationRecord
}

/** The inputs and deliveries of the job in a row of the catalog. */
export function stepsOf(catalog: Environment, row: Uint8Array): CatalogStep[] {
  const job = decodeRecord<JobSettings>('jobs', row)
  return job.pipeline
    .filter((step) => takesOut(step) || bringsIn(step))
    .flatMap((step) => {
      const found = catalog.get('integrations', idKey(step.integrationId))
      if (found === undefined) return []
      return [{ job, step, integration: decodeRecord<IntegrationRecord>('integrations', found) }]
    })
}

export function idOf({ job, step }: CatalogStep): StepId {
  return { jobId: job.id, integrationId: step.integrationId, role: step.role }
}

export function nameOf(step: StepId): string {
  return stepKey(step).toString('hex')
}

/** Everything that a step is opened with, as text: a step whose signature has changed is opened again. */
export function signatureOf({ job, step, integration }: CatalogStep): string {
  const status = bringsIn(step) ? job.status : ''
  return JSON.stringify([
    job.title,
    job.labels,
    job.decisionPoints,
    job.advancedSettings.time_zone,
    step.parameters,
    step.outsideSince,
    status,
    integration,
  ])
}

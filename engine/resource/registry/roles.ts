/** What each role of an integration in a pipeline is for (CONTRACT.md#resources). */
import type { IntegrationRole } from '../../domain/job/job.js'

export interface RoleDetails {
  readonly name: string
  readonly description: string
}

export const roleDetails: Readonly<Record<IntegrationRole, RoleDetails>> = {
  input: { name: 'Input', description: 'Where the events of the job come from.' },
  processor: { name: 'Processor', description: 'Groups events and decides; added with the category of the job.' },
  output: { name: 'Output', description: 'Where events and their decisions are kept.' },
  enrichment: {
    name: 'Enrichment',
    description: 'Adds to an event what is known elsewhere, as enrichment.<name>.<field>, before it is decided.',
  },
  case_creation: { name: 'Case creation', description: 'Opens a case for an event elsewhere.' },
  post_decision: { name: 'Post decision', description: 'Acts on an event once it is decided.' },
}

/**
 * The kinds of integrations without code of their own. Documents are checked against these entries (plan.ts), and
 * schemas and metadata are generated from them (integration-metadata.ts).
 */
import type { JobCategory } from '../../domain/job/job.js'
import { causeParameters, clusteringParameters } from './cause-parameters.js'
import { IntegrationRegistry, type IntegrationKind } from './integration-registry.js'
import type { ParameterSpec } from './parameters.js'
import { webhookParameters } from './webhook-parameters.js'

interface Processor {
  readonly id: string
  readonly name: string
  readonly category: JobCategory
  readonly description: string
  readonly parameters?: readonly ParameterSpec[]
}

function processor({ id, name, category, description, parameters = [] }: Processor): IntegrationKind {
  const roles = [{ role: 'processor', parameters }] as const
  return { id, name, description, builtIn: true, takesPosts: false, connection: [], roles, addedTo: [category] }
}

const internalStorage: IntegrationKind = {
  id: 'internal_storage',
  name: 'Internal storage',
  description: 'Keeps events and their decisions in the service.',
  builtIn: true,
  takesPosts: false,
  connection: [],
  roles: [{ role: 'output', parameters: [] }],
  addedTo: [],
}

const externalRestApi: IntegrationKind = {
  id: 'external_rest_api',
  name: 'External REST API',
  description: 'Accepts events that clients post to the input operations, and webhooks of other products.',
  builtIn: false,
  takesPosts: true,
  connection: [
    {
      name: 'api_key',
      type: 'api_key',
      required: true,
      description: "The key with which clients send events, as {{api_keys(name='<name>')}}.",
    },
    { name: 'data_type', type: 'string', required: true, description: 'The kind of data in the events.' },
    ...webhookParameters,
  ],
  roles: [
    {
      role: 'input',
      parameters: [
        { name: 'exposed_rest_api_job_tag', type: 'string', required: false, description: 'A tag for the job.' },
        {
          name: 'max_batch_size',
          type: 'number',
          required: false,
          minimum: 1,
          description: 'The largest number of events that a client should send at once.',
        },
      ],
    },
  ],
  addedTo: [],
}

export const builtInKinds = new IntegrationRegistry([
  internalStorage,
  processor({
    id: 'decision_processor',
    name: 'Decision processor',
    category: 'Decision intelligence',
    description: 'Groups alerts with equal values at the decision points, and decides on each group.',
  }),
  processor({
    id: 'event_processor',
    name: 'Event processor',
    category: 'Event centric decision intelligence',
    description: 'Decides on each alert separately.',
  }),
  processor({
    id: 'clustering_processor',
    name: 'Clustering processor',
    category: 'Automated root cause analysis',
    description: 'Clusters alerts by a set of fields.',
    parameters: clusteringParameters,
  }),
  processor({
    id: 'root_cause_processor',
    name: 'Root cause processor',
    category: 'Automated root cause analysis',
    description: 'Splits the alerts of a cluster into root cause and symptoms.',
    parameters: causeParameters,
  }),
  externalRestApi,
])

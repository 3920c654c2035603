/**
 * The catalogue of integrations: the kinds that this service has, as data. The one source of what documents are checked
 * against (plan.ts), and of the schemas and the metadata that are published (integration-metadata.ts).
 *
 * A kind stands here when it works, and not before.
 */
import type { JobCategory } from '../../domain/job/job.js'
import { causeParameters, clusteringParameters } from './cause-parameters.js'
import { IntegrationRegistry, type IntegrationKind } from './integration-registry.js'
import type { ParameterSpec } from './parameters.js'

function processor(
  id: string,
  name: string,
  category: JobCategory,
  description: string,
  parameters: readonly ParameterSpec[] = [],
): IntegrationKind {
  const roles = [{ role: 'processor', parameters }] as const
  return { id, name, description, builtIn: true, takesPosts: false, connection: [], roles, addedTo: [category] }
}

const internalStorage: IntegrationKind = {
  id: 'internal_storage',
  name: 'Internal storage',
  description: 'Keeps events and their decisions in the service itself.',
  builtIn: true,
  takesPosts: false,
  connection: [],
  roles: [{ role: 'output', parameters: [] }],
  addedTo: [],
}

const externalRestApi: IntegrationKind = {
  id: 'external_rest_api',
  name: 'External REST API',
  description: 'Accepts the events that clients send to the input operations.',
  builtIn: false,
  takesPosts: true,
  connection: [
    {
      name: 'api_key',
      type: 'api_key',
      required: true,
      description: "The key that clients send events with, as {{api_keys(name='<name>')}}.",
    },
    { name: 'data_type', type: 'string', required: true, description: 'What kind of data the events are.' },
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
          description: 'The most events that a client should send at once.',
        },
      ],
    },
  ],
  addedTo: [],
}

export const builtInKinds = new IntegrationRegistry([
  internalStorage,
  processor(
    'decision_processor',
    'Decision processor',
    'Decision intelligence',
    'Groups alerts that share their decision points and decides on each group.',
  ),
  processor(
    'event_processor',
    'Event processor',
    'Event centric decision intelligence',
    'Decides on each alert by itself.',
  ),
  processor(
    'clustering_processor',
    'Clustering processor',
    'Automated root cause analysis',
    'Clusters alerts by a set of fields.',
    clusteringParameters,
  ),
  processor(
    'root_cause_processor',
    'Root cause processor',
    'Automated root cause analysis',
    'Splits the alerts of a cluster into root cause and symptoms.',
    causeParameters,
  ),
  externalRestApi,
])

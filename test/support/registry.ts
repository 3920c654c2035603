/**
 * An integration registry with one more kind: several roles, parameters of every sort, secrets in the connection and in
 * a role.
 */
import { builtInKinds } from '../../engine/resource/registry/registry-entries.js'
import { IntegrationRegistry, type IntegrationKind } from '../../engine/resource/registry/integration-registry.js'

const searchEngine: IntegrationKind = {
  id: 'search_engine',
  name: 'Search engine',
  description: 'Keeps documents elsewhere.',
  builtIn: false,
  takesPosts: false,
  connection: [
    { name: 'hosts', type: 'string', required: true, description: 'Names of its hosts.' },
    { name: 'port', type: 'number', required: true, minimum: 1, description: 'Its port.' },
    { name: 'user', type: 'string', required: true, description: 'Its user.' },
    { name: 'password', type: 'string', required: true, secret: true, description: "The user's password." },
    { name: 'schema', type: 'string', required: true, allowed: ['http', 'https'], description: 'The protocol.' },
  ],
  roles: [
    {
      role: 'input',
      parameters: [
        { name: 'index_pattern', type: 'string', required: true, description: 'Which documents.' },
        { name: 'preserve_id', type: 'boolean', required: true, description: 'Keeps their ids.' },
        { name: 'datetime', type: 'string', required: false, default: '@timestamp', description: 'Their date.' },
        { name: 'token', type: 'string', required: false, secret: true, description: 'One more secret.' },
      ],
    },
    { role: 'output', parameters: [] },
    { role: 'enrichment', parameters: [] },
  ],
  addedTo: [],
}

export const kindsForTests = new IntegrationRegistry([...builtInKinds.all, searchEngine])

export const searchSecrets = ['s3cret-of-the-connection', 's3cret-of-the-step']

/** An integration of that kind. */
export function search(title: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const parameters = { hosts: 'a,b', port: 9200, user: 'u', password: searchSecrets[0], schema: 'https', ...more }
  return { type: 'integration', properties: { title, integration_type: 'Search engine', parameters } }
}

/** Its steps in every role. */
export function searchSteps(resource: string): Record<string, unknown>[] {
  const parameters = { index_pattern: 'alerts-*', preserve_id: true, token: searchSecrets[1] }
  return [
    { resource, integration_type: 'input', parameters },
    { resource, integration_type: 'output', enabled: false },
    { resource, integration_type: 'enrichment', parameters: {} },
  ]
}

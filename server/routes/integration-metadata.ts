/** Metadata of integration types and job categories (C2.10, C3.9). */
import { operation, type Route } from '../http/route.js'
import {
  IntegrationList,
  IntegrationMetadata,
  JobMetadata,
  JobMetadataQuery,
  MetadataQuery,
  ParameterSchemas,
  SchemaQuery,
} from '../schemas/integration-metadata.js'

const tag = 'Resources'

const schema = operation({
  method: 'GET',
  path: '/api/v2/resources/integration/parameters/schema',
  operationId: 'getIntegrationParameterSchema',
  tag,
  summary: 'Get the parameters of integrations as JSON Schema',
  description: 'The connection parameters. With `role`: the parameters of a pipeline step in that role.',
  scope: 'read:resources',
  query: SchemaQuery,
  responses: { 200: { description: 'A schema for each integration type.', schema: ParameterSchemas } },
  handle: ({ app, query: { type, integration_type, role } }) =>
    app.service.integrationMetadata.parameterSchema({ type: type ?? integration_type, role }),
})

const integrationMetadata = operation({
  method: 'GET',
  path: '/api/v2/resources/integration/metadata',
  operationId: 'getIntegrationMetadata',
  tag,
  summary: 'List integration types with their roles and parameters',
  description: 'With `type`: that type in full. Otherwise: all types, abridged.',
  scope: 'read:resources',
  query: MetadataQuery,
  responses: { 200: { description: 'Integration types, or one of them.', schema: IntegrationMetadata } },
  handle: ({ app, query }) => app.service.integrationMetadata.integrationMetadata(query),
})

const jobMetadata = operation({
  method: 'GET',
  path: '/api/v2/resources/job/metadata',
  operationId: 'getJobMetadata',
  tag,
  summary: 'List job categories and their parameters',
  description: 'With `category`: that category in full. Otherwise: all categories, abridged.',
  scope: 'read:resources',
  query: JobMetadataQuery,
  responses: { 200: { description: 'Job categories, or one of them.', schema: JobMetadata } },
  handle: ({ app, query }) => app.service.integrationMetadata.jobMetadata(query.category, query.field_mappings),
})

const integrations = operation({
  method: 'GET',
  path: '/api/v2/integrations',
  operationId: 'listIntegrations',
  tag,
  summary: 'List integrations',
  scope: 'read:resources',
  responses: { 200: { description: 'Integrations, as in the list of resources.', schema: IntegrationList } },
  handle: ({ app }) => app.service.listResources({ type: 'integration' }),
})

export const integrationMetadataRoutes: readonly Route[] = [schema, integrationMetadata, jobMetadata, integrations]

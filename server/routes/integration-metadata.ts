/** What can be set up (C2.10, C3.9). */
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
  summary: 'Parameters of integrations as JSON Schema',
  description: 'Connection parameters; with a role, the parameters in that role within a job.',
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
  summary: 'Kinds of integrations, their roles and parameters',
  description: 'With a type that one in full, otherwise all in short.',
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
  summary: 'Categories of jobs and their parameters',
  description: 'With a category that one in full, otherwise all in short.',
  scope: 'read:resources',
  query: JobMetadataQuery,
  responses: { 200: { description: 'Job categories, or one of them.', schema: JobMetadata } },
  handle: ({ app, query }) => app.service.integrationMetadata.jobMetadata(query.category),
})

const integrations = operation({
  method: 'GET',
  path: '/api/v2/integrations',
  operationId: 'listIntegrations',
  tag,
  summary: 'List integrations',
  scope: 'read:resources',
  responses: { 200: { description: 'As the list of resources has them.', schema: IntegrationList } },
  handle: ({ app }) => app.service.listResources({ type: 'integration' }),
})

export const integrationMetadataRoutes: readonly Route[] = [schema, integrationMetadata, jobMetadata, integrations]

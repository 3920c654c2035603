/** Integration types and job categories: what can be set up, and with which parameters. */
import { Type } from 'typebox'
import { integrationRoles } from '../../engine/index.js'

const AnySchema = Type.Object({}, { additionalProperties: true, description: 'A JSON Schema.' })
const Role = Type.Enum(integrationRoles)

/** Clients send the type under either name (C3.9). */
const kindQuery = {
  type: Type.Optional(Type.String({ description: 'Integration type, by name or id.' })),
  role: Type.Optional({ ...Role, description: 'A role that the integration type can have.' }),
}

export const MetadataQuery = Type.Object(kindQuery)

export const SchemaQuery = Type.Object({
  ...kindQuery,
  integration_type: Type.Optional(Type.String({ description: 'Another name of `type`.' })),
})

export const JobMetadataQuery = Type.Object({
  category: Type.Optional(Type.String({ description: 'Job category, by name or id.' })),
  field_mappings: Type.Optional(
    Type.Boolean({ description: 'With `category`: the answer also has `field_mappings`. Default false.' }),
  ),
})

export const ParameterSchemas = Type.Object({
  type: Type.Literal('object'),
  properties: Type.Record(Type.String(), AnySchema, { description: 'Parameters of each integration type.' }),
})

export const IntegrationKind = Type.Object({
  id: Type.String({ description: 'The `subcategory_id` of listed integrations.' }),
  name: Type.String({ description: 'The `integration_type` of an integration resource.' }),
  description: Type.String(),
  creatable: Type.Boolean({ description: 'False for a built-in integration.' }),
  roles: Type.Array(Role),
  roles_details: Type.Array(Type.Object({ id: Role, name: Type.String(), description: Type.String() })),
  pipeline_role_identifiers: Type.Array(Role, { description: 'The values of `integration_type` in a pipeline step.' }),
})

export const IntegrationKindInFull = Type.Object({
  ...IntegrationKind.properties,
  connection_parameters: AnySchema,
  pipeline_parameters: Type.Record(Type.String(), AnySchema, { description: 'Parameters for each role.' }),
})

export const IntegrationMetadata = Type.Union([
  Type.Object({ integration_types: Type.Array(IntegrationKind) }),
  IntegrationKindInFull,
])

export const JobCategory = Type.Object({ id: Type.String(), name: Type.String(), description: Type.String() })

export const FieldMeaning = Type.Object({ path: Type.String(), meaning: Type.String() })

const Fields = Type.Array(FieldMeaning)
const FieldName = Type.Union([Type.String(), Type.Null()])

export const FieldMapping = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  documentation: Type.String({ description: 'Address of the documentation of these fields.' }),
  time_field: FieldName,
  title_field: FieldName,
  severity_field: FieldName,
  suggested_decision_points: Fields,
  fields_to_avoid: Fields,
})

export const JobCategoryInFull = Type.Object({
  ...JobCategory.properties,
  parameters: Type.Record(
    Type.String(),
    Type.Object({ type: Type.String(), required: Type.Boolean(), description: Type.String() }),
    { description: 'The `properties` of such a job by name.' },
  ),
  parameters_schema: { ...AnySchema, description: 'The same as a JSON Schema, with all their parts.' },
  processors: Type.Array(JobCategory, { description: 'Added to the pipelines of such jobs automatically.' }),
  field_mappings: Type.Optional(
    Type.Array(FieldMapping, {
      description: 'Well-known event formats, with fields that make good decision points. Only if the query asks.',
    }),
  ),
})

export const JobMetadata = Type.Union([Type.Object({ job_categories: Type.Array(JobCategory) }), JobCategoryInFull])

export const IntegrationList = Type.Array(
  Type.Object(
    { id: Type.Integer(), title: Type.String(), subcategory_id: Type.String() },
    { additionalProperties: true },
  ),
)

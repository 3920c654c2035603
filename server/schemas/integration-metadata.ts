/** What can be set up: kinds of integrations and categories of jobs, as the catalogue of the engine describes them. */
import { Type } from 'typebox'
import { integrationRoles } from '../../engine/index.js'

const AnySchema = Type.Object({}, { additionalProperties: true, description: 'A JSON Schema.' })
const Role = Type.Enum(integrationRoles)

/** The type arrives under both names (C3.9). */
const kindQuery = {
  type: Type.Optional(Type.String({ description: 'An integration type, by name or id.' })),
  role: Type.Optional({ ...Role, description: 'A role that an integration of the type can have.' }),
}

export const MetadataQuery = Type.Object(kindQuery)

export const SchemaQuery = Type.Object({
  ...kindQuery,
  integration_type: Type.Optional(Type.String({ description: 'The same as type.' })),
})

export const JobMetadataQuery = Type.Object({
  category: Type.Optional(Type.String({ description: 'A job category, by name or id.' })),
})

export const ParameterSchemas = Type.Object({
  type: Type.Literal('object'),
  properties: Type.Record(Type.String(), AnySchema, { description: 'Parameters by integration type.' }),
})

export const IntegrationKind = Type.Object({
  id: Type.String({ description: 'What a listed integration calls its subcategory_id.' }),
  name: Type.String({ description: 'What a resource calls its integration_type.' }),
  description: Type.String(),
  creatable: Type.Boolean({ description: 'False for what is there from the start.' }),
  roles: Type.Array(Role),
  roles_details: Type.Array(Type.Object({ id: Role, name: Type.String(), description: Type.String() })),
  pipeline_role_identifiers: Type.Array(Role, { description: 'What a step of a pipeline calls its integration_type.' }),
})

export const IntegrationKindInFull = Type.Object({
  ...IntegrationKind.properties,
  connection_parameters: AnySchema,
  pipeline_parameters: Type.Record(Type.String(), AnySchema, { description: 'By role.' }),
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
  documentation: Type.String({ description: 'Address of what the fields are from.' }),
  time_field: FieldName,
  title_field: FieldName,
  severity_field: FieldName,
  suggested_decision_points: Fields,
  fields_to_avoid: Fields,
})

export const JobCategoryInFull = Type.Object({
  ...JobCategory.properties,
  parameters: AnySchema,
  processors: Type.Array(JobCategory, { description: 'What is added to its pipelines by itself.' }),
  field_mappings: Type.Array(FieldMapping, {
    description: 'Well-known formats of events, with what makes good decision points in them.',
  }),
})

export const JobMetadata = Type.Union([Type.Object({ job_categories: Type.Array(JobCategory) }), JobCategoryInFull])

export const IntegrationList = Type.Array(
  Type.Object(
    { id: Type.Integer(), title: Type.String(), subcategory_id: Type.String() },
    { additionalProperties: true },
  ),
)

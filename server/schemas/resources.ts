/**
 * Resources as a person writes them. The engine checks a document (it knows the catalog, and says it in better words);
 * what is published here is the same in TypeBox.
 */
import { Type } from 'typebox'
import { integrationRoles } from '../../engine/index.js'
import { Name, nullable } from './common.js'

const dependsOn = {
  depends_on: Type.Optional(Type.Array(Type.String(), { description: 'Identifiers; inferred where absent.' })),
}
const Parameters = Type.Object({}, { additionalProperties: true })

export const ResourceType = Type.Enum(['api_key', 'integration', 'job'])

export const ApiKeyResource = Type.Object({
  type: Type.Literal('api_key'),
  properties: Type.Object({ name: Name }),
  ...dependsOn,
})

export const IntegrationResource = Type.Object({
  type: Type.Literal('integration'),
  properties: Type.Object({
    title: Name,
    integration_type: Type.Optional(Type.String({ description: 'For example External REST API.' })),
    parameters: Type.Optional(Parameters),
  }),
  ...dependsOn,
})

const Label = Type.Object({
  name: Name,
  hex_color: Type.Optional(
    Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'That of its place where absent.' }),
  ),
  id: Type.Optional(Name),
})

const Flag = Type.Optional(Type.Boolean())
const Kept = Type.Optional(
  Type.Union([Type.String(), Type.Number(), Type.Boolean()], { description: 'Kept as given.' }),
)

const AutoRetrain = Type.Object({
  enabled: Flag,
  cron: Type.Optional(Type.String({ description: 'Cron expression, UTC.' })),
  blockers: Type.Optional(
    Type.Object({
      outliers: Flag,
      consensus_flipping: Flag,
      low_confidence_score: Flag,
      undecided_consensus: Flag,
      consensus_low_score: Flag,
      consensus_changes: Flag,
    }),
  ),
})

const Monitor = Type.Object({
  name: Type.String(),
  active: Flag,
  interval_check: Type.Optional(Type.Union([Type.Number(), Type.String()])),
})

const MonitoringSettings = Type.Object(
  { throttling: Type.Optional(Type.Unknown()), monitors: Type.Optional(Type.Array(Monitor)) },
  {
    description:
      'Watchdogs of the job: each monitor that is named like a type of watchdogs or one of its conditions. Kept as given.',
  },
)

const Retention = Type.Object(
  { days: Type.Optional(Type.Integer({ minimum: 1 })), max_events: Type.Optional(Type.Integer({ minimum: 1 })) },
  {
    description:
      'Events that are older than so many days, or more than so many, are deleted; all are kept where absent.',
  },
)

const Objective = Type.Union(
  [Type.Enum(['accuracy', 'macro_f1']), Type.Object({ costs: Type.Array(Type.Array(Type.Number({ minimum: 0 }))) })],
  {
    description:
      'What answers are to be good at; macro_f1 where absent, accuracy for root cause analysis. Costs: a row for each label as truth, in it a number for each as answer.',
  },
)

const PipelineStep = Type.Object({
  resource: Type.String({
    description:
      "An identifier of this request, a title, or {{integrations(title='...')}}, {{integrations(internal_id=...)}}.",
  }),
  integration_type: Type.Optional(
    Type.Enum(integrationRoles, { description: 'The role; needed where the integration has several.' }),
  ),
  enabled: Flag,
  parameters: Type.Optional(Parameters),
  auto_id: Kept,
  storage_tag: Kept,
  storage_tag_display_name: Kept,
})

export const JobResource = Type.Object({
  type: Type.Literal('job'),
  properties: Type.Object({
    title: Name,
    description: Type.Optional(Type.String()),
    category: Type.Optional(
      Type.Enum(['Decision intelligence', 'Event centric decision intelligence', 'Automated root cause analysis']),
    ),
    decision_points: Type.Optional(Type.Array(Type.String(), { description: 'Dot paths.' })),
    features: Type.Optional(Type.Array(Type.String(), { description: 'An older name of decision_points.' })),
    advanced_settings: Type.Optional(
      Type.Object({
        custom_labels: Type.Optional(Type.Array(Label, { minItems: 3, maxItems: 3 })),
        auto_retrain: Type.Optional(AutoRetrain),
        monitoring_settings: Type.Optional(MonitoringSettings),
        outlier_false_alarm_rate: Type.Optional(
          Type.Number({
            minimum: 0.001,
            maximum: 0.2,
            description: 'The share of known events that may be called outliers; 0.02 where absent.',
          }),
        ),
        objective: Type.Optional(Objective),
        retention: Type.Optional(Retention),
      }),
    ),
    feedback_columns: Type.Optional(Type.Array(Type.String())),
    pipeline_integrations: Type.Optional(
      Type.Array(PipelineStep, { description: 'Empty leaves the pipeline of an existing job as it is.' }),
    ),
    remove_missing_pipeline_integrations: Type.Optional(Type.Boolean()),
  }),
  ...dependsOn,
})

export const ResourceMap = Type.Record(Type.String(), Type.Union([ApiKeyResource, IntegrationResource, JobResource]))

/** What GET answers with, element by element. Any type at each name, since a job's title may be one of them. */
export const ShownResource = Type.Object(
  {
    type: Type.Optional(
      Type.Unknown({ description: 'Of a key or an integration. A job is nested: by its title, {type, properties}.' }),
    ),
    id: Type.Optional(Type.Unknown({ description: 'Of a key or an integration.' })),
    title: Type.Optional(Type.Unknown({ description: 'Of a key or an integration.' })),
  },
  { additionalProperties: true },
)
const ShownResources = Type.Array(ShownResource)

/** The map of resources, bare or under `resources`; or what GET answered, posted back. */
export const ResourceDocument = Type.Union([
  Type.Object({ resources: Type.Union([ResourceMap, ShownResources]), overwrite: Type.Optional(Type.Boolean()) }),
  ResourceMap,
  ShownResources,
])

export const ApplyQuery = Type.Object({
  overwrite: Type.Optional(
    Type.Boolean({ description: 'False: an existing resource refuses the whole set. True where absent.' }),
  ),
})

/** A query that may not say both. */
export const ResourceQuery = Type.Object({
  resource_type: Type.Optional({ ...ResourceType, description: 'Resources of this type alone.' }),
  title: Type.Optional(Type.String({ description: 'The title, of a key its name; not together with id.' })),
  id: Type.Optional(Type.String({ description: 'The internal id; not together with title.' })),
})

export const DeleteQuery = Type.Object({
  ...ResourceQuery.properties,
  force: Type.Optional(
    Type.Boolean({ description: 'Deletes what others use, and takes it out of them. False where absent.' }),
  ),
})

export const ResourceRef = Type.Object({
  type: ResourceType,
  resource_name: Type.String({ description: 'The identifier that the request used.' }),
  title: Type.String(),
  internal_id: Type.Union([Type.String(), Type.Integer()]),
  url: Type.String({ description: 'Its page, at the address that the request was sent to.' }),
  value: Type.Optional(Type.String({ description: 'A new api key, shown this once.' })),
})

const RequestOutcome = Type.Object({
  status: Type.String(),
  reason: nullable(Type.String()),
  reason_details: nullable(Type.String()),
})

export const ApplyAnswer = Type.Object({
  request: RequestOutcome,
  created: Type.Array(ResourceRef),
  updated: Type.Array(ResourceRef),
})

export const DeleteAnswer = Type.Object({
  request: RequestOutcome,
  deleted: Type.Array(ResourceRef),
  updated: Type.Array(ResourceRef, { description: 'What used it and was forced to let go.' }),
})

export const ResourceList = Type.Array(ShownResource, {
  description: 'Jobs nested by title, integrations and keys flat. Without filters jobs are shown in short.',
})

/**
 * Resources as people write them. The engine validates a document: it knows the stored resources and explains faults
 * better. These schemas publish the same rules.
 */
import { Type } from 'typebox'
import { integrationRoles, modelBounds } from '../../engine/index.js'
import { Exact, Name, nullable, WarningBody } from './common.js'
import { Objective } from './models/objective.js'

const dependsOn = {
  depends_on: Type.Optional(
    Type.Array(Type.String(), { description: 'Identifiers of other resources; inferred by default.' }),
  ),
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
    integration_type: Type.Optional(Type.String({ description: 'For example `External REST API`.' })),
    parameters: Type.Optional(Parameters),
  }),
  ...dependsOn,
})

const Label = Type.Object({
  name: Name,
  hex_color: Type.Optional(
    Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Default: the color of its position.' }),
  ),
  id: Type.Optional(Name),
  role: Type.Optional(
    Type.Enum(['root_cause', 'symptom', 'irrelevant'], {
      description:
        'Root cause analysis: what the label means. Default: what its name says, else its position in the list.',
    }),
  ),
  unused: Type.Optional(
    Type.Boolean({ description: 'The job does not use this label, so nobody is told that it has no votes.' }),
  ),
})

const Flag = Type.Optional(Type.Boolean())
const Kept = Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()], { description: 'Kept as sent.' }))

const AutoRetrain = Type.Object({
  enabled: Flag,
  cron: Type.Optional(Type.String({ description: 'Cron expression, in the `time_zone` of the job.' })),
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
  reminder: Type.Optional(
    Type.Union([Type.Number(), Type.String()], {
      description: 'Seconds after which a monitor that still fires is told of again. Default: never.',
    }),
  ),
  working_hours_only: Flag,
})

const MonitoringSettings = Type.Object(
  {
    throttling: Type.Optional(Type.Unknown()),
    reminder: Type.Optional(Type.Unknown()),
    monitors: Type.Optional(Type.Array(Monitor)),
  },
  {
    description:
      'Watchdogs of the job. A monitor takes effect if its name is a watchdog type or one of its conditions. Kept as ' +
      'sent.',
  },
)

const Retention = Type.Object(
  { days: Type.Optional(Type.Integer({ minimum: 1 })), max_events: Type.Optional(Type.Integer({ minimum: 1 })) },
  {
    description:
      'Events older than `days` are deleted, and the oldest above `max_events`. By default all events are kept.',
  },
)

const PipelineStep = Type.Object({
  resource: Type.String({
    description:
      "An identifier in this request, a title, `{{integrations(title='...')}}` or `{{integrations(internal_id=...)}}`.",
  }),
  integration_type: Type.Optional(
    Type.Enum(integrationRoles, { description: 'The role; needed if the integration has several.' }),
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
    renamed_from: Type.Optional(
      Type.String({
        ...Name,
        description:
          'The title that the job has had. The job of that title gets the new one, and keeps its id, events, votes ' +
          'and models. Where the job has the new title already, it changes nothing.',
      }),
    ),
    id: Type.Optional(Type.Unknown({ description: 'As GET shows it. It chooses no job: the title does.' })),
    created_at: Type.Optional(Type.Unknown({ description: 'As GET shows it.' })),
    description: Type.Optional(Type.String()),
    category: Type.Optional(
      Type.Enum(['Decision intelligence', 'Event centric decision intelligence', 'Automated root cause analysis']),
    ),
    decision_points: Type.Optional(Type.Array(Type.String(), { description: 'Paths in the event, with dots.' })),
    features: Type.Optional(Type.Array(Type.String(), { description: 'An older name of `decision_points`.' })),
    advanced_settings: Type.Optional(
      Type.Object({
        custom_labels: Type.Optional(Type.Array(Label, { minItems: 3, maxItems: 3 })),
        rename_labels: Type.Optional(
          Type.Boolean({
            description:
              'Names may go from one label to another. Votes stay with the label, so they then read the other name. ' +
              'Without it such a document is refused (`label_moved`).',
          }),
        ),
        label_order: Type.Optional(
          Type.Array(Type.String(), {
            minItems: 3,
            maxItems: 3,
            description: 'The labels in the order of their keys and buttons, by name or id. Votes are not touched.',
          }),
        ),
        auto_retrain: Type.Optional(AutoRetrain),
        time_zone: Type.Optional(
          Type.String({
            description:
              'The zone of schedules, working hours and times in messages, such as `Europe/Berlin`. Default: ' +
              '`SERVICE_TIME_ZONE`. Times of the API stay in UTC.',
          }),
        ),
        time_field: Type.Optional(
          Type.String({
            description:
              'Path of the field that has the time of an event, such as `occurred.at`. Default: the first of ' +
              '`@timestamp`, `timestamp`, `ts`, `time` and further usual names that holds a time.',
          }),
        ),
        working_hours: Type.Optional(
          Type.String({
            description:
              'When people are there: spans of days and times, and days that are left out, such as ' +
              '`mon-thu 08:00-17:30, fri 08:00-15:00, not 2026-12-24`. Default: `SERVICE_WORKING_HOURS`.',
          }),
        ),
        monitoring_settings: Type.Optional(MonitoringSettings),
        outlier_false_alarm_rate: Type.Optional(
          Type.Number({
            minimum: 0.001,
            maximum: 0.2,
            description: 'Share of known events that may be called outliers; default 0.02.',
          }),
        ),
        objective: Type.Optional(Objective),
        champion_challenger: Type.Optional(
          Type.Boolean({ description: 'Scheduled trainings bring challengers, promoted where they are not worse.' }),
        ),
        models_kept: Type.Optional(
          Type.Integer({
            minimum: modelBounds.keptMin,
            maximum: modelBounds.keptMax,
            description: 'Models that are kept to decide again. Figures of older ones stay. Default: 20.',
          }),
        ),
        decide_untrained: Type.Optional(
          Type.Boolean({
            description:
              'Root cause analysis: the answer of the clusters is the decision while the job is untrained. Default: ' +
              'it is only a suggestion.',
          }),
        ),
        strict_types: Type.Optional(
          Type.Boolean({ description: 'A number and its text are two values at a decision point. Default: one.' }),
        ),
        weighted_consensus: Type.Optional(Type.Boolean({ description: 'Votes count by the reliability of analysts.' })),
        decide_stored_events: Type.Optional(
          Type.Boolean({ description: 'False: the first model decides no event that was stored before it.' }),
        ),
        retrain_after_erase: Type.Optional(Type.Boolean({ description: 'An erasure waits for another training.' })),
        retention: Type.Optional(Retention),
      }),
    ),
    feedback_columns: Type.Optional(Type.Array(Type.String())),
    pipeline_integrations: Type.Optional(
      Type.Array(PipelineStep, { description: 'An empty list leaves the pipeline of an existing job unchanged.' }),
    ),
    remove_missing_pipeline_integrations: Type.Optional(Type.Boolean()),
  }),
  ...dependsOn,
})

export const Resource = Type.Union([ApiKeyResource, IntegrationResource, JobResource])

export const ResourceMap = Type.Record(Type.String(), Resource)

/** One element of the answer to GET. Its fields may have any type: the title of a job may equal a field name. */
export const ShownResource = Type.Object(
  {
    type: Type.Optional(
      Type.Unknown({
        description: 'Of a key or an integration. A job is nested under its title, as `{type, properties}`.',
      }),
    ),
    id: Type.Optional(Type.Unknown({ description: 'Of a key or an integration.' })),
    title: Type.Optional(Type.Unknown({ description: 'Of a key or an integration.' })),
  },
  { additionalProperties: true },
)
const ShownResources = Type.Array(ShownResource)

/** A map of resources, bare or under `resources`; or an answer to GET, posted back. */
export const ResourceDocument = Type.Union([
  Type.Object({ resources: Type.Union([ResourceMap, ShownResources]), overwrite: Type.Optional(Type.Boolean()) }),
  ResourceMap,
  ShownResources,
])

export const ApplyQuery = Type.Object({
  overwrite: Type.Optional(
    Type.Boolean({ description: 'False: the request fails if a resource exists. Default true.' }),
  ),
})

/** `title` and `id` exclude each other. */
export const ResourceQuery = Exact({
  resource_type: Type.Optional({ ...ResourceType, description: 'Only resources of this type.' }),
  title: Type.Optional(Type.String({ description: 'The title, or the name of a key; not together with `id`.' })),
  id: Type.Optional(Type.String({ description: 'The internal id; not together with `title`.' })),
})

export const DeleteQuery = Exact({
  ...ResourceQuery.properties,
  force: Type.Optional(
    Type.Boolean({ description: 'Delete the resource even if others use it, and remove it from them. Default false.' }),
  ),
})

export const ResourceRef = Type.Object({
  type: ResourceType,
  resource_name: Type.String({ description: 'The identifier in the request.' }),
  title: Type.String(),
  internal_id: Type.Union([Type.String(), Type.Integer()]),
  url: Type.String({ description: 'Its page in the console, at the address of the request.' }),
  value: Type.Optional(Type.String({ description: 'A new API key; shown only once.' })),
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
  warnings: Type.Array(WarningBody, {
    description: 'Empty where there is nothing to say. Nothing was refused for them.',
  }),
})

export const DeleteAnswer = Type.Object({
  request: RequestOutcome,
  deleted: Type.Array(ResourceRef),
  updated: Type.Array(ResourceRef, { description: 'Resources that used it and were changed by force.' }),
})

export const ResourceList = Type.Array(ShownResource, {
  description:
    'Jobs are nested under their title; integrations and keys are flat. Without `title` or `id` jobs are ' +
    'abridged, to id, title, category, status, `decision_points`, and the labels with their order.',
})

/**
 * Resources as GET shows them (C3.8), with wire names.
 *
 * 1. The result is always a list, and empty where nothing is found.
 * 2. It holds no secrets: a key is shown by its name, an integration with a reference to its key.
 * 3. A shown resource can be posted back and changes nothing: pipelines name integrations by title, and what is not
 *    shown stays as it is.
 */
import { must } from '../assert.js'
import type { AutoRetrain, JobSettings, PipelineStep } from '../domain/job/job.js'
import { Refusal } from '../errors.js'
import type { ResourceQuery } from '../api/decision-service.js'
import type { Warning } from '../api/warning.js'
import type { ApiKeyRecord, IntegrationRecord } from './records.js'
import { writeReference } from './references.js'
import { withoutSecrets } from './registry/parameters.js'
import type { ResourceState } from './state.js'

function showKey(key: ApiKeyRecord): unknown {
  return { id: key.id, type: 'api_key', title: key.name, name: key.name, key_type: key.kind, created_at: key.createdAt }
}

function showIntegration(record: IntegrationRecord, state: ResourceState): unknown {
  const kind = state.kinds.byId(record.kind)
  const parameters = withoutSecrets(record.connection)
  for (const { name, type } of kind.connection) {
    const value = parameters[name]
    if (type === 'api_key' && typeof value === 'string') parameters[name] = writeReference('api_key', value)
  }
  return {
    id: record.id,
    type: 'integration',
    title: record.title,
    subcategory_id: kind.id,
    integration_type: kind.name,
    built_in: kind.builtIn,
    parameters,
    created_at: record.createdAt,
  }
}

function showAutoRetrain({ enabled, cron, blockers }: AutoRetrain): unknown {
  return {
    enabled,
    cron,
    blockers: {
      outliers: blockers.outliers,
      consensus_flipping: blockers.consensusFlipping,
      low_confidence_score: blockers.lowConfidenceScore,
      undecided_consensus: blockers.undecidedConsensus,
      consensus_low_score: blockers.consensusLowScore,
      consensus_changes: blockers.consensusChanges,
    },
  }
}

function showStep(step: PipelineStep, state: ResourceState): unknown {
  const integration = must(state.integrations.get(step.integrationId), `integration ${step.integrationId}`)
  return {
    resource: writeReference('integration', integration.title),
    integration_type: step.role,
    enabled: step.enabled,
    parameters: withoutSecrets(step.parameters),
    ...step.kept,
  }
}

type WarningsOf = (job: JobSettings) => readonly Warning[]

function showJob(job: JobSettings, state: ResourceState, warningsOf: WarningsOf | null): unknown {
  const { label_order: order } = job.advancedSettings
  const labels = {
    custom_labels: job.labels.map(({ id, name, hexColor, role, isUnused }) => {
      const more = { ...(role === undefined ? {} : { role }), ...(isUnused === true ? { unused: true } : {}) }
      return { name, hex_color: hexColor, id, ...more }
    }),
    ...(order === undefined ? {} : { label_order: order }),
  }
  const brief = {
    id: job.id,
    title: job.title,
    category: job.category,
    status: job.status,
    decision_points: job.decisionPoints,
    advanced_settings: labels,
  }
  if (warningsOf === null) return { [job.title]: { type: 'job', properties: brief } }
  const properties = {
    ...brief,
    description: job.description,
    advanced_settings: {
      ...job.advancedSettings,
      ...labels,
      ...(job.autoRetrain === null ? {} : { auto_retrain: showAutoRetrain(job.autoRetrain) }),
    },
    feedback_columns: job.feedbackColumns,
    pipeline_integrations: job.pipeline.map((step) => showStep(step, state)),
    remove_missing_pipeline_integrations: false,
    created_at: job.createdAt,
    warnings: warningsOf(job).map(({ type, place, message, action }) => ({
      type,
      loc: place.map(String),
      msg: message,
      action,
    })),
  }
  return { [job.title]: { type: 'job', properties } }
}

/** The records that a query names: keys sorted by name, integrations and jobs by id. */
export interface ListedResources {
  readonly apiKeys: readonly ApiKeyRecord[]
  readonly integrations: readonly IntegrationRecord[]
  readonly jobs: readonly JobSettings[]
}

/** @throws Refusal invalid_resources for a query with both title and id. */
export function findResources(state: ResourceState, { type, title, id }: ResourceQuery): ListedResources {
  if (title !== undefined && id !== undefined) {
    const msg = 'title and id exclude each other'
    throw new Refusal('invalid_resources', msg, { issues: [{ loc: ['query', 'id'], msg, type: 'conflict' }] })
  }
  const choose = <T extends { readonly id: number | string }>(
    of: ResourceQuery['type'],
    all: ReadonlyMap<unknown, T>,
    named: (title: string) => T | undefined,
  ): T[] => {
    if (type !== undefined && type !== of) return []
    if (title === undefined) return [...all.values()].filter((each) => id === undefined || String(each.id) === id)
    const found = named(title)
    return found === undefined ? [] : [found]
  }
  const apiKeys = choose('api_key', state.apiKeys, (name) => state.apiKeys.get(name))
  return {
    apiKeys: apiKeys.sort((a, b) => (a.name < b.name ? -1 : 1)),
    integrations: choose('integration', state.integrations, (name) => state.integrationsByTitle.get(name)),
    jobs: choose('job', state.jobs, (name) => state.jobsByTitle.get(name)),
  }
}

/** The resources of a query, as GET shows them. Jobs are in full for a query by title or id, or with `full`. */
export function listResources(
  state: ResourceState,
  query: ResourceQuery,
  warningsOf: WarningsOf = () => [],
): unknown[] {
  const { apiKeys, integrations, jobs } = findResources(state, query)
  const full = query.full ?? (query.title !== undefined || query.id !== undefined)
  const shownJobs = jobs.map((job) => showJob(job, state, full ? warningsOf : null))
  return [...apiKeys.map(showKey), ...integrations.map((record) => showIntegration(record, state)), ...shownJobs]
}

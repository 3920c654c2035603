/**
 * What a job becomes: the settings that a document's job gives, over those that it had.
 *
 * Owns: the merge. Leaves out: the shapes (job-shapes.ts), references (references.ts), the set as a whole (plan.ts).
 *
 * 1. What is absent stays as it was; a new job takes defaults. Id, shard, status and creation time never change.
 * 2. A step is known by its integration and role. An empty pipeline changes none; otherwise named steps are added or
 *    changed, and the others stay, unless remove_missing_pipeline_integrations says that they go.
 * 3. The processors of the category are in every pipeline, always enabled.
 * 4. The same document again gives equal settings.
 * 5. A label that is called otherwise is so in the steps that name it, too (label-parameters.ts).
 */
import { limits } from '../limits.js'
import type { AutoRetrain, IntegrationRole, JobCategory, JobSettings, PipelineStep } from '../domain/job/job.js'
import { defaultLabels, labelAmbiguity, placeLabels } from '../domain/job/labels.js'
import type { Issues, Place } from './document-issues.js'
import type { AutoRetrainProperties, JobProperties, StepProperties } from './job-shapes.js'
import { roleOf, type IntegrationKind, type IntegrationRegistry } from './registry/integration-registry.js'
import { withLabels, type LabelNames } from './registry/label-parameters.js'
import { readParameters } from './registry/parameters.js'
import type { IntegrationRecord } from './records.js'
import type { Sealer } from './access/sealing.js'

/** What the merge needs to know of the rest. */
export interface JobSurroundings {
  /** The integration that a step's `resource` names; null where the document's own is at fault, which is told. */
  integrationOf(resource: string): IntegrationRecord | null
  /** The kind of an integration that a job has already. */
  kindOf(integrationId: number): IntegrationKind
  /** The one integration of a built-in kind. */
  builtIn(kind: string): IntegrationRecord
  readonly kinds: IntegrationRegistry
  readonly sealer: Sealer
  /** The ingest time that a step takes which begins: what comes in afterwards has a later one. */
  stamp(): number
}

/** What only the catalog can give a job. */
export type JobIdentity = Pick<JobSettings, 'id' | 'shard' | 'createdAt'>

/** Events pass the steps in this order of their roles. */
const passage: readonly IntegrationRole[] = [
  'input',
  'enrichment',
  'processor',
  'post_decision',
  'case_creation',
  'output',
]

function mergeAutoRetrain(given: AutoRetrainProperties | undefined, before: AutoRetrain | null): AutoRetrain | null {
  if (given === undefined) return before
  const blocks = (name: keyof AutoRetrain['blockers']): boolean => {
    return given.blockers[name] ?? before?.blockers[name] ?? false
  }
  return {
    enabled: given.enabled ?? before?.enabled ?? false,
    cron: given.cron ?? before?.cron ?? '',
    blockers: {
      outliers: blocks('outliers'),
      consensusFlipping: blocks('consensusFlipping'),
      lowConfidenceScore: blocks('lowConfidenceScore'),
      undecidedConsensus: blocks('undecidedConsensus'),
      consensusLowScore: blocks('consensusLowScore'),
      consensusChanges: blocks('consensusChanges'),
    },
  }
}

/** One named step over what it was, or null when it cannot be one. */
function mergeStep(
  given: StepProperties,
  integration: IntegrationRecord,
  before: readonly PipelineStep[],
  category: JobCategory,
  { kinds, sealer, stamp }: JobSurroundings,
  labels: LabelNames,
  place: Place,
  issues: Issues,
): PipelineStep | null {
  const kind = kinds.byId(integration.kind)
  const role = given.role ?? (kind.roles.length === 1 ? kind.roles[0]?.role : undefined)
  const spec = role === undefined ? null : roleOf(kind, role)
  if (role === undefined || spec === null) {
    const roles = kind.roles.map((each) => each.role).join(', ')
    issues.add([...place, 'integration_type'], `"${integration.title}" can have the role: ${roles}`, 'invalid_role')
    return null
  }
  if (role === 'processor' && !kind.addedTo.includes(category)) {
    issues.add([...place, 'resource'], `"${integration.title}" is no processor of ${category}`, 'invalid_role')
  }
  if (role === 'processor' && given.enabled === false) {
    issues.add([...place, 'enabled'], 'a processor is always enabled', 'invalid_value')
  }
  const old = before.find((step) => step.integrationId === integration.id && step.role === role)
  const at = [...place, 'parameters']
  const parameters = readParameters(
    spec.parameters,
    given.parameters ?? {},
    old?.parameters ?? null,
    sealer,
    issues.under(at),
  )
  const kept = { ...old?.kept, ...given.kept }
  return {
    integrationId: integration.id,
    role,
    enabled: given.enabled ?? old?.enabled ?? true,
    parameters: withLabels(spec.parameters, parameters, old?.parameters ?? null, labels, (name, msg) =>
      issues.add([...at, name], msg, 'invalid_value'),
    ),
    ...(kind.outside === true
      ? { outsideSince: (old?.enabled === true ? old.outsideSince : undefined) ?? stamp() }
      : {}),
    ...(Object.keys(kept).length > 0 ? { kept } : {}),
  }
}

/** What a processor that is added by itself takes. */
function defaultsOf(kind: IntegrationKind): Record<string, unknown> {
  const parameters = roleOf(kind, 'processor')?.parameters ?? []
  return Object.fromEntries(
    parameters.flatMap((spec) => (spec.default === undefined ? [] : [[spec.name, spec.default]])),
  )
}

function mergePipeline(
  properties: JobProperties,
  category: JobCategory,
  before: readonly PipelineStep[],
  around: JobSurroundings,
  labels: LabelNames,
  place: Place,
  issues: Issues,
): readonly PipelineStep[] {
  const key = (step: PipelineStep): string => `${step.integrationId} ${step.role}`
  const named = new Map<string, PipelineStep>()
  for (const [index, given] of properties.pipeline.entries()) {
    const at = [...place, 'pipeline_integrations', index]
    const integration = around.integrationOf(given.resource)
    const step =
      integration === null ? null : mergeStep(given, integration, before, category, around, labels, at, issues)
    if (step === null) continue
    if (named.has(key(step))) issues.add(at, 'this integration is named twice in the same role', 'duplicate')
    named.set(key(step), step)
  }
  const asNamedNow = (step: PipelineStep): PipelineStep => {
    const specs = roleOf(around.kindOf(step.integrationId), step.role)?.parameters ?? []
    return { ...step, parameters: withLabels(specs, step.parameters, step.parameters, labels, () => undefined) }
  }
  const removes = properties.removeMissingSteps && named.size > 0
  const steps = new Map<string, PipelineStep>()
  for (const step of before) {
    if (!removes || step.role === 'processor' || named.has(key(step))) steps.set(key(step), asNamedNow(step))
  }
  for (const [id, step] of named) steps.set(id, step)
  for (const kind of around.kinds.processorsOf(category)) {
    const integrationId = around.builtIn(kind.id).id
    const step: PipelineStep = { integrationId, role: 'processor', enabled: true, parameters: defaultsOf(kind) }
    if (!steps.has(key(step))) steps.set(key(step), step)
  }
  if (steps.size > limits.pipelineStepsMax) {
    const msg = `a pipeline has at most ${limits.pipelineStepsMax} steps`
    issues.add([...place, 'pipeline_integrations'], msg, 'too_big')
  }
  return [...steps.values()].sort((a, b) => passage.indexOf(a.role) - passage.indexOf(b.role))
}

/** The job's settings after the document; `before` is null for a new job. Revision and status are those of before. */
export function mergeJob(
  properties: JobProperties,
  before: JobSettings | null,
  identity: JobIdentity,
  around: JobSurroundings,
  place: Place,
  issues: Issues,
): JobSettings {
  const category = properties.category ?? before?.category ?? 'Decision intelligence'
  if (before !== null && category !== before.category) {
    const msg = `is ${before.category} for good; another category needs another job`
    issues.add([...place, 'category'], msg, 'invalid_value')
  }
  const advanced = properties.advancedSettings
  const known = before?.labels ?? defaultLabels(category)
  const labels = advanced?.labels === undefined ? known : placeLabels(advanced.labels, before?.labels ?? [])
  const twice = labelAmbiguity(labels)
  if (twice !== null) {
    issues.add([...place, 'advanced_settings', 'custom_labels'], `"${twice}" would name two labels`, 'duplicate')
  }
  const autoRetrain = mergeAutoRetrain(advanced?.autoRetrain, before?.autoRetrain ?? null)
  if (autoRetrain?.enabled && autoRetrain.cron === '') {
    issues.add([...place, 'advanced_settings', 'auto_retrain', 'cron'], 'is required when enabled', 'missing')
  }
  return {
    id: identity.id,
    revision: before?.revision ?? 1,
    shard: identity.shard,
    title: properties.title,
    description: properties.description ?? before?.description ?? '',
    category,
    decisionPoints: properties.decisionPoints ?? before?.decisionPoints ?? [],
    labels,
    autoRetrain,
    advancedSettings: { ...before?.advancedSettings, ...advanced?.rest },
    feedbackColumns: properties.feedbackColumns ?? before?.feedbackColumns ?? [],
    pipeline: mergePipeline(
      properties,
      category,
      before?.pipeline ?? [],
      around,
      { before: known, after: labels },
      place,
      issues,
    ),
    status: before?.status ?? 'STARTED',
    createdAt: identity.createdAt,
  }
}

/**
 * Merges the properties of a job in a document into the settings of the stored job.
 *
 * Owns: the merge. Leaves out: the shapes (job-shapes.ts), references (references.ts), the whole document (plan.ts).
 *
 * 1. Absent fields stay as they are; in a new job they take defaults. Id, shard, status and creation time never change.
 * 2. Integration and role identify a step. An empty pipeline changes nothing. Otherwise the listed steps are added or
 *    changed, and the others stay, unless remove_missing_pipeline_integrations is set.
 * 3. The processors of the category are in every pipeline and always enabled.
 * 4. The same document again gives equal settings.
 * 5. A renamed label is renamed in the steps that name it, too (label-parameters.ts).
 * 6. A name goes from one label to another only where the document says so: votes stay with the label, so they would
 *    all mean the opposite.
 */
import { limits } from '../limits.js'
import { cutText } from '../domain/event/input/cut-text.js'
import type { AutoRetrain, IntegrationRole, JobCategory, JobSettings, Label, PipelineStep } from '../domain/job/job.js'
import {
  defaultLabels,
  labelAmbiguity,
  labelOrder,
  movedName,
  placeLabels,
  type MovedName,
} from '../domain/job/labels.js'
import type { Warning } from '../api/warning.js'
import type { Sealer } from './access/sealing.js'
import type { Issues, DocumentPlace } from './document-issues.js'
import type { AutoRetrainProperties, JobProperties, StepProperties } from './job-shapes.js'
import type { IntegrationRecord } from './records.js'
import { roleOf, type IntegrationKind, type IntegrationRegistry } from './registry/integration-registry.js'
import { withLabels, type LabelsChange } from './registry/label-parameters.js'
import { readParameters } from './registry/parameters.js'
import { unknownParameters } from './unknown-properties.js'

/** What the merge of one job needs from the plan. */
export interface JobContext {
  /** The integration that a step's `resource` names; null where that one has issues of its own. */
  integrationOf(resource: string): IntegrationRecord | null
  /** The kind of an integration that the job already uses. */
  kindOf(integrationId: number): IntegrationKind
  /** The only integration of a built-in kind. */
  builtIn(kind: string): IntegrationRecord
  readonly kinds: IntegrationRegistry
  readonly sealer: Sealer
  /** Returns the ingest time for a new step: it handles events with later times. */
  stamp(): number
  /** Place of the job's properties in the document. */
  readonly place: DocumentPlace
  readonly issues: Issues
  warn(warnings: readonly Warning[]): void
}

/** The fields of a job that no document gives. */
export type JobIdentity = Pick<JobSettings, 'id' | 'shard' | 'createdAt'>

/** What the merge of a job's steps needs. */
interface PipelineContext extends JobContext {
  readonly category: JobCategory
  /** The steps that the job has. */
  readonly before: readonly PipelineStep[]
  readonly labels: LabelsChange
}

/** The order in which events pass the roles of a pipeline. */
const roleOrder: readonly IntegrationRole[] = [
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

/** Merges one listed step into the stored one. Null where the integration does not have the role. */
function mergeStep(
  given: StepProperties,
  integration: IntegrationRecord,
  place: DocumentPlace,
  { kinds, sealer, stamp, issues, warn, category, before, labels }: PipelineContext,
): PipelineStep | null {
  const kind = kinds.byId(integration.kind)
  const role = given.role ?? (kind.roles.length === 1 ? kind.roles[0]?.role : undefined)
  const spec = role === undefined ? null : roleOf(kind, role)
  if (role === undefined || spec === null) {
    const roles = kind.roles.map((each) => each.role).join(', ')
    issues.add([...place, 'integration_type'], `"${integration.title}" can have the roles: ${roles}`, 'invalid_role')
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
  const parameters = readParameters({
    specs: spec.parameters,
    given: given.parameters ?? {},
    before: old?.parameters ?? null,
    sealer,
    report: issues.under(at),
  })
  warn(unknownParameters(at, given.parameters ?? {}, spec.parameters))
  const kept = { ...old?.kept, ...given.kept }
  return {
    integrationId: integration.id,
    role,
    enabled: given.enabled ?? old?.enabled ?? true,
    parameters: withLabels({
      specs: spec.parameters,
      values: parameters,
      before: old?.parameters ?? null,
      labels,
      report: (name, msg) => issues.add([...at, name], msg, 'invalid_value'),
    }),
    ...(kind.outside === true
      ? { outsideSince: (old?.enabled === true ? old.outsideSince : undefined) ?? stamp() }
      : {}),
    ...(Object.keys(kept).length > 0 ? { kept } : {}),
  }
}

/** The parameters of a processor that the document does not list. */
function defaultsOf(kind: IntegrationKind): Record<string, unknown> {
  const parameters = roleOf(kind, 'processor')?.parameters ?? []
  return Object.fromEntries(
    parameters.flatMap((spec) => (spec.default === undefined ? [] : [[spec.name, spec.default]])),
  )
}

function keyOf(step: PipelineStep): string {
  return `${step.integrationId} ${step.role}`
}

/** The steps that the document lists, by key. */
function listedSteps({ pipeline }: JobProperties, context: PipelineContext): Map<string, PipelineStep> {
  const { place, issues } = context
  const listed = new Map<string, PipelineStep>()
  for (const [index, given] of pipeline.entries()) {
    const at = [...place, 'pipeline_integrations', index]
    const integration = context.integrationOf(given.resource)
    const step = integration === null ? null : mergeStep(given, integration, at, context)
    if (step === null) continue
    if (listed.has(keyOf(step))) issues.add(at, 'this integration is listed twice in the same role', 'duplicate')
    listed.set(keyOf(step), step)
  }
  return listed
}

/** The step with the new names of labels. */
function withRenamedLabels(step: PipelineStep, { kindOf, labels }: PipelineContext): PipelineStep {
  const parameters = withLabels({
    specs: roleOf(kindOf(step.integrationId), step.role)?.parameters ?? [],
    values: step.parameters,
    before: step.parameters,
    labels,
    report: () => undefined,
  })
  return { ...step, parameters }
}

function mergePipeline(properties: JobProperties, context: PipelineContext): readonly PipelineStep[] {
  const { category, before, kinds, place, issues } = context
  const listed = listedSteps(properties, context)
  const removes = properties.removeMissingSteps && listed.size > 0
  const steps = new Map<string, PipelineStep>()
  for (const step of before) {
    if (!removes || step.role === 'processor' || listed.has(keyOf(step))) {
      steps.set(keyOf(step), withRenamedLabels(step, context))
    }
  }
  for (const [key, step] of listed) steps.set(key, step)
  for (const kind of kinds.processorsOf(category)) {
    const integrationId = context.builtIn(kind.id).id
    const step: PipelineStep = { integrationId, role: 'processor', enabled: true, parameters: defaultsOf(kind) }
    if (!steps.has(keyOf(step))) steps.set(keyOf(step), step)
  }
  if (steps.size > limits.pipelineStepsMax) {
    const msg = `a pipeline has at most ${limits.pipelineStepsMax} steps`
    issues.add([...place, 'pipeline_integrations'], msg, 'too_big')
  }
  return [...steps.values()].sort((a, b) => roleOrder.indexOf(a.role) - roleOrder.indexOf(b.role))
}

function movedText({ name, was }: MovedName): string {
  return (
    `gives the name "${cutText(name, 50)}" to the label that is "${cutText(was, 50)}": votes stay with the label, so ` +
    `all for "${cutText(was, 50)}" would read "${cutText(name, 50)}". To change the order of keys and buttons, set ` +
    'label_order. To change what the votes read, add "rename_labels": true'
  )
}

/** The ids of the labels in the order of their keys; undefined: nobody has chosen one. Null: it is none. */
function mergeOrder(
  given: readonly string[] | undefined,
  before: JobSettings | null,
  labels: readonly Label[],
): readonly string[] | null | undefined {
  if (given !== undefined) return labelOrder(given, labels)
  const kept = before?.advancedSettings.label_order as readonly string[] | undefined
  if (before === null || kept === undefined) return undefined
  // An id may have another word now.
  return kept.map((id) => labels[before.labels.findIndex((label) => label.id === id)]?.id ?? id)
}

/** The settings of the job after the document, with the old revision and status. `before` is null for a new job. */
export function mergeJob(
  properties: JobProperties,
  before: JobSettings | null,
  identity: JobIdentity,
  context: JobContext,
): JobSettings {
  const { place, issues } = context
  const category = properties.category ?? before?.category ?? 'Decision intelligence'
  if (before !== null && category !== before.category) {
    const msg = `is ${before.category} and cannot change; create another job for another category`
    issues.add([...place, 'category'], msg, 'invalid_value')
  }
  const advanced = properties.advancedSettings
  const known = before?.labels ?? defaultLabels(category)
  const labels = advanced?.labels === undefined ? known : placeLabels(advanced.labels, before?.labels ?? [])
  const twice = labelAmbiguity(labels)
  if (twice !== null) {
    issues.add([...place, 'advanced_settings', 'custom_labels'], `"${twice}" names two labels`, 'duplicate')
  }
  const moved = advanced?.mayMoveNames === true ? null : movedName(before?.labels ?? [], labels)
  if (moved !== null) issues.add([...place, 'advanced_settings', 'custom_labels'], movedText(moved), 'label_moved')
  const order = mergeOrder(advanced?.labelOrder, before, labels)
  if (order === null) {
    const msg = `names each label once: ${labels.map(({ name }) => name).join(', ')}`
    issues.add([...place, 'advanced_settings', 'label_order'], msg, 'invalid_value')
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
    advancedSettings: {
      ...before?.advancedSettings,
      ...advanced?.rest,
      ...(order == null ? {} : { label_order: order }),
    },
    feedbackColumns: properties.feedbackColumns ?? before?.feedbackColumns ?? [],
    pipeline: mergePipeline(properties, {
      ...context,
      category,
      before: before?.pipeline ?? [],
      labels: { before: known, after: labels },
    }),
    status: before?.status ?? 'STARTED',
    createdAt: identity.createdAt,
  }
}

/**
 * The shape of a job in a document (CONTRACT.md#resources, C3.7).
 *
 * Owns: the fields of a job's `properties`, and shapes that other resources share. Leaves out: the document around them
 * (shapes.ts), the merge into a stored job (job-plan.ts).
 */
import { z } from 'zod'
import { limits } from '../limits.js'
import { modelBounds } from '../domain/learn/model-origin.js'
import { integrationRoles, jobCategories, labelRoles, outlierRateMax, outlierRateMin } from '../domain/job/job.js'
import { namedObjectives } from '../domain/job/objective.js'
import { retentionDaysMax, retentionEventsMax } from '../domain/job/retention.js'
import { isTimeZone } from '../domain/job/time-zone.js'
import { workingHoursFault } from '../domain/job/working-hours.js'
import { cronFault } from './cron.js'

/** Ignores case and the difference between spaces, `_` and `-`, so that a category can be given by its id, too. */
function spelling(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_')
}

/** A category that other services with this API have, and what takes its place here. */
export const NO_AUTOMATION =
  'Automation is no category here: take Decision intelligence, and let steps with the role post_decision or ' +
  'case_creation act on its decisions'

export function isAutomation(category: string): boolean {
  return spelling(category) === 'automation'
}

/** One of the words, in any spelling. `special` may give a sentence of its own for another word. */
function choice<T extends string>(
  words: readonly T[],
  special: (given: string) => string | null = () => null,
): z.ZodType<T, string> {
  const text = z.string().meta({ enum: [...words] })
  return text.transform((given, context) => {
    const found = words.find((word) => spelling(word) === spelling(given))
    if (found !== undefined) return found
    context.addIssue({ code: 'custom', message: special(given) ?? `must be one of: ${words.join(', ')}` })
    return z.NEVER
  })
}

/** Names become keys in the store and in answers, so they must be valid Unicode. */
export const name = z
  .string()
  .max(limits.nameCharsMax)
  .refine((text) => text.trim() !== '', 'must not be empty')
  .refine((text) => !/\p{Cs}/u.test(text), 'must not contain half of a surrogate pair')

const description = z.string().max(limits.textCharsMax)
export const map = z.record(z.string(), z.unknown())
const kept = z.union([description, z.number(), z.boolean()]).optional().describe('Kept as given.')
const flag = z.boolean().optional()

function unique(words: readonly string[]): boolean {
  return new Set(words).size === words.length
}

/** Values with a meaning in the place of a label: a tie, and no choice. */
const reserved: ReadonlySet<string> = new Set(['undecided', '<empty>'])
const labelName = name.refine((text) => !reserved.has(text.trim().toLowerCase()), 'is reserved: it means no label')

const label = z
  .object({
    name: labelName,
    hex_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #12ab34')
      .optional()
      .describe('#rrggbb. Default: the colour of its position.'),
    id: labelName.optional().describe('The value of `result`. Default: label_0, label_1 or label_2.'),
    role: choice(labelRoles)
      .optional()
      .describe('Root cause analysis: what the label means. Default: what its name says, else its position.'),
    unused: flag.describe('True: the job does not use this label, so nobody is told that it has no votes.'),
  })
  .transform(({ name, hex_color, id, role, unused }) => ({ name, hexColor: hex_color, id, role, isUnused: unused }))

const autoRetrain = z
  .object({
    enabled: flag.describe('Trains at the times of cron.'),
    cron: z
      .string()
      .max(limits.nameCharsMax)
      .superRefine((text, context) => {
        const fault = text.trim() === '' ? null : cronFault(text)
        if (fault !== null) context.addIssue({ code: 'custom', message: fault })
      })
      .optional()
      .describe('Cron expression of five or six fields, in the time zone of the job. Required when enabled.'),
    blockers: z
      .object({
        outliers: flag.describe('Blocks while too many decisions since the last training are outliers.'),
        consensus_flipping: flag.describe('Blocks while a consensus has returned to an earlier label.'),
        low_confidence_score: flag.describe('Blocks while too many decisions have a low confidence.'),
        undecided_consensus: flag.describe('Blocks while votes are tied anywhere.'),
        consensus_low_score: flag.describe('Blocks while a consensus has too small a majority.'),
        consensus_changes: flag.describe('Blocks while a consensus has changed since the last training.'),
      })
      .optional()
      .describe('What blocks a scheduled training. A training that somebody requests is never blocked.'),
  })
  .transform(({ enabled, cron, blockers }) => ({
    enabled,
    cron: cron?.trim(),
    blockers: {
      outliers: blockers?.outliers,
      consensusFlipping: blockers?.consensus_flipping,
      lowConfidenceScore: blockers?.low_confidence_score,
      undecidedConsensus: blockers?.undecided_consensus,
      consensusLowScore: blockers?.consensus_low_score,
      consensusChanges: blockers?.consensus_changes,
    },
  }))

const monitor = z.looseObject({
  name: z.string(),
  active: flag,
  interval_check: z.union([z.number(), z.string()]).optional(),
  reminder: z.union([z.number(), z.string()]).optional(),
  working_hours_only: flag,
})

const timeZone = z
  .string()
  .refine((text) => text === '' || isTimeZone(text), 'must be the name of a time zone, such as Europe/Berlin or UTC')

const workingHours = z.string().superRefine((text, context) => {
  const fault = text.trim() === '' ? null : workingHoursFault(text)
  if (fault !== null) context.addIssue({ code: 'custom', message: fault })
})

const modelsKept = z.int().min(modelBounds.keptMin).max(modelBounds.keptMax)
const cost = z.number().min(0).max(limits.costMax)

/** What decisions are optimized for (job/objective.ts). */
const objective = z.union(
  [
    choice(namedObjectives),
    z.strictObject({ costs: z.array(z.array(cost).length(limits.labelsPerJob)).length(limits.labelsPerJob) }),
  ],
  `must be ${namedObjectives.map((one) => `"${one}"`).join(', ')} or ` +
    '{"costs": 3 rows (truth) of 3 numbers (answer), 0 or more}',
)

const decisionPoint = z
  .string()
  .max(limits.decisionPointCharsMax)
  .refine((text) => text.trim() !== '', 'must not be empty')

const advancedSettings = z
  .looseObject({
    custom_labels: z
      .array(label)
      .length(limits.labelsPerJob, `a job has exactly ${limits.labelsPerJob} labels`)
      .refine((labels) => unique(labels.map((each) => each.name.trim().toLowerCase())), 'names must differ')
      .refine((labels) => unique(labels.flatMap((each) => each.role ?? [])), 'roles must differ')
      .optional()
      .describe('Exactly three. Default: the labels of the category.'),
    rename_labels: flag.describe(
      'True: names may go from one label to another. Votes stay with the label, so they then read the other name.',
    ),
    label_order: z
      .array(labelName)
      .length(limits.labelsPerJob, `names all ${limits.labelsPerJob} labels`)
      .optional()
      .describe('Names or ids of the labels in the order of their keys and buttons. Default: that of the labels.'),
    auto_retrain: autoRetrain.optional(),
    time_zone: timeZone
      .optional()
      .describe('The zone of its schedules, working hours and messages. Default: SERVICE_TIME_ZONE.'),
    time_field: z
      .union([decisionPoint, z.literal('')])
      .optional()
      .describe(
        'Path of the field that has the time of an event, for products that the service does not know. Default: the ' +
          'first of `@timestamp`, `timestamp`, `ts`, `time` and further usual names that holds a time. It counts for ' +
          'events that come after it was set.',
      ),
    working_hours: workingHours
      .optional()
      .describe(
        'When people are there, such as "mon-fri 08:00-18:00, not 2026-12-24": for deadlines and watchdogs ' +
          'that count working hours. Default: SERVICE_WORKING_HOURS.',
      ),
    outlier_false_alarm_rate: z
      .number()
      .min(outlierRateMin)
      .max(outlierRateMax)
      .optional()
      .describe('The share of known events that may be called outliers. Default: 0.02.'),
    objective: objective
      .optional()
      .describe('What decisions are optimized for. Default: macro_f1, and accuracy for root cause analysis.'),
    champion_challenger: flag.describe('Scheduled trainings bring challengers, promoted where they are not worse.'),
    models_kept: modelsKept.optional().describe('Models that are kept to decide again. Default: 20.'),
    decide_untrained: flag.describe(
      'Root cause analysis: true makes the answer of the clusters the decision while the job is untrained. ' +
        'Default: it is only a suggestion.',
    ),
    decide_stored_events: flag.describe(
      'False: stored events without a decision stay so when the job gets its first model. Default: it decides them, ' +
        'in the background.',
    ),
    strict_types: flag.describe(
      'True: the number 4625 and the text "4625" are two values at a decision point. Default: they are one.',
    ),
    weighted_consensus: flag.describe('True: votes on one event count by the reliability of their analysts.'),
    retrain_after_erase: flag.describe('True: an erasure is complete when the model was trained again without it.'),
    retention: z
      .strictObject({
        days: z.int().min(1).max(retentionDaysMax).optional(),
        max_events: z.int().min(1).max(retentionEventsMax).optional(),
      })
      .optional()
      .describe('Deletes events that are older than `days`, or beyond the latest `max_events`. Default: all are kept.'),
    monitoring_settings: z
      .looseObject({
        throttling: z.unknown().optional(),
        reminder: z.unknown().optional(),
        monitors: z.array(monitor).optional(),
      })
      .optional()
      .describe(
        'Watchdogs of the job: one for each monitor whose name is a type of watchdog or one of its conditions. ' +
          'Kept as given.',
      ),
  })
  .refine((all) => JSON.stringify(all).length <= limits.keptSettingsCharsMax, 'is too long')
  .transform(({ custom_labels, rename_labels, label_order, auto_retrain, ...rest }) => ({
    labels: custom_labels,
    mayMoveNames: rename_labels === true,
    labelOrder: label_order,
    autoRetrain: auto_retrain,
    rest,
  }))

/** Room for the longest name in an expression, with each character escaped. */
const referenceCharsMax = 2 * limits.nameCharsMax + 64

const step = z
  .object({
    resource: z
      .string()
      .min(1)
      .max(referenceCharsMax)
      .describe(
        "An identifier in the request, a title, {{integrations(title='...')}} or {{integrations(internal_id=...)}}.",
      ),
    integration_type: choice(integrationRoles)
      .optional()
      .describe('The role. Required where the integration has several.'),
    enabled: flag,
    parameters: map.optional().describe('Parameters of the integration in this role, as its schema describes them.'),
    auto_id: kept,
    storage_tag: kept,
    storage_tag_display_name: kept,
  })
  .transform(({ resource, integration_type, enabled, parameters, ...rest }) => {
    const given = Object.entries(rest).filter(([, value]) => value !== undefined)
    return { resource, role: integration_type, enabled, parameters, kept: Object.fromEntries(given) }
  })

const decisionPoints = z.array(decisionPoint).max(limits.decisionPointsMax).refine(unique, 'must differ').optional()

export const jobProperties = z
  .object({
    title: name.describe('Identifies the job.'),
    renamed_from: name
      .optional()
      .describe('The title that the job has had: it gets the new one, and keeps its id, events, votes and models.'),
    id: z.unknown().optional().describe('As GET shows it; it chooses no job.'),
    created_at: z.unknown().optional().describe('As GET shows it.'),
    description: description.optional().describe('For people.'),
    category: choice(jobCategories, (given) => (isAutomation(given) ? NO_AUTOMATION : null))
      .optional()
      .describe('How the job decides; it cannot change.'),
    decision_points: decisionPoints.describe('Paths into the event, in dot notation.'),
    features: decisionPoints.describe('An older name of decision_points.'),
    advanced_settings: advancedSettings.optional().describe('Labels, scheduled training, retention and more.'),
    feedback_columns: z
      .array(z.string().max(limits.decisionPointCharsMax))
      .max(limits.feedbackColumnsMax)
      .optional()
      .describe('Fields that analysts see with an event when they vote.'),
    pipeline_integrations: z
      .array(step)
      .max(limits.pipelineStepsMax)
      .optional()
      .describe('Empty leaves the pipeline of an existing job as it is.'),
    remove_missing_pipeline_integrations: flag.describe('Deletes the steps that pipeline_integrations does not list.'),
  })
  .transform((all) => ({
    title: all.title,
    renamedFrom: all.renamed_from,
    /** As GET shows them: they say which job a document was read from, and choose none. */
    readFrom: { id: all.id, createdAt: all.created_at },
    description: all.description,
    category: all.category,
    decisionPoints: all.decision_points ?? all.features,
    advancedSettings: all.advanced_settings,
    feedbackColumns: all.feedback_columns,
    pipeline: all.pipeline_integrations ?? [],
    removeMissingSteps: all.remove_missing_pipeline_integrations ?? false,
  }))

export type JobProperties = z.output<typeof jobProperties>
export type StepProperties = z.output<typeof step>
export type AutoRetrainProperties = z.output<typeof autoRetrain>

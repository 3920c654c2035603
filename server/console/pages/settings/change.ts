/** From the filled form to a change of the job's document, with no more in it than differs. */
import type { JobLabel, JobSettings } from '../../../client/index.js'
import type { JobChange, JobDocument } from '../../state/job-shapes.js'
import { watchdogsIn, watchdogsOf } from './watchdogs.js'

/** What blocks a scheduled training. */
export const blockers = [
  'outliers',
  'low_confidence_score',
  'undecided_consensus',
  'consensus_low_score',
  'consensus_flipping',
  'consensus_changes',
] as const

/** The settings of `advanced_settings` that the form has. */
export const settingNames = [
  'custom_labels',
  'label_order',
  'objective',
  'auto_retrain',
  'time_field',
  'time_zone',
  'working_hours',
  'champion_challenger',
  'models_kept',
  'outlier_false_alarm_rate',
  'weighted_consensus',
  'strict_types',
  'decide_stored_events',
  'decide_untrained',
  'retention',
  'retrain_after_erase',
  'monitoring_settings',
] as const

export type SettingName = (typeof settingNames)[number]
export type ChangedName = SettingName | 'title' | 'description' | 'decision_points' | 'feedback_columns'

export const defaults = { models_kept: 20, outlier_false_alarm_rate: 0.02 } as const

/** One changed setting, as it was and as it is to be. */
export interface Difference {
  readonly name: ChangedName
  readonly before: unknown
  readonly after: unknown
}

/** The lines of a text that say something. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return [...new Set(lines.filter((line) => line !== ''))]
}

/** A whole number, or nothing. */
function wholeOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text)
}

/** The ids of labels in the order of their keys. The text has their places; an empty one leaves them so. */
function orderOf(text: string, labels: readonly JobLabel[]): string[] {
  const places = text === '' ? labels.map((_, at) => at) : text.split(' ').map(Number)
  return places.map((place) => labels[place]?.id ?? '')
}

function objectiveOf(text: (name: string) => string, labels: number): JobSettings['objective'] {
  const name = text('objective')
  if (name !== 'costs') return name as 'accuracy'
  const places = Array.from({ length: labels }, (_, at) => at)
  return { costs: places.map((truth) => places.map((answer) => Number(text(`cost ${truth} ${answer}`)))) }
}

/** The whole of what the form says. */
function settingsOf(data: FormData, { advanced_settings: before }: JobDocument): JobSettings {
  const text = (name: string): string => String(data.get(name) ?? '')
  const has = (name: string): boolean => data.get(name) !== null
  const labels = before.custom_labels ?? []
  const [days, events] = [wholeOf(text('days')), wholeOf(text('max_events'))]
  return {
    custom_labels: labels.map((label, at) => ({
      ...label,
      name: text(`label ${at}`).trim(),
      hex_color: text(`color ${at}`).toUpperCase(),
    })),
    label_order: orderOf(text('order'), labels),
    objective: objectiveOf(text, labels.length),
    auto_retrain: {
      enabled: has('scheduled'),
      cron: text('cron').trim(),
      blockers: Object.fromEntries(blockers.map((name) => [name, has(`blocker ${name}`)])),
    },
    time_field: text('time_field').trim(),
    time_zone: text('time_zone').trim(),
    working_hours: text('working_hours').trim(),
    champion_challenger: has('champion_challenger'),
    models_kept: wholeOf(text('models_kept')),
    outlier_false_alarm_rate: Number(text('outlier_rate')) / 100,
    weighted_consensus: has('weighted_consensus'),
    strict_types: has('strict_types'),
    decide_stored_events: has('decide_stored_events'),
    decide_untrained: has('decide_untrained'),
    retention: {
      ...(days === undefined ? {} : { days }),
      ...(events === undefined ? {} : { max_events: events }),
    },
    retrain_after_erase: has('retrain_after_erase'),
    monitoring_settings: watchdogsIn(data, watchdogsOf(before)) as JobSettings['monitoring_settings'],
  }
}

/** What a setting is where the document does not say. */
export function withDefaults({ advanced_settings: given, category }: JobDocument): JobSettings {
  const isCause = category === 'Automated root cause analysis'
  return {
    objective: isCause ? 'accuracy' : 'macro_f1',
    time_field: '',
    time_zone: '',
    working_hours: '',
    champion_challenger: false,
    weighted_consensus: false,
    strict_types: false,
    decide_stored_events: true,
    decide_untrained: false,
    retention: {},
    retrain_after_erase: false,
    ...defaults,
    ...given,
    label_order: given.label_order ?? orderOf('', given.custom_labels ?? []),
    monitoring_settings: watchdogsOf(given) as JobSettings['monitoring_settings'],
    custom_labels: (given.custom_labels ?? []).map((label) => ({
      ...label,
      hex_color: label.hex_color?.toUpperCase(),
    })),
    auto_retrain: {
      enabled: given.auto_retrain?.enabled ?? false,
      cron: given.auto_retrain?.cron ?? '',
      blockers: Object.fromEntries(blockers.map((name) => [name, given.auto_retrain?.blockers?.[name] ?? false])),
    },
  }
}

/** Equal as JSON, whatever the order of keys. */
function isSame(a: unknown, b: unknown): boolean {
  const sorted = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)))
      : value
  return JSON.stringify(a, sorted) === JSON.stringify(b, sorted)
}

/** The title that is typed. One that nobody touched stays as it is, blanks and all. */
function titleOf(typed: string, { title }: JobDocument): string {
  return typed === title ? title : typed.trim()
}

/** What the form changes. */
export function differencesOf(data: FormData, document: JobDocument): Difference[] {
  const text = (name: string): string => String(data.get(name) ?? '')
  const [before, after] = [withDefaults(document), settingsOf(data, document)]
  const all: Difference[] = [
    { name: 'title', before: document.title, after: titleOf(text('title'), document) },
    { name: 'description', before: document.description, after: text('description').trim() },
    { name: 'decision_points', before: document.decision_points, after: linesOf(text('points')) },
    { name: 'feedback_columns', before: document.feedback_columns, after: linesOf(text('columns')) },
    ...settingNames.map((name): Difference => ({ name, before: before[name], after: after[name] })),
  ]
  return all.filter((one) => !isSame(one.before, one.after))
}

function renames(differences: readonly Difference[]): Pick<JobSettings, 'rename_labels'> {
  return renamedIn(differences).length === 0 ? {} : { rename_labels: true }
}

const ofJob: ReadonlySet<string> = new Set(['title', 'description', 'decision_points', 'feedback_columns'])

/** A label that gets another name, as it was and will be. */
export interface Renamed {
  readonly was: string
  readonly is: string
}

/** The labels that get other names. */
export function renamedIn(differences: readonly Difference[]): Renamed[] {
  const labels = differences.find(({ name }) => name === 'custom_labels')
  const [before, after] = [labels?.before, labels?.after] as (readonly JobLabel[] | undefined)[]
  return (before ?? []).flatMap(({ name: was }, at) => {
    const is = after?.[at]?.name ?? was
    return was === is ? [] : [{ was, is }]
  })
}

/**
 * The same change where names that were only put in another place mean another order of keys. Null: they are not the
 * same names.
 */
export function asOrder(differences: readonly Difference[], document: JobDocument): Difference[] | null {
  const renamed = renamedIn(differences)
  const isSameNames = renamed.every(({ is }) => renamed.some(({ was }) => was === is))
  if (renamed.length === 0 || !isSameNames) return null
  const { custom_labels: before = [], label_order: keys = [] } = withDefaults(document)
  const after = differences.find(({ name }) => name === 'custom_labels')?.after as readonly JobLabel[]
  const given = differences.find(({ name }) => name === 'label_order')?.after as readonly string[] | undefined
  const isColored = before.some(({ hex_color: color }, at) => after[at]?.hex_color !== color)
  const labels = before.map((label) => {
    const typed = after.find(({ name }) => name === label.name)
    return isColored ? { ...label, hex_color: typed?.hex_color } : label
  })
  // The rows as they were shown, each with the name that was typed there.
  const order = (given ?? keys).map((id) => {
    const name = after.find((label) => label.id === id)?.name
    return before.find((label) => label.name === name)?.id ?? ''
  })
  return [
    ...differences.filter(({ name }) => name !== 'custom_labels' && name !== 'label_order'),
    ...[
      { name: 'custom_labels' as const, before, after: labels },
      { name: 'label_order' as const, before: keys, after: order },
    ].filter((one) => !isSame(one.before, one.after)),
  ]
}

/** The change that sets them. Whoever changes names has been asked what is meant. */
export function changeOf(differences: readonly Difference[]): JobChange {
  const pairs = (isOfJob: boolean) =>
    differences.filter(({ name }) => ofJob.has(name) === isOfJob).map(({ name, after }) => [name, after] as const)
  const settings = pairs(false)
  return {
    ...Object.fromEntries(pairs(true)),
    ...(settings.length === 0
      ? {}
      : { advanced_settings: { ...(Object.fromEntries(settings) as JobSettings), ...renames(differences) } }),
  }
}

/**
 * Which decisions a step takes out: the parameters that every step of these roles has, and the rule that they make.
 *
 * Owns: the rule on a decision. Leaves out: filters on the event itself, which are compiled where events are read.
 */
import { Refusal } from '../errors.js'
import type { IntegrationRole, Label } from '../domain/job/job.js'
import type { RuledDecision } from '../domain/decide/decision.js'
import { resolveLabel } from '../domain/job/labels.js'
import { compileFilters, parseFilters, type Filter } from '../domain/query/filter.js'
import { FieldSet } from '../domain/query/field.js'
import { labelWords } from '../resource/registry/label-parameters.js'
import type { ParameterSpec } from '../resource/registry/parameters.js'
import type { Opened } from './contract.js'

export interface Rule {
  /** Indexes of labels, or null for all of them. */
  readonly labels: ReadonlySet<number> | null
  /** 0 to 100. */
  readonly minConfidence: number
  readonly outliersOnly: boolean
  /** Events without a decision too. */
  readonly undecided: boolean
  /** A decision made again is told although the label is the same. */
  readonly sameAgain: boolean
  readonly filters: readonly Filter[]
}

/** Why a text is no list of filters, or null. */
function misfit(text: string): string | null {
  try {
    parse(text)
    return null
  } catch (error) {
    return error instanceof Refusal
      ? (error.context.issues?.[0]?.msg ?? error.message)
      : 'must be a list of filters, as JSON'
  }
}

function parse(text: string): Filter[] {
  if (text.trim() === '') return []
  const filters = parseFilters(JSON.parse(text))
  compileFilters(filters, new FieldSet([]), { nowMicros: 0, offsetMinutes: 0 })
  return filters
}

/** What every step that takes events out can say. */
export function ruleParameters(role: IntegrationRole): ParameterSpec[] {
  return [
    {
      name: 'decisions',
      type: 'string',
      required: false,
      labels: true,
      description:
        'Labels of the job by name or id, with commas between; events with another decision are left out. Empty for all.',
    },
    {
      name: 'min_confidence',
      type: 'number',
      required: false,
      minimum: 0,
      description: 'Events with a lower confidence, 0 to 100, are left out.',
    },
    {
      name: 'only_outliers',
      type: 'boolean',
      required: false,
      description: 'Only events unlike all that the model was trained on.',
    },
    {
      name: 'include_undecided',
      type: 'boolean',
      required: false,
      default: role === 'output',
      description: 'Events without a decision too.',
    },
    {
      name: 'filters',
      type: 'string',
      required: false,
      check: misfit,
      description: 'A JSON list of {field, operator, value}; events that do not pass all of them are left out.',
    },
  ]
}

/** The rule of a step; labels that the job does not have are left out. */
export function ruleOf(role: IntegrationRole, parameters: Opened, labels: readonly Label[]): Rule {
  const names = labelWords(String(parameters.decisions ?? ''))
  const wanted = names.flatMap((name) => resolveLabel(labels, name) ?? [])
  return {
    labels: names.length === 0 ? null : new Set(wanted),
    minConfidence: Number(parameters.min_confidence ?? 0),
    outliersOnly: parameters.only_outliers === true,
    undecided: (parameters.include_undecided ?? role === 'output') === true,
    sameAgain: role === 'output',
    filters: parse(String(parameters.filters ?? '')),
  }
}

export function passes(rule: Rule, { label, confidence, outlier }: RuledDecision): boolean {
  if (rule.outliersOnly && !outlier) return false
  if (label < 0) return rule.undecided && rule.labels === null && rule.minConfidence === 0
  return (rule.labels === null || rule.labels.has(label)) && confidence >= rule.minConfidence * 100
}

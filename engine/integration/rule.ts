/**
 * The rule of a step that sends events out: the parameters that select decisions, and the rule built from them.
 *
 * Owns: the rule on a decision. Leaves out: filters on the event itself, which are compiled where events are read.
 */
import { Refusal } from '../errors.js'
import type { Autonomy } from '../domain/autonomy/passage.js'
import type { IntegrationRole, Label } from '../domain/job/job.js'
import type { RuledDecision } from '../domain/decide/decision.js'
import { resolveLabel } from '../domain/job/labels.js'
import { compileFilters, parseFilters, type Filter } from '../domain/query/filter.js'
import { FieldSet } from '../domain/query/field.js'
import { labelWords } from '../resource/registry/label-parameters.js'
import type { ParameterSpec } from '../resource/registry/parameters.js'
import type { OpenedParameters } from './contract.js'

export interface Rule {
  /** Indexes of labels; null for all. */
  readonly labels: ReadonlySet<number> | null
  /** 0 to 100. */
  readonly minConfidence: number
  readonly outliersOnly: boolean
  /** Include events without a decision. */
  readonly undecided: boolean
  /** Send a repeated decision even if its label is the same. */
  readonly sameAgain: boolean
  readonly filters: readonly Filter[]
  /** Send only what a gate has settled. */
  readonly settledOnly: boolean
}

/** Why a text is not a list of filters, or null. */
function misfit(text: string): string | null {
  try {
    parse(text)
    return null
  } catch (error) {
    return error instanceof Refusal
      ? (error.context.issues?.[0]?.msg ?? error.message)
      : 'must be a JSON list of filters'
  }
}

function parse(text: string): Filter[] {
  if (text.trim() === '') return []
  const filters = parseFilters(/^\s*[[{]/.test(text) ? JSON.parse(text) : [{ query: text }])
  const fields = new FieldSet(['service'])
  compileFilters(filters, fields, { nowMicros: 0, offsetMinutes: 0 })
  fields.mustBeDecided(['filters'])
  return filters
}

const only: ParameterSpec = {
  name: 'only',
  type: 'string',
  required: false,
  allowed: ['', 'settled'],
  description: 'With `settled`, send only what a gate of the safety contract has settled. Empty for all.',
}

/** The parameter of steps whose messages people read. */
export function sumUpParameter(usual: number): ParameterSpec {
  return {
    name: 'sum_up_over',
    type: 'number',
    required: false,
    minimum: 0,
    maximum: 1_000,
    default: usual,
    description:
      'If the receiver was away, or is slow, and more than so many messages wait, the newest are sent one by one and ' +
      'the others as one message with their number. 0: each one is sent.',
  }
}

/** The parameters of every step that sends events out. */
export function ruleParameters(role: IntegrationRole): ParameterSpec[] {
  return [
    {
      name: 'decisions',
      type: 'string',
      required: false,
      labels: true,
      description:
        'Labels of the job by name or id, separated by commas. Events with another decision are not sent. Empty for all.',
    },
    {
      name: 'min_confidence',
      type: 'number',
      required: false,
      minimum: 0,
      description: 'Events with a lower confidence, 0 to 100, are not sent.',
    },
    {
      name: 'only_outliers',
      type: 'boolean',
      required: false,
      description: 'Send only outliers: events unlike all training data of the model.',
    },
    {
      name: 'include_undecided',
      type: 'boolean',
      required: false,
      default: role === 'output',
      description: 'Send events without a decision too.',
    },
    ...(role === 'post_decision' ? [only] : []),
    {
      name: 'filters',
      type: 'string',
      required: false,
      check: misfit,
      description: 'A query, or a JSON list of {field, operator, value}. Events that it does not find are not sent.',
    },
  ]
}

/** The rule of a step. Labels that the job does not have are ignored. */
export function ruleOf(role: IntegrationRole, parameters: OpenedParameters, labels: readonly Label[]): Rule {
  const names = labelWords(String(parameters.decisions ?? ''))
  const wanted = names.flatMap((name) => resolveLabel(labels, name) ?? [])
  return {
    labels: names.length === 0 ? null : new Set(wanted),
    minConfidence: Number(parameters.min_confidence ?? 0),
    outliersOnly: parameters.only_outliers === true,
    undecided: (parameters.include_undecided ?? role === 'output') === true,
    sameAgain: role === 'output',
    filters: parse(String(parameters.filters ?? '')),
    settledOnly: parameters.only === 'settled',
  }
}

/** The autonomy of an earlier decision is not kept. It is as it was, because nothing is settled later. */
export function passes(
  rule: Rule,
  { label, confidence, outlier, autonomy = 'settled' }: RuledDecision & { readonly autonomy?: Autonomy },
): boolean {
  if (rule.settledOnly && autonomy !== 'settled') return false
  if (rule.outliersOnly && !outlier) return false
  if (label < 0) return rule.undecided && rule.labels === null && rule.minConfidence === 0
  return (rule.labels === null || rule.labels.has(label)) && confidence >= rule.minConfidence * 100
}

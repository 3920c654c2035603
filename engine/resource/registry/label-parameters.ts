/**
 * Parameters that list labels of the job: `Escalate, label_1`.
 *
 * Owns: the check of such a list, and its change when labels are renamed. Leaves out: its use (integration/rule.ts).
 *
 * 1. A new list names existing labels only. An unknown name would silently leave out events that somebody waits for.
 * 2. An unchanged list keeps its labels under their new names.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import type { Label } from '../../domain/job/job.js'
import { resolveLabel } from '../../domain/job/labels.js'
import type { ParameterSpec, ParameterValues } from './parameters.js'

/** The labels of a job before and after a document. */
export interface LabelsChange {
  readonly before: readonly Label[]
  readonly after: readonly Label[]
}

/** The names in a list. */
export function labelWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** Why a list is invalid, as words that follow the parameter's name; null where it is valid. */
function misfit(text: string, labels: readonly Label[]): string | null {
  const stray = labelWords(text).find((word) => resolveLabel(labels, word) === null)
  if (stray === undefined) return null
  const names = labels.map(({ name }) => name).join(', ')
  return `names "${cutText(stray, 50)}", which is no label of the job; its labels are ${names}`
}

function renamed(text: string, { before, after }: LabelsChange): string {
  const same = (one: string, other: string): boolean => one.trim().toLowerCase() === other.toLowerCase()
  const words = labelWords(text)
  const named = words.map((word) => {
    const place = resolveLabel(before, word)
    const [was, is] = place === null ? [] : [before[place], after[place]]
    if (was === undefined || is === undefined) return word
    // A name with a comma would be two names in a list.
    const name = is.name.includes(',') ? is.id : is.name
    return same(word, was.name) ? (same(word, is.name) ? word : name) : same(word, was.id) ? is.id : word
  })
  return named.join(', ') === words.join(', ') ? text : named.join(', ')
}

/** The values of a step, whose lists of labels are to be checked or renamed. */
export interface LabelReading {
  readonly specs: readonly ParameterSpec[]
  readonly values: ParameterValues
  /** The stored values; null for a new step. */
  readonly before: ParameterValues | null
  readonly labels: LabelsChange
  readonly report: (name: string, msg: string) => void
}

/** The values with the new names of labels. Reports names that are no labels. */
export function withLabels({ specs, values, before, labels, report }: LabelReading): ParameterValues {
  const changed: Record<string, unknown> = {}
  for (const { name, labels: namesLabels } of specs) {
    const text = values[name]
    if (namesLabels !== true || typeof text !== 'string') continue
    if (text === before?.[name]) changed[name] = renamed(text, labels)
    else {
      const reason = misfit(text, labels.after)
      if (reason !== null) report(name, reason)
    }
  }
  return { ...values, ...changed }
}

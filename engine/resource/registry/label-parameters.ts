/**
 * Parameters of steps that name labels of their job: `Escalate, label_1`.
 *
 * Owns: what such a text may say, and what becomes of it when labels are called otherwise. Leaves out: what is done by it (integration/rule.ts).
 *
 * 1. What is given anew names labels that the job has: a word that names none would silently leave out what somebody waits for.
 * 2. What stays as it was goes on naming the same labels under their new names.
 */
import type { Label } from '../../domain/job/job.js'
import { resolveLabel } from '../../domain/job/labels.js'
import type { ParameterSpec, ParameterValues } from './parameters.js'

/** Before and after a document. */
export interface LabelNames {
  readonly before: readonly Label[]
  readonly after: readonly Label[]
}

/** The words of such a text. */
export function labelWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** Why a text does not name labels, in words that go on from the parameter's name; null where it does. */
function misfit(text: string, labels: readonly Label[]): string | null {
  const stray = labelWords(text).find((word) => resolveLabel(labels, word) === null)
  return stray === undefined
    ? null
    : `names "${stray.slice(0, 50)}", which is no label of the job; its labels are ${labels.map(({ name }) => name).join(', ')}`
}

function renamed(text: string, { before, after }: LabelNames): string {
  const same = (one: string, other: string): boolean => one.trim().toLowerCase() === other.toLowerCase()
  const words = labelWords(text)
  const named = words.map((word) => {
    const place = resolveLabel(before, word)
    const [was, is] = place === null ? [] : [before[place], after[place]]
    if (was === undefined || is === undefined) return word
    // A name with a comma is two words here.
    const name = is.name.includes(',') ? is.id : is.name
    return same(word, was.name) ? (same(word, is.name) ? word : name) : same(word, was.id) ? is.id : word
  })
  return named.join(', ') === words.join(', ') ? text : named.join(', ')
}

/** The values of a step, naming the labels of after; `old` are those that it had, null for a new one. Tells of words that name none. */
export function withLabels(
  specs: readonly ParameterSpec[],
  values: ParameterValues,
  old: ParameterValues | null,
  labels: LabelNames,
  report: (name: string, msg: string) => void,
): ParameterValues {
  const changed: Record<string, unknown> = {}
  for (const { name, labels: namesLabels } of specs) {
    const text = values[name]
    if (namesLabels !== true || typeof text !== 'string') continue
    if (text === old?.[name]) changed[name] = renamed(text, labels)
    else {
      const reason = misfit(text, labels.after)
      if (reason !== null) report(name, reason)
    }
  }
  return { ...values, ...changed }
}

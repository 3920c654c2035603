/**
 * What the labels of a root cause job mean: which is the root cause, which the symptom, which neither.
 *
 * Owns: finding that out. Leaves out: the labels' names, ids and places (labels.ts).
 *
 * 1. A role that is given counts first. Then a label counts whose whole name is that of a role. Then a name or id with
 *    a word of the role counts, also where it is misspelt. A role that two labels claim in one step stays open.
 * 2. One label and one role that are left belong together. Where more are left, places decide.
 */
import { labelRoles, type Label, type LabelRole } from './job.js'

/** The place of the label for each role, in the order of labelRoles. */
export type LabelsByRole = readonly [rootCause: number, symptom: number, irrelevant: number]

/** The labels of a job in their default order. */
export const labelsInOrder: LabelsByRole = [0, 1, 2]

export interface LabelMeanings {
  readonly byRole: LabelsByRole
  /** Places of labels whose meaning follows from their place alone. */
  readonly byPlace: readonly number[]
}

const ownNames: Readonly<Record<LabelRole, readonly string[]>> = {
  root_cause: ['root cause', 'rootcause'],
  symptom: ['symptom', 'symptoms'],
  irrelevant: ['irrelevant'],
}

const roleWords: Readonly<Record<LabelRole, readonly string[]>> = {
  root_cause: ['cause', 'root', 'rootcause', 'origin', 'culprit', 'trigger', 'source', 'primary'],
  symptom: ['symptom', 'effect', 'consequence', 'consequential', 'caused', 'derived', 'secondary', 'downstream'],
  irrelevant: ['irrelevant', 'unrelated', 'noise', 'noisy', 'neither', 'none', 'other', 'independent'],
}

const negations: readonly string[] = ['not', 'no', 'non', 'without']
const positives: readonly string[] = ['relevant', 'related']

/** Lower-case words of a text; `rootCause` has two. */
function wordsOf(text: string): string[] {
  const plain = text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
  return plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The number of letters to insert, delete or replace to make one word of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] as number) + Number(one[i - 1] !== other[j - 1])
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[other.length] as number
}

/** True for a slip of the pen. The first letter must be right: `relevant` is not nearly `irrelevant`. */
function isNearly(word: string, known: string): boolean {
  if (known.length < 5 || word[0] !== known[0] || Math.abs(word.length - known.length) > 2) return false
  return distance(word, known) <= (known.length < 7 ? 1 : 2)
}

function roleOfWord(word: string): LabelRole | undefined {
  return (
    labelRoles.find((role) => roleWords[role].includes(word)) ??
    labelRoles.find((role) => roleWords[role].some((known) => isNearly(word, known)))
  )
}

/** The role that the words name, or null where they name none or several. */
function roleOfWords(words: readonly string[]): LabelRole | null {
  const roles = new Set(words.flatMap((word) => roleOfWord(word) ?? []))
  const isNegated = words.some((word) => negations.includes(word))
  if (isNegated && (roles.size > 0 || words.some((word) => positives.includes(word)))) return 'irrelevant'
  const [role] = roles
  return roles.size === 1 && role !== undefined ? role : null
}

/** What each label says of its role, the surest first. */
const steps: readonly ((label: Label) => LabelRole | null)[] = [
  ({ role }) => role ?? null,
  ({ name }) => labelRoles.find((role) => ownNames[role].includes(wordsOf(name).join(' '))) ?? null,
  ({ name, id }) => roleOfWords(wordsOf(name)) ?? roleOfWords(wordsOf(id)),
]

/** What the labels of a root cause job mean. */
export function labelMeanings(labels: readonly Label[]): LabelMeanings {
  const roles = new Map<number, LabelRole>()
  const leftLabels = (): number[] => [...labels.keys()].filter((place) => !roles.has(place))
  const leftRoles = (): LabelRole[] => labelRoles.filter((role) => ![...roles.values()].includes(role))
  for (const step of steps) {
    const claims = leftLabels().map((place) => ({ place, role: step(labels[place] as Label) }))
    for (const role of leftRoles()) {
      const [claim, another] = claims.filter((one) => one.role === role)
      if (claim !== undefined && another === undefined) roles.set(claim.place, role)
    }
  }
  const left = leftLabels()
  for (const [at, role] of leftRoles().entries()) roles.set(left[at] as number, role)
  const placeOf = (role: LabelRole): number => [...roles.keys()].find((place) => roles.get(place) === role) as number
  return {
    byRole: [placeOf('root_cause'), placeOf('symptom'), placeOf('irrelevant')],
    byPlace: left.length > 1 ? left : [],
  }
}

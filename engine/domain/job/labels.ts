/**
 * A job's three labels: their defaults, the words that name them, and how an update changes them.
 *
 * Owns: the words of a label. Leaves out: the shape of the document (resource/shapes.ts).
 *
 * 1. Every word (name, id, `label_n`, `class_n`, in any case) names one label at most; labelAmbiguity finds violations.
 * 2. A label keeps its place for life, because votes and models know it by its place. So an update finds an existing
 *    label again, in whatever order it lists them.
 */
import { limits } from '../../limits.js'
import type { JobCategory, Label, LabelRole } from './job.js'

/** A label in a document; all but the name are optional. */
export interface LabelInput {
  readonly name: string
  readonly hexColor?: string | undefined
  readonly id?: string | undefined
  readonly role?: LabelRole | undefined
  readonly isUnused?: boolean | undefined
}

const triage: readonly LabelInput[] = [{ name: 'Escalate' }, { name: 'Drop' }, { name: 'Investigate' }]

const rootCause: readonly LabelInput[] = [{ name: 'Root cause' }, { name: 'Symptom' }, { name: 'Irrelevant' }]

/** By place: the default colours. */
const colors = ['#ED0A2C', '#1264FE', '#9A00FF'] as const

/** The labels of a job whose document has none (S7). */
export function defaultLabels(category: JobCategory): readonly Label[] {
  return placeLabels(category === 'Automated root cause analysis' ? rootCause : triage, [])
}

/** The form in which words are compared. */
function word(text: string): string {
  return text.trim().toLowerCase()
}

function words(label: Label, place: number): string[] {
  return [word(label.name), word(label.id), ...placeWords(place)]
}

function placeWords(place: number): string[] {
  return [`label_${place}`, `class_${place}`]
}

/** By place: the words for a decision of that label. These are its id and the words for its place. */
export function decisionWords(labels: readonly Label[]): readonly (readonly string[])[] {
  return labels.map((label, place) => [label.id, ...placeWords(place)])
}

/** The place of the label that `text` names (C1.9), or null. */
export function resolveLabel(labels: readonly Label[], text: string): number | null {
  const wanted = word(text)
  for (let place = 0; place < labels.length; place++) {
    if (words(labels[place] as Label, place).includes(wanted)) return place
  }
  return null
}

/** The first word that names two labels, or null if there is none (invariant 1). */
export function labelAmbiguity(labels: readonly Label[]): string | null {
  const places = new Map<string, number>()
  for (const [place, label] of labels.entries()) {
    for (const text of words(label, place)) {
      if ((places.get(text) ?? place) !== place) return text
      places.set(text, place)
    }
  }
  return null
}

/** A name that has gone from one label to another: whoever reads it, reads the opposite. */
export interface MovedName {
  readonly name: string
  /** The label that has it now, under its old name. */
  readonly was: string
}

/** The first name that another label had before; null: there is none. */
export function movedName(before: readonly Label[], after: readonly Label[]): MovedName | null {
  for (const [place, { name }] of after.entries()) {
    const from = before.findIndex((label) => word(label.name) === word(name))
    const was = before[place]
    if (from >= 0 && from !== place && was !== undefined) return { name, was: was.name }
  }
  return null
}

/** The same places under the same names. */
export function areSameNames(names: readonly string[], labels: readonly Label[]): boolean {
  return names.length === labels.length && names.every((name, place) => word(name) === word(labels[place]?.name ?? ''))
}

/** The ids of labels in the order in which words name them, each once; null: they name others, or one twice. */
export function labelOrder(words: readonly string[], labels: readonly Label[]): readonly string[] | null {
  const places = words.map((text) => resolveLabel(labels, text))
  if (places.includes(null) || new Set(places).size !== labels.length) return null
  return places.map((place) => (labels[place as number] as Label).id)
}

/**
 * Gives each label its place and id. A label with the id of an existing one, or else its name, takes its place
 * (invariant 2). The others take the free places in order. A missing id or colour is that of the place. A label that is
 * found again keeps its role, unless the document gives the role to another.
 */
export function placeLabels(inputs: readonly LabelInput[], existing: readonly Label[]): readonly Label[] {
  const places = new Map<number, LabelInput>()
  const rest: LabelInput[] = []
  const find = (same: (label: Label) => boolean): number => {
    return existing.findIndex((label, place) => !places.has(place) && same(label))
  }
  const byName: LabelInput[] = []
  for (const input of inputs) {
    const place = input.id === undefined ? -1 : find((label) => word(label.id) === word(input.id as string))
    if (place >= 0) places.set(place, input)
    else byName.push(input)
  }
  for (const input of byName) {
    const place = find((label) => word(label.name) === word(input.name))
    if (place >= 0) places.set(place, input)
    else rest.push(input)
  }
  const labels: Label[] = []
  for (let place = 0; place < limits.labelsPerJob; place++) {
    const input = places.get(place) ?? rest.shift()
    if (input === undefined) continue
    const kept = places.has(place) ? existing[place] : undefined
    const isFree = kept?.role !== undefined && !inputs.some((other) => other.role === kept.role)
    labels.push(labelOf(input, place, { before: existing[place], kept, isRoleKept: isFree }))
  }
  return labels
}

interface Before {
  /** The label of that place. */
  readonly before: Label | undefined
  /** The same, where the document means it. */
  readonly kept: Label | undefined
  readonly isRoleKept: boolean
}

function labelOf(input: LabelInput, place: number, { before, kept, isRoleKept }: Before): Label {
  const role = input.role ?? (isRoleKept ? kept?.role : undefined)
  return {
    id: input.id ?? before?.id ?? `label_${place}`,
    name: input.name,
    hexColor: input.hexColor ?? before?.hexColor ?? (colors[place] as string),
    ...(role === undefined ? {} : { role }),
    ...((input.isUnused ?? kept?.isUnused) === true ? { isUnused: true } : {}),
  }
}

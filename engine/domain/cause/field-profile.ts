/** What the values of each field of a sample do, and which fields tell most. */
import { scalarAt, type FieldSample } from './field-sample.js'

/** With fewer items, or alerts of an entity seen before, nothing is known. */
export const itemsMin = 7
/** The most fields that are tried as the entity, and as the kind. */
const candidatesMax = 10
/** A field that is the same on so many of an entity's alerts describes the entity. */
const attributeShare = 0.95

/** What the values of a field do. */
export interface CauseFieldProfile {
  readonly path: number
  readonly present: number
  readonly times: number
  readonly lists: number
  readonly distinct: number
  /** Values that occur once. */
  readonly once: number
  /** Entropy in nats. */
  readonly entropy: number
}

export function profileOf({ alerts }: FieldSample, path: number): CauseFieldProfile {
  const counts = new Map<number, number>()
  let times = 0
  let lists = 0
  for (const alert of alerts) {
    const code = alert[path] ?? 0
    if (typeof code !== 'number') lists++
    else if (code < 0) times++
    else if (code > 0) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const scalars = [...counts.values()].reduce((sum, count) => sum + count, 0)
  let entropy = 0
  for (const count of counts.values()) entropy -= (count / scalars) * Math.log(count / scalars)
  const once = [...counts.values()].filter((count) => count === 1).length
  return { path, present: scalars + times + lists, times, lists, distinct: counts.size, once, entropy }
}

/** The field is a fact of the entity, such as its region. */
export function isAttribute({ alerts }: FieldSample, path: number, id: number): boolean {
  if (id < 0) return false
  const latest = new Map<number, number>()
  let again = 0
  let same = 0
  for (const alert of alerts) {
    const [entity, value] = [scalarAt(alert, id), scalarAt(alert, path)]
    if (entity === 0 || value === 0) continue
    const before = latest.get(entity)
    if (before !== undefined) again++
    if (before === value) same++
    latest.set(entity, value)
  }
  return again >= itemsMin && same >= attributeShare * again
}

/** The fields with the most information: looking at all of a hundred would take too long. */
export function mostTelling(profiles: readonly CauseFieldProfile[]): CauseFieldProfile[] {
  return [...profiles].sort((a, b) => b.entropy - a.entropy || a.path - b.path).slice(0, candidatesMax)
}

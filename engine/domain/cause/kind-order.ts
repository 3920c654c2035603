/**
 * How far the order in which values come, on equal or related entities, is from chance.
 *
 * By the test of Bowker ("A test for symmetry in contingency tables", 1948). With n_ab the times that value a came
 * before b, it is the sum of (n_ab - n_ba)^2 / (n_ab + n_ba) over pairs of values, less the number of pairs.
 */
import { scalarAt, type FieldCode, type FieldSample } from './field-sample.js'

/** Paths of the entity and of what is related to it, -1 for none. */
export interface Relation {
  readonly id: number
  readonly related: number
}

/** How alerts are near each other. Without a time their order counts alone. */
export interface Nearness extends Relation {
  readonly time: number
  /** Milliseconds. */
  readonly nearMs: number
}

export type Pair = readonly [earlier: number, later: number]

/** The alerts of one entity that a later one is compared with. */
const recentMax = 6
/** More than the values of a sample. */
const keyBase = 65_536

/** For each alert the earlier ones near it, in time and by its entity. */
export function pairsOf({ alerts }: FieldSample, { id, related, time, nearMs }: Nearness): Pair[] {
  const timeAt = (at: number): number => {
    const code = time < 0 ? -at : ((alerts[at] as readonly FieldCode[])[time] ?? 0)
    return typeof code === 'number' ? -code : 0
  }
  const order = alerts.map((_, at) => at).sort((a, b) => timeAt(a) - timeAt(b) || a - b)
  const recent = new Map<number, number[]>()
  const pairs: Pair[] = []
  for (const at of order) {
    const alert = alerts[at] as readonly FieldCode[]
    const entity = id < 0 ? 1 : scalarAt(alert, id)
    if (entity === 0) continue
    const list = related < 0 ? 0 : (alert[related] ?? 0)
    for (const one of new Set([entity, ...(typeof list === 'object' ? list : [])]))
      for (const other of recent.get(one) ?? [])
        if (time < 0 || timeAt(at) - timeAt(other) <= nearMs) pairs.push([other, at])
    const own = recent.get(entity) ?? []
    if (own.push(at) > recentMax) own.shift()
    recent.set(entity, own)
  }
  return pairs
}

export interface Order {
  /** The sum, to compare fields by. */
  readonly sum: number
  /** The same in standard deviations. */
  readonly sure: number
}

/** `kinds`: the value at each alert as a small number, 0 for none. */
export function orderOf(pairs: readonly Pair[], kinds: Int32Array): Order {
  const counts = new Map<number, number>()
  const before = new Set<number>()
  let current = -1
  for (const [earlier, later] of pairs) {
    if (later !== current) before.clear()
    current = later
    const [a, b] = [kinds[earlier] as number, kinds[later] as number]
    // A storm of one kind counts once.
    if (a === b || a === 0 || b === 0 || before.has(a)) continue
    before.add(a)
    counts.set(a * keyBase + b, (counts.get(a * keyBase + b) ?? 0) + 1)
  }
  let sum = 0
  let present = 0
  for (const [key, count] of counts) {
    const [a, b] = [Math.floor(key / keyBase), key % keyBase]
    const back = counts.get(b * keyBase + a) ?? 0
    if (back > 0 && a < b) continue
    sum += (count - back) ** 2 / (count + back) - 1
    present++
  }
  return { sum, sure: present === 0 ? 0 : sum / Math.sqrt(2 * present) }
}

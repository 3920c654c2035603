/**
 * Streams that move away from what was labelled. The split is made by rule, from the events of a set alone.
 *
 * 1. `time`: labels are from the first third of the stream, scored events from the last. Sets in time order only.
 * 2. `group`: a third of the events belongs to groups that have no event before: organisations, sites, hosts. Which
 *    groups these are is drawn by the seed. Sets with such a field only.
 */
import { SeededRandom } from '../../engine/rng.js'
import type { Dataset } from './dataset.js'

export type Shift = 'time' | 'group'

export const shifts: readonly Shift[] = ['time', 'group']

/** Names of fields that say who or where, the largest unit first. The first one that a set has makes its groups. */
const groupPaths: readonly string[] = [
  'organization',
  'organization.name',
  'tenant',
  'customer',
  'site.location',
  'site',
  'location',
  'node',
  'host',
  'host.name',
  'agent.name',
  'device.id',
  'link',
]
/** Scored events, at most: evenly spread over those that could be. */
const testMax = 4_000
const partCount = 3
const groupsMin = 3

/** The field whose values are the groups of a set; null where it has none. */
export function groupPathOf({ points, values }: Pick<Dataset, 'points' | 'values'>): string | null {
  const groups = (path: string): number => {
    const point = points.indexOf(path)
    return point < 0 ? 0 : new Set(values.map((row) => JSON.stringify(row[point] ?? null))).size
  }
  return groupPaths.find((path) => groups(path) >= groupsMin) ?? null
}

function shuffle<T>(items: T[], seed: number): T[] {
  const random = new SeededRandom(seed)
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const swapped = items[i] as T
    items[i] = items[j] as T
    items[j] = swapped
  }
  return items
}

function spread(lines: readonly number[]): number[] {
  const step = Math.max(1, lines.length / testMax)
  return Array.from({ length: Math.min(testMax, lines.length) }, (_, i) => lines[Math.floor(i * step)] as number)
}

interface Split {
  readonly known: readonly number[]
  readonly scored: readonly number[]
}

function byTime({ values }: Dataset): Split {
  const lines = [...values.keys()]
  const third = Math.floor(lines.length / partCount)
  return { known: lines.slice(0, third), scored: lines.slice(-third) }
}

function byGroup(dataset: Dataset, seed: number): Split | null {
  const path = groupPathOf(dataset)
  if (path === null) return null
  const point = dataset.points.indexOf(path)
  const groups = dataset.values.map((row) => JSON.stringify(row[point] ?? null))
  const counts = new Map<string, number>()
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1)
  const wanted = groups.length / partCount
  const unseen = new Set<string>()
  let taken = 0
  for (const group of shuffle([...counts.keys()].sort(), seed + 1)) {
    if (taken >= wanted) break
    unseen.add(group)
    taken += counts.get(group) as number
  }
  const lines = [...groups.keys()]
  const isScored = (line: number): boolean => unseen.has(groups[line] as string)
  return { known: lines.filter((line) => !isScored(line)), scored: lines.filter(isScored) }
}

/** The set with another split; null where it has no time order, or no groups. */
export function shifted(dataset: Dataset, shift: Shift, seed: number): Dataset | null {
  if (shift === 'time' && !dataset.protocol.inOrder) return null
  const split = shift === 'time' ? byTime(dataset) : byGroup(dataset, seed)
  if (split === null) return null
  const { known, scored } = split
  return {
    ...dataset,
    seen: known,
    protocol: {
      ...dataset.protocol,
      test: spread(scored),
      pick: (_, drawn) => shuffle([...known], 1_000 + drawn),
    },
  }
}

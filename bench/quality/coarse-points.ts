/**
 * Decision points of the protocol `--coarse`: two to four of a set's fields, so that buckets are large and mixed.
 *
 * The rule looks at the first part alone. It adds the field that tells most about the labels, in nats, as long as
 * buckets have 20 events on average and the commonest label of each bucket is right for at most 95 % of them.
 */
import type { Dataset } from './dataset.js'

const pointsMin = 2
const pointsMax = 4
const eventsPerBucketMin = 20
const rightMax = 0.95
/** Lines that the rule looks at. */
const linesMax = 5_000

interface Split {
  readonly bits: number
  readonly buckets: number
  readonly right: number
}

function splitBy(dataset: Dataset, lines: readonly number[], points: readonly number[]): Split {
  const counts = new Map<string, number[]>()
  for (const line of lines) {
    const key = bucketOf(dataset, line, points)
    const row = counts.get(key) ?? dataset.labelNames.map(() => 0)
    const label = dataset.labels[line] as number
    row[label] = (row[label] as number) + 1
    counts.set(key, row)
  }
  let [bits, right] = [0, 0]
  for (const row of counts.values()) {
    const all = row.reduce((sum, count) => sum + count, 0)
    right += Math.max(...row)
    for (const count of row) if (count > 0) bits += count * Math.log(count / all)
  }
  return { bits: bits / lines.length, buckets: counts.size, right: right / lines.length }
}

/** The bucket of an event with these decision points, by their places in the set's list. */
export function bucketOf(dataset: Dataset, line: number, points: readonly number[]): string {
  return JSON.stringify(points.map((point) => dataset.values[line]?.[point] ?? null))
}

/** Places of the chosen fields, ascending. */
export function coarsePoints(dataset: Dataset): number[] {
  const step = Math.max(1, Math.floor(dataset.seen.length / linesMax))
  const lines = dataset.seen.filter((_, i) => i % step === 0)
  const bucketsMax = lines.length / eventsPerBucketMin
  const chosen: number[] = []
  while (chosen.length < pointsMax) {
    let best: { point: number; split: Split } | null = null
    for (const point of dataset.points.keys()) {
      if (chosen.includes(point)) continue
      const split = splitBy(dataset, lines, [...chosen, point])
      if (split.buckets > bucketsMax || split.right > rightMax) continue
      if (best === null || split.bits > best.split.bits) best = { point, split }
    }
    if (best === null) break
    chosen.push(best.point)
  }
  for (const point of dataset.points.keys()) {
    if (chosen.length >= pointsMin) break
    if (!chosen.includes(point) && splitBy(dataset, lines, [...chosen, point]).buckets <= bucketsMax) chosen.push(point)
  }
  return chosen.sort((a, b) => a - b)
}

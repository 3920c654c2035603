/** The buckets that ticked fields make of a sample, and how far they mix answers. */
import type { SampledField } from '../../../client/index.js'

export interface BucketFigures {
  readonly buckets: number
  /** Share of the 50 largest, 0 to 1. */
  readonly largest: number
}

const LARGEST = 50

/** The buckets of the sampled events by these fields. */
export function bucketsOf(fields: readonly SampledField[]): BucketFigures {
  const codes = fields.flatMap((field) => (field.codes === null ? [] : [field.codes]))
  const events = codes[0]?.length ?? 0
  const sizes = new Map<string, number>()
  for (let at = 0; at < events; at++) {
    const key = codes.map((each) => each[at]).join(' ')
    sizes.set(key, (sizes.get(key) ?? 0) + 1)
  }
  const largest = [...sizes.values()].sort((a, b) => b - a).slice(0, LARGEST)
  return { buckets: sizes.size, largest: events === 0 ? 0 : largest.reduce((sum, size) => sum + size, 0) / events }
}

/** Events of the sample that share a bucket with events of another answer. */
export interface Mixing {
  /** Those with an answer. */
  readonly answered: number
  readonly mixed: number
}

/**
 * How far buckets by these fields mix answers. What has the commonest answer of its bucket counts as right: the others
 * would be decided wrongly by the votes.
 */
export function mixingOf(fields: readonly SampledField[], answers: SampledField | null): Mixing {
  const codes = fields.flatMap((field) => (field.codes === null ? [] : [field.codes]))
  const buckets = new Map<string, Map<number, number>>()
  let answered = 0
  for (const [at, answer] of (answers?.codes ?? []).entries()) {
    if (answer < 0) continue
    answered++
    const key = codes.map((each) => each[at]).join(' ')
    const counts = buckets.get(key) ?? new Map<number, number>()
    counts.set(answer, (counts.get(answer) ?? 0) + 1)
    buckets.set(key, counts)
  }
  const right = [...buckets.values()].reduce((sum, counts) => sum + Math.max(...counts.values()), 0)
  return { answered, mixed: answered - right }
}

/**
 * The examples that a training makes of votes: one for each voted event, with what it stands for in the stream.
 *
 * The votes on a bucket are a sample of its events. A bucket with 6 votes for one label and 4 for another becomes six
 * and four examples of the same values: a soft label. A bucket counts as often as random picks of events would have met
 * it (stream-share.ts), and its examples share that weight.
 *
 * 1. Examples are in the order of time, then of labels, so the same votes give the same examples.
 * 2. With one voted event in each bucket, this is one example for each bucket.
 */
import type { PointValues } from '../event/point-value.js'
import type { Example } from './classifier.js'
import { weighBuckets } from './stream-share.js'

/** The votes on a bucket, or on a single event. */
export interface VotedSubject {
  readonly values: PointValues
  /** Events that it has. */
  readonly events: number
  /** Its voted events: when they came in, and what they are. */
  readonly voted: readonly VotedEvent[]
}

export interface VotedEvent {
  readonly micros: number
  /** Index of the label. */
  readonly label: number
  /** A vote on a whole bucket stands for several events. */
  readonly count: number
  /** It was drawn by event, not chosen. */
  readonly isUniform?: boolean
}

/** `total` is the number of all events, `examplesMax` the number of examples: above it the oldest are left out. */
export function examplesOf(subjects: readonly VotedSubject[], total: number, examplesMax: number): Example[] {
  const sizes = subjects.map(({ voted }) => voted.reduce((sum, { count }) => sum + count, 0))
  const weights = weighBuckets(
    subjects.map(({ events }) => events),
    total,
    sizes,
  )
  const events = subjects.flatMap(({ voted }) => voted)
  const subjectOf = new Uint32Array(events.length)
  let placed = 0
  for (const [i, { voted }] of subjects.entries()) {
    subjectOf.fill(i, placed, placed + voted.length)
    placed += voted.length
  }
  return Array.from(latest(events, examplesMax), (at) => {
    const { micros, label, count, isUniform } = events[at] as VotedEvent
    const i = subjectOf[at] as number
    const weight = (count * (weights[i] as number)) / (sizes[i] as number)
    const { values } = subjects[i] as VotedSubject
    return { values, label, weight, micros, ...(isUniform === true ? { isUniform } : {}) }
  })
}

/** The places of the latest events, at most `most`, the oldest first. Hundreds of thousands come in order. */
function latest(events: readonly VotedEvent[], most: number): Uint32Array {
  const order = Uint32Array.from(events.keys())
  const compare = (a: number, b: number): number => {
    const [one, other] = [events[a] as VotedEvent, events[b] as VotedEvent]
    return one.micros - other.micros || one.label - other.label || a - b
  }
  if (order.some((at) => at > 0 && compare(at - 1, at) > 0)) order.sort(compare)
  return order.subarray(-most)
}

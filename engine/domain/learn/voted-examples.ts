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
import { grown } from '../event/grown.js'
import type { PointValues } from '../event/point-value.js'
import type { Example } from './classifier.js'
import { weighBuckets } from './stream-share.js'

/** The votes on a bucket, or on a single event. */
export interface VotedSubject {
  readonly values: PointValues
  /** Events that it has. */
  readonly events: number
  /** Its voted events: when they came in, and what they are. */
  readonly voted: readonly CountedVote[]
}

export interface CountedVote {
  readonly micros: number
  /** Index of the label. */
  readonly label: number
  /** A vote on a whole bucket stands for several events. */
  readonly count: number
  /** It was drawn by event, not chosen. */
  readonly isUniform?: boolean
}

/** Voted events of a job without buckets, in columns: there may be a million, and each is a subject of its own. */
export class SingleVotes {
  readonly values: PointValues[] = []
  micros = new Float64Array(1_024)
  labels = new Int32Array(1_024)

  get count(): number {
    return this.values.length
  }

  add(values: PointValues, micros: number, label: number): void {
    const at = this.values.length
    if (at === this.micros.length) {
      this.micros = grown(this.micros, new Float64Array(2 * at))
      this.labels = grown(this.labels, new Int32Array(2 * at))
    }
    this.values.push(values)
    this.micros[at] = micros
    this.labels[at] = label
  }
}

/** When voted events came in, and what they are: those of the subjects one after the other, then single ones. */
interface VotedPlaces {
  readonly micros: Float64Array
  readonly labels: Int32Array
}

function placesOf(events: readonly CountedVote[], singles: SingleVotes): VotedPlaces {
  const count = events.length + singles.count
  const micros = new Float64Array(count)
  const labels = new Int32Array(count)
  for (const [at, event] of events.entries()) {
    micros[at] = event.micros
    labels[at] = event.label
  }
  micros.set(singles.micros.subarray(0, singles.count), events.length)
  labels.set(singles.labels.subarray(0, singles.count), events.length)
  return { micros, labels }
}

/**
 * `total` is the number of all events, `examplesMax` the number of examples: above it the oldest are left out.
 * `singles` are further subjects.
 */
export function examplesOf(
  subjects: readonly VotedSubject[],
  total: number,
  examplesMax: number,
  singles = new SingleVotes(),
): Example[] {
  const sizes = new Float64Array(subjects.length + singles.count).fill(1)
  const events = sizes.slice()
  for (const [i, subject] of subjects.entries()) {
    sizes[i] = subject.voted.reduce((sum, { count }) => sum + count, 0)
    events[i] = subject.events
  }
  const weights = weighBuckets(events, total, sizes)
  const voted = subjects.flatMap(({ voted: all }) => all)
  const subjectOf = new Uint32Array(voted.length)
  let placed = 0
  for (const [i, { voted: all }] of subjects.entries()) {
    subjectOf.fill(i, placed, placed + all.length)
    placed += all.length
  }
  const places = placesOf(voted, singles)
  return Array.from(latest(places, examplesMax), (at) => {
    const [micros, label] = [places.micros[at] as number, places.labels[at] as number]
    const single = at - voted.length
    const i = single >= 0 ? subjects.length + single : (subjectOf[at] as number)
    const weight = weights[i] as number
    if (single >= 0) return { values: singles.values[single] as PointValues, label, weight, micros }
    const { count, isUniform } = voted[at] as CountedVote
    const { values } = subjects[i] as VotedSubject
    const example = { values, label, weight: (count * weight) / (sizes[i] as number), micros }
    return isUniform === true ? { ...example, isUniform } : example
  })
}

/** The places of the latest events, at most `most`, the oldest first. Hundreds of thousands come in order. */
function latest({ micros, labels }: VotedPlaces, most: number): Uint32Array {
  const order = new Uint32Array(micros.length)
  for (let at = 0; at < order.length; at++) order[at] = at
  const compare = (a: number, b: number): number =>
    (micros[a] as number) - (micros[b] as number) || (labels[a] as number) - (labels[b] as number) || a - b
  if (order.some((at) => at > 0 && compare(at - 1, at) > 0)) order.sort(compare)
  return order.subarray(-most)
}

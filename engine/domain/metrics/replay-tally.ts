/**
 * What a replay counts: a decision beside another one of the same event, by bucket and weighted by mass.
 *
 * Owns: the counts. Leaves out: where the decisions come from (services/replay/), how they are shown.
 *
 * 1. An event counts as one: a bucket weighs as much as it has events.
 * 2. Agreement with a consensus that a model was trained on says how consistent it is, not how good. So events whose
 *    votes neither side had seen are counted apart.
 */
import type { RuledDecision } from '../decide/decision.js'

export const replayBounds = {
  /** Buckets in a report: those with the most changed events. */
  bucketsShown: 100,
  /** Examples of changed events. */
  eventsShown: 100,
  /** Buckets that are counted one by one; events of others count without their bucket. */
  bucketsMax: 1_000_000,
  /** Replays of a job that are listed once they are over, and that wait. */
  keptMax: 50,
  waitingMax: 8,
} as const

/** The consensus of an event's votes, and whether either side was trained on it. */
export interface JudgedBy {
  readonly label: number
  readonly seen: boolean
}

/** One event, decided twice. */
export interface ReplayedEvent {
  readonly micros: number
  /** The id of its bucket, as text; null for none. */
  readonly bucket: string | null
  readonly before: RuledDecision
  readonly after: RuledDecision
  readonly consensus: JudgedBy | null
  /** Whether people would have seen it in their queue. */
  readonly queued: readonly [before: boolean, after: boolean]
}

/** Events with a consensus, and how many of them each side decides so. */
export interface ConsensusAgreement {
  readonly events: number
  readonly before: number
  readonly after: number
}

/** Events that one place would have seen. */
export interface Reached {
  readonly before: number
  readonly after: number
  /** Only with the change, and only without it. */
  readonly added: number
  readonly removed: number
}

export interface ChangedBucket {
  /** Hexadecimal. */
  readonly bucket: string
  readonly events: number
  readonly changed: number
  /** By label before, -1 for none, and label after. */
  readonly changes: readonly { readonly before: number; readonly after: number; readonly events: number }[]
}

/** Plain JSON. Labels are indices, -1 for no decision. */
export interface ReplayFigures {
  readonly events: number
  readonly changed: number
  /** Number of events, at [before + 1][after + 1]. */
  readonly moves: readonly (readonly number[])[]
  readonly outliers: readonly [before: number, after: number]
  readonly lowConfidence: readonly [before: number, after: number]
  readonly buckets: number
  readonly bucketsChanged: number
  readonly topBuckets: readonly ChangedBucket[]
  /** Ingest times of some changed events, the first ones. */
  readonly examples: readonly number[]
  /** Votes that one of the models was trained on. */
  readonly seenVotes: ConsensusAgreement
  readonly unseenVotes: ConsensusAgreement
  readonly queue: Reached
  /** By output step. */
  readonly outputs: readonly Reached[]
}

/** Hundredths of a percent: below it a confidence is low (C4.4). */
const LOW = 6_000

class ReachTally {
  before = 0
  after = 0
  added = 0
  removed = 0

  add(before: boolean, after: boolean): void {
    if (before) this.before++
    if (after) this.after++
    if (after && !before) this.added++
    if (before && !after) this.removed++
  }

  figures(): Reached {
    const { before, after, added, removed } = this
    return { before, after, added, removed }
  }
}

class AgreementTally {
  events = 0
  before = 0
  after = 0

  add(label: number, before: number, after: number): void {
    this.events++
    if (before === label) this.before++
    if (after === label) this.after++
  }

  figures(): ConsensusAgreement {
    const { events, before, after } = this
    return { events, before, after }
  }
}

interface BucketTally {
  events: number
  changed: number
  /** At (before + 1) * sides + after + 1. */
  moves: Uint32Array | null
}

export class ReplayTally {
  readonly #sides: number
  readonly #moves: number[][]
  readonly #buckets = new Map<string, BucketTally>()
  readonly #examples: number[] = []
  readonly #seen = new AgreementTally()
  readonly #unseen = new AgreementTally()
  readonly #queue = new ReachTally()
  readonly #outputs: readonly ReachTally[]
  readonly #outliers: [number, number] = [0, 0]
  readonly #low: [number, number] = [0, 0]
  events = 0
  #changed = 0

  constructor(labelCount: number, outputs: number) {
    this.#sides = labelCount + 1
    this.#moves = Array.from({ length: this.#sides }, () => new Array<number>(this.#sides).fill(0))
    this.#outputs = Array.from({ length: outputs }, () => new ReachTally())
  }

  add({ micros, bucket, before, after, consensus, queued }: ReplayedEvent): void {
    this.events++
    const changed = before.label !== after.label
    ;(this.#moves[before.label + 1] as number[])[after.label + 1]! += 1
    this.#look(0, before)
    this.#look(1, after)
    if (changed) {
      this.#changed++
      if (this.#examples.length < replayBounds.eventsShown) this.#examples.push(micros)
    }
    if (bucket !== null) this.#addTo(bucket, before.label, after.label)
    if (consensus !== null) (consensus.seen ? this.#seen : this.#unseen).add(consensus.label, before.label, after.label)
    this.#queue.add(queued[0], queued[1])
  }

  /** Whether an output step would have got the event. */
  addOutput(place: number, before: boolean, after: boolean): void {
    this.#outputs[place]?.add(before, after)
  }

  figures(): ReplayFigures {
    const changed = [...this.#buckets].filter(([, tally]) => tally.changed > 0)
    changed.sort(([a, one], [b, other]) => other.changed - one.changed || (a < b ? -1 : 1))
    return {
      events: this.events,
      changed: this.#changed,
      moves: this.#moves,
      outliers: this.#outliers,
      lowConfidence: this.#low,
      buckets: this.#buckets.size,
      bucketsChanged: changed.length,
      topBuckets: changed.slice(0, replayBounds.bucketsShown).map(([bucket, tally]) => this.#shown(bucket, tally)),
      examples: this.#examples,
      seenVotes: this.#seen.figures(),
      unseenVotes: this.#unseen.figures(),
      queue: this.#queue.figures(),
      outputs: this.#outputs.map((output) => output.figures()),
    }
  }

  #look(side: 0 | 1, { outlier, label, confidence }: RuledDecision): void {
    if (outlier) this.#outliers[side]++
    if (label >= 0 && confidence < LOW) this.#low[side]++
  }

  #addTo(bucket: string, before: number, after: number): void {
    let tally = this.#buckets.get(bucket)
    if (tally === undefined) {
      if (this.#buckets.size >= replayBounds.bucketsMax) return
      this.#buckets.set(bucket, (tally = { events: 0, changed: 0, moves: null }))
    }
    tally.events++
    if (before === after) return
    tally.changed++
    tally.moves ??= new Uint32Array(this.#sides ** 2)
    tally.moves[(before + 1) * this.#sides + after + 1]! += 1
  }

  #shown(bucket: string, { events, changed, moves }: BucketTally): ChangedBucket {
    const changes: { before: number; after: number; events: number }[] = []
    for (const [place, count] of (moves ?? []).entries())
      if (count > 0)
        changes.push({ before: Math.floor(place / this.#sides) - 1, after: (place % this.#sides) - 1, events: count })
    changes.sort((a, b) => b.events - a.events)
    return { bucket: Buffer.from(bucket, 'latin1').toString('hex'), events, changed, changes }
  }
}

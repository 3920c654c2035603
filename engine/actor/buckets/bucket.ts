/** A bucket in memory: its rows in the store, and what the thread of its job has worked out about it. */
import { lacksPoints } from '../../domain/event/decision-points.js'
import type { PointValues } from '../../domain/event/point-value.js'
import type { BucketStanding } from '../../domain/autonomy/passage.js'
import type { Decision } from '../../domain/decide/decision.js'
import { absentPoints } from '../../domain/metrics/point-tally.js'
import type { BucketState } from '../../domain/learn/knowledge-base.js'
import type { BucketRow, CountRow } from '../../store/bucket-row.js'
import { NOT_DEFERRED, type Counted } from './deferred-counters.js'

export interface Bucket extends Counted {
  readonly id: Buffer
  /** Null once its row is in the store: most decisions are known by then, and the values take most of the memory. */
  values: PointValues | null
  /** The decision points without a value, as places in their list. */
  readonly absent: readonly number[]
  /** No decision point has a value. */
  readonly lacksPoints: boolean
  readonly fingerprint: number
  firstMicros: number
  events: number
  lastMicros: number
  /** By label: how many of its events have it as their decision. */
  readonly decided: number[]
  hasBallot: boolean
  /** It is in the cache. Of a bucket that is not, there may be another copy. */
  kept: boolean
  /** Its row in the store is up to date, apart from the counts. */
  stored: boolean
  /** It has no row yet. */
  isNew: boolean
  /** Events of this turn that the counts of decision points lack (point-counter.ts). */
  uncounted: number
  /** This turn changed it. */
  changed: boolean
  /** What the model and the knowledge base decide for it; null until that is worked out (again). */
  decision: Decision | null
  /** The state of the votes that this decision has read; 0 for none. */
  votesState: number
  /** Where its votes stand; null until that is worked out (again). */
  state: BucketState | null
  /** What its votes and the contract mean for settling; null until that is worked out (again). */
  standing: BucketStanding | null
}

/** What a bucket is made of: its rows, and what the rows do not hold. */
export interface NewBucket {
  readonly jobId: number
  readonly row: BucketRow & { readonly id: Buffer }
  readonly counts: CountRow
  readonly stored: boolean
}

export function newBucket({ jobId, row, counts, stored }: NewBucket): Bucket {
  const { id, number, firstMicros, hasBallot, fingerprint, values } = row
  const { events, lastMicros, decided } = counts
  return {
    jobId,
    id,
    values: stored ? null : values,
    absent: absentPoints(values),
    lacksPoints: lacksPoints(values),
    fingerprint,
    number,
    firstMicros,
    events,
    lastMicros,
    decided: [...decided],
    hasBallot,
    kept: true,
    stored,
    isNew: !stored,
    uncounted: 0,
    changed: false,
    deferredSince: NOT_DEFERRED,
    decision: null,
    votesState: 0,
    state: null,
    standing: null,
  }
}

/**
 * The buckets of one job that its thread has at hand, with what the active model says of each.
 *
 * Owns: the rows in memory, which of them the turn changed, and how many are kept. Leaves out: deciding, votes.
 *
 * 1. A bucket that the turn changed is written with it and stays in memory until then.
 * 2. What is forgotten is read again: memory is a copy of the store, never more than it.
 */
import { bucketIdOf, bucketText } from '../event/bucket-key.js'
import type { PointValues } from '../event/point-value.js'
import type { Decision } from '../decide/decision.js'
import { bucketKey } from '../store/tables.js'
import { decodeBucket, encodeBucket, writeBucketHeader, type BucketRow } from '../store/rows.js'
import type { KnowledgeState } from '../learn/knowledge-base.js'
import type { TurnStore } from './turn-store.js'

/** A bucket in memory. */
export interface Bucket {
  readonly id: Buffer
  readonly text: string
  readonly values: PointValues
  readonly fingerprint: number
  events: number
  firstMicros: number
  lastMicros: number
  hasBallot: boolean
  changed: boolean
  /** The bytes of its row, as last written; null before the first time. */
  bytes: Buffer | null
  /** What the bucket answers, and the model and state that it was worked out for; null when it has to be again. */
  decision: Decision | null
  state: KnowledgeState | null
}

export class BucketCache {
  readonly #jobId: number
  readonly #byText = new Map<string, Bucket>()
  readonly #changed: Bucket[] = []
  readonly #fingerprint: number

  /** `fingerprint` of the job's decision points: other points make other buckets. */
  constructor(jobId: number, fingerprint: number) {
    this.#jobId = jobId
    this.#fingerprint = fingerprint
  }

  get size(): number {
    return this.#byText.size
  }

  /** The bucket of these values: from memory, from the store, or new. */
  of(store: TurnStore, values: PointValues): Bucket {
    const text = bucketText(values)
    const known = this.#byText.get(text)
    if (known !== undefined) return known
    const id = bucketIdOf(this.#fingerprint, text)
    const bytes = store.get('buckets', bucketKey(this.#jobId, id))
    const bucket = bytes === undefined ? newBucket(id, text, values, this.#fingerprint) : fromRow(id, text, decodeBucket(bytes))
    this.#byText.set(text, bucket)
    return bucket
  }

  /** The bucket with this id, which an event in the store is in; of earlier decision points too. */
  byId(store: TurnStore, id: Uint8Array): Bucket | null {
    // A bucket made in this turn is in memory only.
    const changed = this.#changed.find((bucket) => Buffer.compare(bucket.id, id) === 0)
    if (changed !== undefined) return changed
    const bytes = store.get('buckets', bucketKey(this.#jobId, id))
    if (bytes === undefined) return null
    const row = decodeBucket(bytes)
    return row.fingerprint === this.#fingerprint ? this.of(store, row.values) : fromRow(Buffer.from(id), '', row)
  }

  /** The turn changed the bucket. */
  touch(bucket: Bucket): void {
    if (bucket.changed) return
    bucket.changed = true
    this.#changed.push(bucket)
  }

  /** Writes what the turn changed. */
  write(store: TurnStore): void {
    for (const bucket of this.#changed) {
      bucket.changed = false
      const key = bucketKey(this.#jobId, bucket.id)
      if (bucket.events === 0 && !bucket.hasBallot) {
        store.delete('buckets', key)
        this.#byText.delete(bucket.text)
      } else store.put('buckets', key, rowBytes(bucket))
    }
    this.#changed.length = 0
  }

  /** Answers have to be worked out again: there is another model. */
  forgetDecisions(): void {
    for (const bucket of this.#byText.values()) {
      bucket.decision = null
      bucket.state = null
    }
  }

  /** Forgets the oldest buckets until at most `max` are left. Only between turns. */
  shrink(max: number): void {
    for (const text of this.#byText.keys()) {
      if (this.#byText.size <= max) return
      this.#byText.delete(text)
    }
  }
}

function newBucket(id: Buffer, text: string, values: PointValues, fingerprint: number): Bucket {
  return {
    id, text, values, fingerprint, events: 0, firstMicros: 0, lastMicros: 0, hasBallot: false, changed: false, bytes: null, decision: null,
    state: null,
  }
}

function fromRow(id: Buffer, text: string, row: BucketRow): Bucket {
  return { ...row, id, text, changed: false, bytes: null, decision: null, state: null }
}

/** The bytes stay the bucket's: the store has copied them when the turn is committed, and they change in a later one. */
function rowBytes(bucket: Bucket): Buffer {
  if (bucket.bytes === null) bucket.bytes = encodeBucket(bucket)
  else writeBucketHeader(bucket.bytes, bucket)
  return bucket.bytes
}

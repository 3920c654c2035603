/**
 * The buckets of one job that its thread has in memory, each with what the active model decides for it.
 *
 * Owns: which buckets are in memory, which of them the turn changed, and writing those. Leaves out: decisions
 * (job-model.ts), votes (voting.ts), rows of counts (deferred-counters.ts).
 *
 * 1. A bucket that the turn changed stays in memory until the turn writes it. Where the turn only added events, only
 *    its counts have changed, and their row may be written later.
 * 2. Memory is a copy of the store: a bucket that was forgotten is read again.
 * 3. All that this holds is counted in the memory of its thread (bucket-memory.ts).
 */
import { limits } from '../../limits.js'
import { bucketIdOf, bucketIdText, bucketText } from '../../domain/event/bucket-key.js'
import { ABSENT, ByteTable } from '../../domain/event/byte-table.js'
import type { PointKey } from '../../domain/event/point-tree.js'
import type { PointValues } from '../../domain/event/point-value.js'
import type { JobSettings } from '../../domain/job/job.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { countKey } from '../../store/tables.js'
import type { JobStats } from '../job-stats.js'
import type { TurnStore } from '../turn-store.js'
import { newBucket, type Bucket } from './bucket.js'
import { storedBucket, writeBucket } from './stored-bucket.js'
import type { LateRows } from './late-rows.js'
import { latestOf, type BucketHolder, type BucketMemory } from './bucket-memory.js'
import { layCount, NOT_DEFERRED } from './deferred-counters.js'
import { Slab } from './slab.js'

/** About what a bucket takes without its text, and what a key takes without its bytes. */
const BUCKET_BYTES = 600
const KEY_BYTES = 40
/** Somewhat fewer are kept than would fill the bytes: the latest buckets may be larger than others. */
const KEPT_SHARE = 0.9

function bytesOf(bucket: Bucket): number {
  return BUCKET_BYTES + bucket.text.length
}

export interface BucketCacheDeps {
  readonly settings: Pick<JobSettings, 'id' | 'labels'>
  /** Of the job's decision points: other points make other buckets. */
  readonly fingerprint: number
  readonly stats: JobStats
  readonly late: Pick<LateRows, 'counters' | 'index'>
  readonly memory: BucketMemory
}

export class BucketCache implements BucketHolder {
  readonly #jobId: number
  readonly #stats: JobStats
  readonly #byText = new Map<string, Bucket>()
  readonly #memory: BucketMemory
  /** Of the buckets in `#byText`. */
  #bucketBytes = 0
  /** By the bytes at the decision points, as the scanner finds them. Several of these keys may lead to one bucket. */
  #keys = new ByteTable()
  readonly #byKey: Bucket[] = []
  readonly #changed: Bucket[] = []
  /** By id, one character a byte. Filled when `byId` is called. */
  readonly #changedById = new Map<string, Bucket>()
  readonly #fingerprint: number
  readonly #labelCount: number
  readonly #late: BucketCacheDeps['late']
  readonly #slab = new Slab()

  constructor({ settings, fingerprint, stats, late, memory }: BucketCacheDeps) {
    this.#late = late
    this.#memory = memory
    this.#labelCount = settings.labels.length
    this.#jobId = settings.id
    this.#fingerprint = fingerprint
    this.#stats = stats
  }

  get size(): number {
    return this.#byText.size
  }
  /** About the bytes of all buckets and keys. */
  get bytes(): number {
    return this.#bucketBytes + this.#keyBytes
  }

  get #keyBytes(): number {
    return this.#keys.bytesUsed + KEY_BYTES * this.#keys.size
  }

  drop(): void {
    this.#memory.drop(this)
  }

  /** The bucket that `remember` was given for these bytes at the decision points, or null. */
  byKey({ view, length, hash }: PointKey): Bucket | null {
    const at = this.#keys.find(view, 0, length, hash)
    const bucket = at < 0 ? undefined : this.#byKey[at]
    return bucket?.kept === true ? bucket : null
  }

  /** Events with these bytes at the decision points are in that bucket. */
  remember({ view, length, hash }: PointKey, bucket: Bucket): void {
    const known = this.#keys.find(view, 0, length, hash)
    if (known >= 0) this.#byKey[known] = bucket
    else if (known === ABSENT) {
      this.#byKey[this.#keys.add(view, 0, length, hash)] = bucket
      this.#memory.count(this, length + KEY_BYTES)
    }
  }

  #forgetKeys(): void {
    this.#memory.count(this, -this.#keyBytes)
    this.#keys = new ByteTable()
    this.#byKey.length = 0
  }

  /** The bucket of these values: from memory, from the store, or new. */
  of(store: TurnStore, values: PointValues): Bucket {
    const text = bucketText(values)
    const known = this.#byText.get(text)
    if (known !== undefined) return known
    const id = bucketIdOf(this.#fingerprint, text)
    const bytes = this.#read(store, id)
    const bucket = bytes === undefined ? this.#make(id, text, values) : this.#fromRow(store, text, bytes)
    this.#byText.set(text, bucket)
    this.#bucketBytes += bytesOf(bucket)
    this.#memory.count(this, bytesOf(bucket))
    return bucket
  }

  /** The bucket with this id, of the present or of earlier decision points; null where there is none. */
  byId(store: TurnStore, id: Uint8Array): Bucket | null {
    for (let i = this.#changedById.size; i < this.#changed.length; i++) {
      const bucket = this.#changed[i] as Bucket
      this.#changedById.set(bucketIdText(bucket.id), bucket)
    }
    const changed = this.#changedById.get(bucketIdText(id))
    if (changed !== undefined) return changed
    const bytes = this.#read(store, id)
    if (bytes === undefined) return null
    const { fingerprint, values } = decodeBucket(bytes)
    if (fingerprint === this.#fingerprint) return this.of(store, values)
    return this.#fromRow(store, '', bytes)
  }

  #read(store: TurnStore, id: Uint8Array): Uint8Array | undefined {
    const number = this.#late.index.numberOf(store, this.#jobId, id)
    return number === null ? undefined : store.get('buckets', countKey(this.#jobId, number))
  }

  /** Counts a new event of the bucket (null: of none) that was decided as `label` (-1: not decided). */
  add(bucket: Bucket | null, micros: number, label: number): void {
    this.#late.counters.countEvent()
    if (bucket === null) return
    const isLatest = micros > bucket.lastMicros
    if (bucket.events === 0 && !bucket.stored) bucket.firstMicros = micros
    bucket.events++
    if (isLatest) bucket.lastMicros = micros
    if (label >= 0) bucket.decided[label] = (bucket.decided[label] ?? 0) + 1
    if (isLatest && bucket.stored && bucket.text.length <= limits.deferredCounterCharsMax)
      this.#late.counters.add(bucket)
    else this.touch(bucket)
  }

  /** A stored event of the bucket got this decision, or (`change` -1) lost it; label -1 is no decision. */
  countDecision(bucket: Bucket, label: number, change: 1 | -1): void {
    if (label < 0) return
    bucket.decided[label] = (bucket.decided[label] ?? 0) + change
    this.touch(bucket)
  }

  /** The turn has changed the bucket, not only its counts. */
  touch(bucket: Bucket): void {
    if (bucket.changed) return
    bucket.changed = true
    this.#changed.push(bucket)
  }

  /** Writes what the turn changed. */
  write(store: TurnStore): void {
    const made: Bucket[] = []
    for (const bucket of this.#changed) {
      bucket.changed = false
      if (bucket.events === 0 && !bucket.hasBallot) {
        this.#remove(store, bucket)
        continue
      }
      if (!bucket.stored) writeBucket(store, bucket)
      // The row of a new bucket has its counts.
      if (bucket.isNew) made.push(bucket)
      else layCount(store, bucket)
      bucket.isNew = false
    }
    this.#late.index.add(store, this.#jobId, made)
    this.#changed.length = 0
    this.#changedById.clear()
  }

  #remove(store: TurnStore, bucket: Bucket): void {
    bucket.deferredSince = NOT_DEFERRED
    this.#forget(bucket)
    if (bucket.isNew) return
    for (const table of ['buckets', 'counts'] as const) store.delete(table, countKey(this.#jobId, bucket.number))
    this.#late.index.remove(store, this.#jobId, bucket.id)
  }

  /** There is another model or contract: decisions have to be worked out again. */
  forgetDecisions(): void {
    for (const bucket of this.#byText.values()) {
      bucket.decision = null
      bucket.state = null
      bucket.barred = null
    }
  }

  /** Forgets all keys, and buckets until at most `bytes` are left. Only between turns. */
  shrink(bytes: number): void {
    this.#forgetKeys()
    const times = Array.from(this.#byText.values(), ({ lastMicros }) => lastMicros)
    const since = latestOf(times, (KEPT_SHARE * bytes) / Math.max(1, this.#bucketBytes))
    for (const isForgotten of [({ lastMicros }: Bucket) => lastMicros < since, () => true])
      for (const bucket of this.#byText.values()) {
        if (this.#bucketBytes <= bytes) return
        if (isForgotten(bucket) && !this.#late.counters.has(bucket)) this.#forget(bucket)
      }
  }

  #forget(bucket: Bucket): void {
    if (this.#byText.delete(bucket.text)) {
      this.#bucketBytes -= bytesOf(bucket)
      this.#memory.count(this, -bytesOf(bucket))
    }
    bucket.kept = false
  }

  #make(id: Buffer, text: string, values: PointValues): Bucket {
    const number = this.#stats.nextBucketNumber()
    const row = {
      id: this.#slab.copy(id),
      number,
      firstMicros: 0,
      hasBallot: false,
      fingerprint: this.#fingerprint,
      values,
    }
    const counts = { events: 0, lastMicros: 0, decided: new Array<number>(this.#labelCount).fill(0) }
    return newBucket({ jobId: this.#jobId, text, row, counts, stored: false })
  }

  #fromRow(store: TurnStore, text: string, bytes: Uint8Array): Bucket {
    return storedBucket(store, { jobId: this.#jobId, text, bytes, slab: this.#slab })
  }
}

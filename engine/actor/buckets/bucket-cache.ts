/**
 * The buckets of one job that its thread has in memory, each with what the active model decides for it.
 *
 * Owns: which buckets are in memory, which of them the turn changed, and writing those. Leaves out: decisions
 * (job-model.ts), votes (voting.ts), rows of counts (deferred-counters.ts).
 *
 * 1. A bucket that the turn changed stays in memory until the turn writes it. Where the turn only added events, only
 *    its counts have changed, and their row may be written later.
 * 2. Memory is a copy of the store: a bucket that was forgotten is read again.
 * 3. All that this holds is counted in the memory of its thread (bucket-memory.ts), where the keys are.
 */
import { writeBucketId } from '../../domain/event/bucket-id.js'
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
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
import { IdTable, NO_NUMBER } from './id-table.js'
import { Slab } from './slab.js'

/** About what a bucket takes. */
const BUCKET_BYTES = 700

/** The id that is looked for. */
const wanted = Buffer.alloc(BUCKET_ID_BYTES)

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
  /** All buckets in memory of the present decision points; and their places here by id. */
  readonly #buckets: Bucket[] = []
  readonly #places = new IdTable()
  readonly #memory: BucketMemory
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
    return this.#buckets.length
  }

  /** About the bytes of all buckets. */
  get bytes(): number {
    return BUCKET_BYTES * this.#buckets.length
  }

  /** It is not used any more. */
  drop(): void {
    this.#memory.drop(this)
    for (const bucket of this.#buckets) bucket.kept = false
    if (this.#buckets.length > 0) this.#memory.keys.clear()
  }

  /** The bucket that `remember` was given for these bytes at the decision points, or null. */
  byKey(key: PointKey): Bucket | null {
    const bucket = this.#memory.keys.find(key)
    return bucket?.kept === true ? bucket : null
  }

  /** Events with these bytes at the decision points are in that bucket. */
  remember(key: PointKey, bucket: Bucket): void {
    this.#memory.keys.set(key, bucket)
  }

  /** The bucket of these values: from memory, from the store, or new. */
  of(store: TurnStore, values: PointValues): Bucket {
    writeBucketId(this.#fingerprint, values, wanted)
    const place = this.#places.get(wanted)
    if (place !== NO_NUMBER) return this.#buckets[place] as Bucket
    const bytes = this.#read(store, wanted)
    const bucket = bytes === undefined ? this.#make(wanted, values) : this.#fromRow(store, bytes)
    this.#places.set(wanted, this.#buckets.push(bucket) - 1)
    this.#memory.count(this, BUCKET_BYTES)
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
    return this.#fromRow(store, bytes)
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
    if (isLatest && bucket.stored) this.#late.counters.add(bucket)
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
    for (const bucket of this.#buckets) {
      bucket.decision = null
      bucket.state = null
      bucket.standing = null
    }
  }

  /** Forgets all keys, also of other jobs, and buckets until at most `bytes` are left. Only between turns. */
  shrink(bytes: number): void {
    this.#memory.keys.clear()
    const most = bytes / BUCKET_BYTES
    const times = this.#buckets.map(({ lastMicros }) => lastMicros)
    const since = latestOf(times, most / Math.max(1, times.length))
    // From behind: another bucket takes the place of one that is forgotten.
    for (const isForgotten of [({ lastMicros }: Bucket) => lastMicros < since, () => true])
      for (let place = this.#buckets.length - 1; place >= 0; place--) {
        if (this.#buckets.length <= most) return
        const bucket = this.#buckets[place] as Bucket
        if (isForgotten(bucket) && !this.#late.counters.has(bucket)) this.#forget(bucket)
      }
  }

  #forget(bucket: Bucket): void {
    bucket.kept = false
    const place = this.#places.get(bucket.id)
    // One of earlier decision points has no place.
    if (place === NO_NUMBER) return
    const last = this.#buckets.pop() as Bucket
    if (place < this.#buckets.length) {
      this.#buckets[place] = last
      this.#places.set(last.id, place)
    }
    this.#places.delete(bucket.id)
    this.#memory.count(this, -BUCKET_BYTES)
  }

  #make(id: Uint8Array, values: PointValues): Bucket {
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
    return newBucket({ jobId: this.#jobId, row, counts, stored: false })
  }

  #fromRow(store: TurnStore, bytes: Uint8Array): Bucket {
    return storedBucket(store, { jobId: this.#jobId, bytes, slab: this.#slab })
  }
}

/**
 * The buckets of one job that its thread has at hand, with what the active model says of each.
 *
 * Owns: the rows in memory, which of them the turn changed, and how many are kept. Leaves out: deciding, votes, counts that are
 * written later (deferred-counters.ts).
 *
 * 1. A bucket that the turn changed is written with it and stays in memory until then. Where events came in and nothing else happened,
 *    only its counts have changed, and may be behind.
 * 2. What is forgotten is read again: memory is a copy of the store, never more than it.
 */
import { bucketIdOf, bucketIdText, bucketText } from '../../domain/event/bucket-key.js'
import { ABSENT, ByteTable } from '../../domain/event/byte-table.js'
import { lacksPoints } from '../../domain/event/decision-points.js'
import type { PointKey } from '../../domain/event/point-tree.js'
import type { PointValues } from '../../domain/event/point-value.js'
import type { Decision } from '../../domain/decide/decision.js'
import { must } from '../../assert.js'
import { limits } from '../../limits.js'
import type { BucketState } from '../../domain/learn/knowledge-base.js'
import { decodeBucket, decodeCount, encodeBucket, type BucketRow, type CountRow } from '../../store/rows.js'
import { bucketKey, countKey } from '../../store/tables.js'
import type { JobStats } from '../job-stats.js'
import { layCount, NOT_DEFERRED, type Counted, type DeferredCounters } from './deferred-counters.js'
import { Slab } from './slab.js'
import type { TurnStore } from '../turn-store.js'

/** A bucket in memory. */
export interface Bucket extends Counted {
  readonly id: Buffer
  readonly text: string
  readonly values: PointValues
  /** Not one decision point has a value. */
  readonly lacksPoints: boolean
  readonly fingerprint: number
  firstMicros: number
  events: number
  lastMicros: number
  /** How many of its events have each label as their decision. */
  readonly decided: number[]
  hasBallot: boolean
  /** Kept in memory; of one that is not, another copy may be. */
  kept: boolean
  /** In the store, as it is but for its counts. */
  stored: boolean
  changed: boolean
  /** What the bucket answers, and where its votes stand; null when that has to be worked out again. */
  decision: Decision | null
  state: BucketState | null
}

/** A value may stand in a body in more than one way. */
const KEYS_PER_BUCKET = 2

export class BucketCache {
  readonly #jobId: number
  readonly #stats: JobStats
  readonly #byText = new Map<string, Bucket>()
  /** Of the texts in `#byText`. */
  #chars = 0
  /** By the bytes at the decision points, as the scanner finds them; several of them may lead to one bucket. */
  #keys = new ByteTable()
  readonly #byKey: Bucket[] = []
  readonly #changed: Bucket[] = []
  /** The first of these by id, one character a byte: as many as there were when somebody asked. */
  readonly #changedById = new Map<string, Bucket>()
  readonly #fingerprint: number
  readonly #labelCount: number
  readonly #late: DeferredCounters
  readonly #slab = new Slab()

  /** `fingerprint` of the job's decision points: other points make other buckets. */
  constructor(jobId: number, fingerprint: number, stats: JobStats, labelCount: number, late: DeferredCounters) {
    this.#late = late
    this.#labelCount = labelCount
    this.#jobId = jobId
    this.#fingerprint = fingerprint
    this.#stats = stats
  }

  get size(): number {
    return this.#byText.size
  }

  /** Characters of the values of all of them. */
  get chars(): number {
    return this.#chars
  }

  /** The bucket that a body with these bytes at the decision points was in before, or null. */
  byKey({ view, length, hash }: PointKey): Bucket | null {
    const at = this.#keys.find(view, 0, length, hash)
    const bucket = at < 0 ? undefined : this.#byKey[at]
    return bucket?.kept === true ? bucket : null
  }

  /** Bodies with these bytes at the decision points are in that bucket. */
  remember({ view, length, hash }: PointKey, bucket: Bucket): void {
    const { bucketsInMemoryMax, bucketCharsInMemoryMax } = limits
    if (this.#keys.size >= KEYS_PER_BUCKET * bucketsInMemoryMax || this.#keys.bytesUsed >= bucketCharsInMemoryMax)
      this.#forgetKeys()
    const known = this.#keys.find(view, 0, length, hash)
    if (known >= 0) this.#byKey[known] = bucket
    else if (known === ABSENT) this.#byKey[this.#keys.add(view, 0, length, hash)] = bucket
  }

  #forgetKeys(): void {
    this.#keys = new ByteTable()
    this.#byKey.length = 0
  }

  /** The bucket of these values: from memory, from the store, or new. */
  of(store: TurnStore, values: PointValues): Bucket {
    const text = bucketText(values)
    const known = this.#byText.get(text)
    if (known !== undefined) return known
    const id = bucketIdOf(this.#fingerprint, text)
    const bytes = store.get('buckets', bucketKey(this.#jobId, id))
    const bucket =
      bytes === undefined ? this.#make(id, text, values) : this.#fromRow(store, id, text, decodeBucket(bytes))
    this.#byText.set(text, bucket)
    this.#chars += text.length
    return bucket
  }

  /** The bucket with this id, which an event in the store is in; of earlier decision points too. */
  byId(store: TurnStore, id: Uint8Array): Bucket | null {
    for (let i = this.#changedById.size; i < this.#changed.length; i++) {
      const bucket = this.#changed[i] as Bucket
      this.#changedById.set(bucketIdText(bucket.id), bucket)
    }
    const changed = this.#changedById.get(bucketIdText(id))
    if (changed !== undefined) return changed
    const bytes = store.get('buckets', bucketKey(this.#jobId, id))
    if (bytes === undefined) return null
    const row = decodeBucket(bytes)
    if (row.fingerprint === this.#fingerprint) return this.of(store, row.values)
    return this.#fromRow(store, Buffer.from(id), '', row)
  }

  /** One more event, which came in now, of the bucket, or null where it is in none, with that label as its decision, or -1. */
  add(bucket: Bucket | null, micros: number, label: number): void {
    this.#late.countEvent()
    if (bucket === null) return
    const isLatest = micros > bucket.lastMicros
    if (bucket.events === 0 && !bucket.stored) bucket.firstMicros = micros
    bucket.events++
    if (isLatest) bucket.lastMicros = micros
    if (label >= 0) bucket.decided[label] = (bucket.decided[label] ?? 0) + 1
    if (isLatest && bucket.stored && bucket.text.length <= limits.deferredCounterCharsMax) this.#late.add(bucket)
    else this.touch(bucket)
  }

  /** An event of the bucket got this decision, or (`change` -1) lost it; -1 for none. */
  countDecision(bucket: Bucket, label: number, change: 1 | -1): void {
    if (label < 0) return
    bucket.decided[label] = (bucket.decided[label] ?? 0) + change
    this.touch(bucket)
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
        bucket.lateSince = NOT_DEFERRED
        store.delete('buckets', key)
        store.delete('counts', countKey(this.#jobId, bucket.number))
        this.#forget(bucket)
        continue
      }
      if (!bucket.stored) store.put('buckets', key, encodeBucket(bucket))
      bucket.stored = true
      layCount(store, bucket)
    }
    this.#changed.length = 0
    this.#changedById.clear()
  }

  /** Answers have to be worked out again: there is another model. */
  forgetDecisions(): void {
    for (const bucket of this.#byText.values()) {
      bucket.decision = null
      bucket.state = null
    }
  }

  /** Forgets the oldest buckets until at most so many, with so many characters, are left. Only between turns. */
  shrink(max: number, charsMax: number): void {
    const isOver = (): boolean => this.#byText.size > max || this.#chars > charsMax
    if (isOver()) this.#forgetKeys()
    for (const bucket of this.#byText.values()) {
      if (!isOver()) return
      if (!this.#late.has(bucket)) this.#forget(bucket)
    }
  }

  #forget(bucket: Bucket): void {
    if (this.#byText.delete(bucket.text)) this.#chars -= bucket.text.length
    bucket.kept = false
  }

  #make(id: Buffer, text: string, values: PointValues): Bucket {
    const row = {
      number: this.#stats.nextBucketNumber(),
      firstMicros: 0,
      hasBallot: false,
      fingerprint: this.#fingerprint,
      values,
    }
    return this.#bucket(
      id,
      text,
      row,
      { events: 0, lastMicros: 0, decided: new Array<number>(this.#labelCount).fill(0) },
      false,
    )
  }

  #fromRow(store: TurnStore, id: Buffer, text: string, row: BucketRow): Bucket {
    const counts = decodeCount(must(store.get('counts', countKey(this.#jobId, row.number)), 'the counts of a bucket'))
    return this.#bucket(id, text, row, counts, true)
  }

  #bucket(
    id: Buffer,
    text: string,
    row: BucketRow,
    { events, lastMicros, decided }: CountRow,
    stored: boolean,
  ): Bucket {
    const { number, firstMicros, hasBallot, fingerprint, values } = row
    return {
      jobId: this.#jobId,
      id: this.#slab.copy(id),
      text,
      values,
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
      changed: false,
      lateSince: NOT_DEFERRED,
      decision: null,
      state: null,
    }
  }
}

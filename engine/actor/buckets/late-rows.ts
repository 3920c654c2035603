/**
 * What a shard writes of its buckets later than the events: rows of counts, and entries of the index of ids.
 *
 * Owns: when either is read from the store again. Leaves out: both (deferred-counters.ts, bucket-index.ts).
 */
import { limits } from '../../limits.js'
import type { Environment } from '../../store/environment.js'
import { lastTime } from '../event-table.js'
import type { TurnStore } from '../turn-store.js'
import { BucketIndex } from './bucket-index.js'
import { DeferredCounters } from './deferred-counters.js'

export interface LateRowsOptions {
  /** Events in a round of deferred counters. */
  readonly uncountedEventsMax?: number
  /** Buckets in a round of the index. */
  readonly unindexedBucketsMax?: number
}

export class LateRows {
  readonly counters: DeferredCounters
  readonly index: BucketIndex
  /** Rows may be behind that the counters do not know of. */
  #mayBeBehind = true
  /** The index does not know what the store has. */
  #mustLoad = true

  constructor({
    uncountedEventsMax = limits.deferredCounterEventsMax,
    unindexedBucketsMax = limits.unindexedBucketsMax,
  }: LateRowsOptions) {
    this.counters = new DeferredCounters(uncountedEventsMax)
    this.index = new BucketIndex(unindexedBucketsMax)
  }

  /** A turn begins. What it reads of the store is committed where this was forgotten before. */
  begin(store: TurnStore, environment: Environment, runsAgain: boolean): void {
    if (this.#mayBeBehind || runsAgain) store.settle()
    if (this.#mayBeBehind) this.counters.layWhole(store, environment)
    if (this.#mustLoad) this.index.load(environment)
    this.#mustLoad = false
  }

  /** A turn ends whose messages reach up to `micros`. */
  write(store: TurnStore, micros: number): void {
    this.counters.write(store, micros)
    this.index.write(store)
  }

  /** Writes all rows of counts that are behind, as far as this knows of them. Between turns, which are committed. */
  writeCounts(store: TurnStore, environment: Environment): void {
    if (!this.#mayBeBehind) this.counters.writeAll(store, lastTime(environment))
  }

  /** The turn is committed, or handed over. */
  committed(): void {
    this.#mayBeBehind = false
  }

  /** The job was deleted. */
  forgetJob(jobId: number): void {
    this.counters.forgetJob(jobId)
    this.index.forgetJob(jobId)
  }

  /** Buckets in memory are forgotten. */
  forgetBuckets(): void {
    this.counters.clear()
    this.#mayBeBehind = true
  }

  /** All state in memory is forgotten. */
  forget(): void {
    this.forgetBuckets()
    this.#mustLoad = true
  }
}

/**
 * The latest batches of work: turns, trainings, polls of inputs, recomputations of metrics, deliveries, enrichments.
 *
 * 1. The latest monitorBounds.batchesKept of each kind are kept, in memory. A restart begins with none.
 */
import type { Clock } from '../../clock.js'
import { batchKinds, type Batch, type BatchKind } from '../../api/monitor-service.js'
import { monitorBounds } from './bounds.js'

interface Ring {
  readonly batches: Batch[]
  /** Where the next batch goes: the place of the oldest once the ring is full. */
  next: number
}

export class RecentBatches {
  readonly #clock: Clock
  /** Told of each batch; null where nobody follows. */
  #follower: ((batch: Batch) => void) | null = null
  readonly #rings = new Map<BatchKind, Ring>(batchKinds.map((kind) => [kind, { batches: [], next: 0 }]))

  constructor(clock: Clock) {
    this.#clock = clock
  }

  follow(follower: (batch: Batch) => void): void {
    this.#follower = follower
  }

  /** Adds a batch that has just finished. */
  add(batch: Omit<Batch, 'finishedMicros'>): void {
    const ring = this.#rings.get(batch.kind) as Ring
    const finished = { ...batch, finishedMicros: this.#clock.nowMicros() }
    ring.batches[ring.next] = finished
    this.#follower?.(finished)
    ring.next = (ring.next + 1) % monitorBounds.batchesKept
  }

  /** Runs `work` as a batch of one item and adds it, also where it fails. Rejects as `work` does. */
  async timed<T>(of: Pick<Batch, 'kind' | 'container' | 'jobId'>, work: () => Promise<T>): Promise<T> {
    const begin = performance.now()
    const ended = (error: string | null): void =>
      this.add({ ...of, items: 1, seconds: (performance.now() - begin) / 1000, error })
    try {
      const result = await work()
      ended(null)
      return result
    } catch (error) {
      ended((error as Error).message)
      throw error
    }
  }

  /** The `count` latest batches of these kinds, latest first. */
  latest(kinds: readonly BatchKind[], count: number): Batch[] {
    const all = kinds.flatMap((kind) => (this.#rings.get(kind) as Ring).batches)
    return all.sort((a, b) => b.finishedMicros - a.finishedMicros).slice(0, count)
  }
}

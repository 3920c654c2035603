/**
 * The service that says which labels are worth most, on the main thread. The work is done on reader threads.
 *
 * Owns: the pools of candidates, and when one is made anew. Leaves out: what is in them (candidate-pool.ts), pages
 * (next-page.ts).
 *
 * 1. A small pool is made anew whenever votes, events or the model have changed: small jobs see the present. A larger
 *    one is used until a newer one is made in the background: an answer never waits for it.
 * 2. A pool of other decision points is never used.
 */
import type { JobSettings } from '../../domain/job/job.js'
import { selectionBounds as bounds } from '../../domain/learn/selection/bounds.js'
import type {
  AnalystsView,
  NextPage,
  NextQuery,
  NextService,
  SecondLook,
  SecondLookQuery,
} from '../../api/next-service.js'
import type { JobHandle } from '../../api/principal.js'
import { must } from '../../assert.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { ReaderThreads } from '../readers/reader-threads.js'
import type { CandidatePool } from './candidate-pool.js'
import type { NextAnswer } from './run-next.js'
import { pointsFingerprint } from '../../domain/job/job-points.js'

export interface NextLabelsDeps {
  readonly shards: Pick<ReadableShards, 'reader'>
  readonly readers: Pick<ReaderThreads, 'ask'>
  readonly clock: Pick<IngestClock, 'nowMicros'>
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
  failed(what: string, error: unknown): void
}

interface KeptPool {
  readonly pool: CandidatePool
  /** Decision points and labels: of another shape it is not used. */
  readonly shape: string
  /** What it was made from. */
  readonly state: string
  readonly atMs: number
}

export class NextLabels implements NextService {
  readonly #deps: NextLabelsDeps
  /** The one that was used longest ago comes first. */
  readonly #pools = new Map<number, KeptPool>()
  readonly #renewing = new Set<number>()

  constructor(deps: NextLabelsDeps) {
    this.#deps = deps
  }

  async next(handle: JobHandle, query: NextQuery): Promise<NextPage> {
    const job = this.#deps.current(handle)
    const kept = this.#usable(job)
    if (kept !== null && kept.state !== this.#stateOf(job)) this.#renewLater(job, kept)
    const { page } = await this.#ask(job, kept?.pool ?? null, query)
    return must(page, 'a page')
  }

  async secondLook(handle: JobHandle, query: SecondLookQuery): Promise<SecondLook> {
    const { readers, clock, current } = this.#deps
    return await readers.ask('secondLook', { task: { job: current(handle), query, nowMicros: clock.nowMicros() } })
  }

  async analysts(handle: JobHandle): Promise<AnalystsView> {
    const { readers, current } = this.#deps
    return await readers.ask('analysts', { job: current(handle) })
  }

  /** The pool that a page may be made of; null where one has to be made first. */
  #usable(job: JobSettings): KeptPool | null {
    const kept = this.#pools.get(job.id)
    if (kept === undefined || kept.shape !== shapeOf(job)) return null
    if (kept.pool.surveyed <= bounds.smallMax && kept.state !== this.#stateOf(job)) return null
    this.#pools.delete(job.id)
    this.#pools.set(job.id, kept)
    return kept
  }

  #renewLater(job: JobSettings, { pool, atMs }: KeptPool): void {
    const { modelVersion } = this.#deps.shards.reader(job.shard).stats(job)
    const waitMs = Math.max(bounds.renewMs, bounds.renewFactor * pool.madeMs)
    const isDue = pool.modelVersion !== modelVersion || performance.now() - atMs >= waitMs
    if (!isDue || this.#renewing.has(job.id)) return
    this.#renewing.add(job.id)
    this.#ask(job, null, null)
      .catch((error: unknown) => this.#deps.failed('the labels to ask for next could not be found', error))
      .finally(() => this.#renewing.delete(job.id))
  }

  async #ask(job: JobSettings, pool: CandidatePool | null, query: NextQuery | null): Promise<NextAnswer> {
    const state = this.#stateOf(job)
    const answer = await this.#deps.readers.ask('next', {
      task: { job, pool, query, nowMicros: this.#deps.clock.nowMicros() },
    })
    if (answer.pool !== null) this.#keep(job, answer.pool, state)
    return answer
  }

  #keep(job: JobSettings, pool: CandidatePool, state: string): void {
    this.#pools.delete(job.id)
    this.#pools.set(job.id, { pool, shape: shapeOf(job), state, atMs: performance.now() })
    const [oldest] = this.#pools.keys()
    if (this.#pools.size > bounds.poolsMax && oldest !== undefined) this.#pools.delete(oldest)
  }

  #stateOf(job: JobSettings): string {
    const row = this.#deps.shards.reader(job.shard).stats(job)
    const { modelVersion, events, feedbackSeq, feedbackEvents, lastFeedbackMicros, lastEventMicros } = row
    return [modelVersion, events, feedbackSeq, feedbackEvents, lastFeedbackMicros, lastEventMicros].join(' ')
  }
}

function shapeOf(job: JobSettings): string {
  return `${pointsFingerprint(job)} ${job.labels.length}`
}

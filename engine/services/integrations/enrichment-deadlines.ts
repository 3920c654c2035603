/**
 * The time limit of enrichment, on the main thread: an event is decided when it is over, also where the integrations
 * thread hangs.
 *
 * Owns: when an event has waited too long. Leaves out: enriching (enrichers.ts, which nearly always answers long
 * before), deciding (actor/enrichment-results.ts).
 *
 * 1. No state is kept here: the store says which events wait.
 * 2. The time of an event begins when it comes in, or later, when the service or the job starts. In a job without
 *    enrichment steps it is zero: events that still wait are decided at once.
 * 3. A stopped job decides nothing.
 * 4. After a clock was set back, stored events may have times later than now. Their time begins when they are first
 *    seen.
 */
import type { Clock } from '../../clock.js'
import { enrichmentNames, timeLimitMs } from '../../integration/enrichment/enrichment-parameters.js'
import { enriches, type JobSettings } from '../../domain/job/job.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { EnrichmentNote } from '../../store/enrichment-row.js'
import { encodeEnriched } from '../../actor/enrichment-results.js'
import type { ReadableShards } from '../read/job-reader.js'

export interface EnrichmentDeadlinesDeps {
  readonly resources: Pick<ResourceStore, 'job' | 'jobs' | 'integrations'>
  readonly shards: Pick<ReadableShards, 'count' | 'reader' | 'mailbox' | 'insist' | 'takeTime'>
  readonly clock: Clock
  /** False while the engine shuts down. */
  accepting(): boolean
  failed(what: string, error: unknown): void
}

const CHECK_MS = 250
/** How much longer than on the integrations thread an event may wait here. */
const GRACE_MS = 1_500
const MICROS = 1_000

export class EnrichmentDeadlines {
  readonly #deps: EnrichmentDeadlinesDeps
  /** Jobs that may have events waiting, and since when they could be decided. */
  readonly #since = new Map<number, number>()
  /** For jobs whose oldest event is later than now: the latest ingest time at a check, and when that check was. */
  readonly #ahead = new Map<number, { readonly through: number; readonly seenMicros: number }>()
  /** Jobs whose overdue events are being decided. */
  readonly #busy = new Set<number>()
  #timer: NodeJS.Timeout | null = null

  constructor(deps: EnrichmentDeadlinesDeps) {
    this.#deps = deps
  }

  /** Takes over events that the last process left waiting. */
  takeUp(): void {
    const { shards, resources } = this.#deps
    for (let shard = 0; shard < shards.count; shard++) {
      for (const { jobId, stats } of shards.reader(shard).storedJobs()) {
        const job = stats.pending === 0 ? undefined : resources.job(jobId)
        if (job !== undefined) this.jobChanged(job)
      }
    }
    for (const job of resources.jobs()) if (job.pipeline.some(enriches)) this.jobChanged(job)
  }

  /** To be called when a job has other steps, or was started or stopped. */
  jobChanged(job: JobSettings): void {
    if (job.status === 'STOPPED') return void this.#since.delete(job.id)
    if (this.#since.has(job.id)) return
    if (!this.#mayCome(job) && this.#deps.shards.reader(job.shard).stats(job).pending === 0) return
    this.#since.set(job.id, this.#deps.clock.nowMicros())
    this.#timer ??= setInterval(() => this.check(), CHECK_MS).unref()
  }

  /** Has events decided that have waited too long. */
  check(): void {
    const { resources, shards, failed } = this.#deps
    for (const [jobId, sinceMicros] of this.#since) {
      const job = resources.job(jobId)
      const oldest = job === undefined ? null : shards.reader(job.shard).oldestIn('awaited', jobId)
      if (job === undefined || (oldest === null && !this.#mayCome(job))) this.#since.delete(jobId)
      if (job === undefined || oldest === null || this.#busy.has(jobId)) continue
      const through = this.#overdue(job, oldest, sinceMicros)
      if (through === null) continue
      this.#busy.add(jobId)
      this.#giveUp(jobId, through)
        .catch((error: unknown) => {
          if (this.#deps.accepting()) failed('events that waited for enrichment could not be decided without it', error)
        })
        .finally(() => this.#busy.delete(jobId))
    }
    if (this.#since.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  /** Whether more events may come to wait. Messages in the mailbox were posted under the steps of that time. */
  #mayCome(job: JobSettings): boolean {
    return job.pipeline.some(enriches) || this.#deps.shards.mailbox(job.shard).length > 0
  }

  /** The ingest time up to which events have waited too long, or null. */
  #overdue(job: JobSettings, oldest: number, sinceMicros: number): number | null {
    const [now, wait] = [this.#deps.clock.nowMicros(), this.#waitMicros(job)]
    if (oldest <= now) {
      this.#ahead.delete(job.id)
      const through = now - wait
      return oldest > through || (sinceMicros > through && job.pipeline.some(enriches)) ? null : through
    }
    const seen = this.#ahead.get(job.id)
    if (seen !== undefined && oldest <= seen.through && seen.seenMicros <= now)
      return now - seen.seenMicros >= wait ? seen.through : null
    this.#ahead.set(job.id, { through: this.#deps.shards.takeTime(), seenMicros: now })
    return null
  }

  #waitMicros(job: JobSettings): number {
    const limits = job.pipeline.filter(enriches).map(({ parameters }) => timeLimitMs(parameters))
    return limits.length === 0 ? 0 : (Math.max(...limits) + GRACE_MS) * MICROS
  }

  async #giveUp(jobId: number, through: number): Promise<void> {
    for (let more = true; more && this.#deps.accepting(); ) {
      const job = this.#deps.resources.job(jobId)
      if (job === undefined) return
      const body = encodeEnriched({ op: 'give_up', through, steps: this.#notes(job) })
      ;({ more } = (await this.#deps.shards.insist(job, 'enriched', body)) as { more: boolean })
    }
  }

  #notes(job: JobSettings): EnrichmentNote[] {
    const titles = new Map([...this.#deps.resources.integrations()].map(({ id, title }) => [id, title]))
    const steps = job.pipeline.filter(enriches).map((step) => ({ step, title: titles.get(step.integrationId) ?? '' }))
    const names = enrichmentNames(steps)
    return steps.map(({ title }, at) => ({
      name: names[at] as string,
      title,
      outcome: 'late',
      reason: 'there was no answer in time',
      ms: timeLimitMs(steps[at]?.step.parameters ?? {}),
    }))
  }
}

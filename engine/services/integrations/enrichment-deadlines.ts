/**
 * Events that wait for look-ups are decided when their time is over, whatever has become of the thread that asks.
 *
 * Owns: when nobody waits any longer. Leaves out: asking (enrichers.ts, which has answered long before in all but the worst of
 * cases), deciding (enrichment-results.ts).
 *
 * 1. Nothing here is remembered: the store says which events wait.
 * 2. An event has its time from when it came in, or from when its job could be decided: from the start of the service or of the
 *    job. A job without steps that enrich has none: what still waits is decided at once.
 * 3. A stopped job decides nothing.
 * 4. Behind a clock that was set back events say that they come later than now. Those have their time from when they were seen.
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

const LOOK_MS = 250
/** How much longer than the thread that asks one waits here. */
const GRACE_MS = 1_500
const MICROS = 1_000

export class EnrichmentDeadlines {
  readonly #deps: EnrichmentDeadlinesDeps
  /** Jobs that may have events waiting, and since when they could be decided. */
  readonly #since = new Map<number, number>()
  /** Of jobs whose oldest event comes later than now: up to where events were there at a look, and when that was. */
  readonly #ahead = new Map<number, { readonly through: number; readonly seenMicros: number }>()
  /** Jobs whose events are being given up. */
  readonly #busy = new Set<number>()
  #timer: NodeJS.Timeout | null = null

  constructor(deps: EnrichmentDeadlinesDeps) {
    this.#deps = deps
  }

  /** What the last process left waiting. */
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

  /** A job has other steps, or was started or stopped. */
  jobChanged(job: JobSettings): void {
    if (job.status === 'STOPPED') return void this.#since.delete(job.id)
    if (this.#since.has(job.id)) return
    if (!this.#mayCome(job) && this.#deps.shards.reader(job.shard).stats(job).pending === 0) return
    this.#since.set(job.id, this.#deps.clock.nowMicros())
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref()
  }

  /** Gives up what has waited for too long. */
  look(): void {
    const { resources, shards, failed } = this.#deps
    for (const [jobId, sinceMicros] of this.#since) {
      const job = resources.job(jobId)
      const oldest = job === undefined ? null : shards.reader(job.shard).oldestAwaited(jobId)
      if (job === undefined || (oldest === null && !this.#mayCome(job))) this.#since.delete(jobId)
      if (job === undefined || oldest === null || this.#busy.has(jobId)) continue
      const through = this.#overdue(job, oldest, sinceMicros)
      if (through === null) continue
      this.#busy.add(jobId)
      this.#giveUp(jobId, through)
        .catch((error: unknown) => {
          if (this.#deps.accepting()) failed('events that waited for look-ups could not be decided without', error)
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

  /** More events may come to wait: those on their way to the store are marked by the steps of when they were posted. */
  #mayCome(job: JobSettings): boolean {
    return job.pipeline.some(enriches) || this.#deps.shards.mailbox(job.shard).length > 0
  }

  /** Up to where events have waited for too long, or null. */
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
      const order = encodeEnriched({ op: 'give_up', through, steps: this.#notes(job) })
      ;({ more } = (await this.#deps.shards.insist(job, 'enriched', order)) as { more: boolean })
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
      reason: 'nobody could ask in time',
      ms: timeLimitMs(steps[at]?.step.parameters ?? {}),
    }))
  }
}

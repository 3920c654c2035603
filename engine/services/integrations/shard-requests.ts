/**
 * What the integrations thread asks of the shards: accept documents, decide enriched events, delete changes that every
 * step has delivered.
 *
 * Owns: sending the messages, and the answers to the thread. Leaves out: the thread (integrations.ts), what the
 * messages do (document-batch.ts, actor/enrichment-results.ts, actor/decision-changes.ts).
 *
 * 1. The thread gets an answer to every request, also where it cannot be carried out. The thread then repeats it.
 */
import { Refusal } from '../../errors.js'
import { bringsIn, type JobSettings } from '../../domain/job/job.js'
import type { RecentBatches } from '../monitor/recent-batches.js'
import { encodeFindingsMessage } from '../../actor/findings.js'
import { encodePassed } from '../../actor/decision-changes.js'
import { takeIn } from './document-batch.js'
import type { FromIntegrations } from './integration-protocol.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { TakenIn } from '../../integration/delivery/refused-documents.js'

export interface ShardRequestsDeps {
  readonly shards: ReadableShards
  job(id: number): JobSettings | undefined
  readonly batches: RecentBatches
  failed(what: string, error: unknown): void
}

type Request<T extends FromIntegrations['type']> = Extract<FromIntegrations, { type: T }>

const done: TakenIn = { refused: [], busy: null }

export class ShardRequests {
  readonly #deps: ShardRequestsDeps
  /** Jobs whose changes are being deleted. */
  readonly #passing = new Map<number, Promise<void>>()
  /** Requests that shards have not answered yet. */
  readonly #underWay = new Set<Promise<unknown>>()
  #isStopped = false

  constructor(deps: ShardRequestsDeps) {
    this.#deps = deps
  }

  /** Refuses every request from now on. */
  stop(): void {
    this.#isStopped = true
  }

  async close(): Promise<void> {
    this.stop()
    await Promise.allSettled([...this.#passing.values(), ...this.#underWay])
  }

  /** Posts documents of an input. The job may have lost the input: the thread learns of changes a moment later. */
  async takeIn({ step: { jobId, integrationId }, batch }: Request<'takeIn'>): Promise<TakenIn> {
    const { shards, batches } = this.#deps
    const job = this.#deps.job(jobId)
    const isOpen =
      job?.status === 'STARTED' &&
      job.pipeline.some((step) => bringsIn(step) && step.integrationId === integrationId) &&
      !this.#isStopped
    const begin = performance.now()
    const fared = await this.#tracked(takeIn(shards, isOpen ? job : null, batch, `integration ${integrationId}`))
    batches.add({
      kind: 'poll',
      container: 'integration/main',
      jobId,
      items: batch.ids.length,
      seconds: (performance.now() - begin) / 1000,
      error: fared.busy,
    })
    return fared
  }

  /**
   * Has enriched events decided. The thread sends those of a stopped job again, and those beyond the bound of one
   * message; those of a deleted job are dropped.
   */
  async enriched({ jobId, body }: Request<'enriched'>): Promise<TakenIn> {
    const job = this.#deps.job(jobId)
    if (this.#isStopped) return { refused: [], busy: 'the service is shutting down' }
    if (job === undefined) return done
    try {
      const { more } = (await this.#tracked(this.#deps.shards.ask(job, 'enriched', null, body))) as { more: boolean }
      return more ? { refused: [], busy: 'the job is stopped, or decides the rest later' } : done
    } catch (error) {
      if (error instanceof Refusal && error.retryable) return { refused: [], busy: error.message }
      // These events are decided without enrichment when their time is over (enrichment-deadlines.ts).
      this.#deps.failed('enriched events could not be decided', error)
      return done
    }
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    try {
      return await work
    } finally {
      this.#underWay.delete(work)
    }
  }

  /** Notes what an input found. It is not repeated: the input finds it again. */
  found({ step: { jobId }, findings }: Request<'found'>): void {
    const job = this.#deps.job(jobId)
    if (job === undefined || this.#isStopped) return
    this.#deps.shards.ask(job, 'findings', null, encodeFindingsMessage(findings)).catch(() => {})
  }

  /** Has the shard delete the changes that every step has delivered. */
  passed({ jobId, changeMicros, eventMicros }: Request<'passed'>): void {
    const { shards, failed } = this.#deps
    if (this.#passing.has(jobId) || this.#isStopped) return
    const passed = encodePassed(changeMicros, eventMicros)
    const loop = async (): Promise<void> => {
      for (;;) {
        const job = this.#deps.job(jobId)
        if (job === undefined || this.#isStopped) return
        const { more } = (await shards.ask(job, 'passed', null, passed)) as { more: boolean }
        if (!more) return
      }
    }
    const gone = loop().catch((error: unknown) => {
      // A full disk or a full mailbox: the next report asks again.
      if (!(error instanceof Refusal) || !error.retryable)
        failed('deleting decision changes that were delivered', error)
    })
    this.#passing.set(
      jobId,
      gone.finally(() => this.#passing.delete(jobId)),
    )
  }
}

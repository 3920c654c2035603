/**
 * What the thread of the integrations has the shards do: take documents in, decide events by what was looked up, forget changes
 * that every step has told.
 *
 * Owns: the messages that this becomes, and what is said of how they fared. Leaves out: the thread (integrations.ts), what the
 * messages do (document-batch.ts, enrichment-results.ts, decision-changes.ts).
 *
 * 1. The thread hears of everything that it asked for, also where it cannot be done: it asks again.
 */
import { Refusal } from '../../errors.js'
import { bringsIn, type JobSettings } from '../../domain/job/job.js'
import type { RecentBatches } from '../monitor/recent-batches.js'
import { encodePassed } from '../../actor/decision-changes.js'
import { takeIn } from './document-batch.js'
import type { FromIntegrations } from './integration-protocol.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { TakenIn } from '../../integration/delivery/refused-documents.js'

export interface OrdersDeps {
  readonly shards: ReadableShards
  job(id: number): JobSettings | undefined
  readonly batches: RecentBatches
  failed(what: string, error: unknown): void
}

type Order<T extends FromIntegrations['type']> = Extract<FromIntegrations, { type: T }>

const done: TakenIn = { refused: [], busy: null }

export class IntegrationOrders {
  readonly #deps: OrdersDeps
  /** Jobs whose changes are being deleted. */
  readonly #passing = new Map<number, Promise<void>>()
  /** What shards have been asked to do. */
  readonly #underWay = new Set<Promise<unknown>>()
  #isStopped = false

  constructor(deps: OrdersDeps) {
    this.#deps = deps
  }

  /** Nothing more is taken. */
  stop(): void {
    this.#isStopped = true
  }

  async close(): Promise<void> {
    this.stop()
    await Promise.allSettled([...this.#passing.values(), ...this.#underWay])
  }

  /** Documents of an input, which its job may have no longer: the thread learns of it a moment later. */
  async takeIn({ step: { jobId, integrationId }, piece }: Order<'takeIn'>): Promise<TakenIn> {
    const { shards, batches } = this.#deps
    const job = this.#deps.job(jobId)
    const isOpen =
      job?.status === 'STARTED' &&
      job.pipeline.some((step) => bringsIn(step) && step.integrationId === integrationId) &&
      !this.#isStopped
    const begin = performance.now()
    const fared = await this.#tracked(takeIn(shards, isOpen ? job : null, piece))
    batches.add({
      kind: 'poll',
      container: 'integration/main',
      jobId,
      items: piece.ids.length,
      seconds: (performance.now() - begin) / 1000,
      error: fared.busy,
    })
    return fared
  }

  /** What was looked up about events that wait for it. Of a job that is gone nothing is decided; of a stopped one it is brought again. */
  async enriched({ jobId, order }: Order<'enriched'>): Promise<TakenIn> {
    const job = this.#deps.job(jobId)
    if (this.#isStopped) return { refused: [], busy: 'the service is shutting down' }
    if (job === undefined) return done
    try {
      const { more } = (await this.#tracked(this.#deps.shards.ask(job, 'enriched', null, order))) as { more: boolean }
      return more ? { refused: [], busy: 'the job is stopped' } : done
    } catch (error) {
      if (error instanceof Refusal && error.retryable) return { refused: [], busy: error.message }
      // What cannot be decided so is given up when its time is over (enrichment-deadlines.ts).
      this.#deps.failed('events could not be decided by what was looked up', error)
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

  /** Has the shard delete the changes that every step has told. */
  passed({ jobId, changeMicros, eventMicros }: Order<'passed'>): void {
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
      // A full disk, or a full mailbox: the next report comes to it again.
      if (!(error instanceof Refusal) || !error.retryable) failed('deleting what every integration has told', error)
    })
    this.#passing.set(
      jobId,
      gone.finally(() => this.#passing.delete(jobId)),
    )
  }
}

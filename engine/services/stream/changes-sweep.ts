/**
 * Deletes the rows of changed decisions that are too old for a stream to go on from, in jobs without output steps.
 * Where there are such steps, the thread of the integrations asks for it (services/integrations/passed-changes.ts).
 */
import { limits } from '../../limits.js'
import { takesOut } from '../../domain/job/job.js'
import { encodePassed } from '../../actor/decision-changes.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { ReadableShards } from '../read/job-reader.js'

export interface ChangesSweepDeps {
  readonly resources: Pick<ResourceStore, 'jobs' | 'job'>
  readonly shards: Pick<ReadableShards, 'reader' | 'insist'>
  readonly clock: Pick<IngestClock, 'nowMicros'>
  /** False while the engine shuts down. */
  accepting(): boolean
  failed(what: string, error: unknown): void
}

const SWEEP_MS = 600_000

export class ChangesSweep {
  readonly #deps: ChangesSweepDeps
  readonly #timer: NodeJS.Timeout
  #sweeping: Promise<void> | null = null

  constructor(deps: ChangesSweepDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => {
      this.sweep().catch((error: unknown) => {
        if (deps.accepting()) deps.failed('deleting old changes of decisions', error)
      })
    }, SWEEP_MS).unref()
  }

  /** Deletes what is old now. A second call waits for the sweep under way. */
  sweep(): Promise<void> {
    return (this.#sweeping ??= this.#sweep().finally(() => (this.#sweeping = null)))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sweeping?.catch(() => {})
  }

  async #sweep(): Promise<void> {
    const { resources, shards, clock, accepting } = this.#deps
    const before = clock.nowMicros() - limits.changesKeptMicros
    for (const { id } of [...resources.jobs()]) {
      for (;;) {
        const job = resources.job(id)
        if (job === undefined || !accepting() || job.pipeline.some(takesOut)) break
        const oldest = shards.reader(job.shard).oldestIn('changes', id)
        if (oldest === null || oldest >= before) break
        await shards.insist(job, 'passed', encodePassed(before, 0))
      }
    }
  }
}

/**
 * The service of replays, on the main thread: requests, the queue, and running one at a time.
 *
 * Leaves out: what a request asks for (replay-terms.ts), the work (run-replay.ts, on its thread), rows and the audit
 * log (actor/models/replay-commands.ts).
 *
 * 1. No state is kept here: the row in the shard says what was requested, and a restart runs it from its beginning.
 * 2. One replay runs at a time, behind all other threads. While messages wait for the shards it is told to rest.
 */
import { Refusal } from '../../errors.js'
import { microsOfEventId } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { Author, JobHandle } from '../../api/principal.js'
import type { ReplayRequest, ReplayService, ReplayView } from '../../api/models/replay-service.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import { isReplayOver, type ReplayReportRow, type ReplayRow } from '../../store/replay-row.js'
import { authorOf } from '../../actor/message-author.js'
import { encodeReplayCommand, type ReplayCommand } from '../../actor/models/replay-commands.js'
import type { ModelReads } from '../../actor/models/model-reads.js'
import { mustHaveVoted } from '../analysts/unknown-analysts.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { ReaderThreads } from '../readers/reader-threads.js'
import { ReplaySignals } from './replay-protocol.js'
import type { ReplayThreads } from './replay-threads.js'
import { replayTermsOf } from './replay-terms.js'
import { replayTable, replayView } from './replay-view.js'

export interface ReplaysDeps {
  readonly dataDir: string
  readonly serviceNames: readonly string[]
  readonly shards: Pick<ReadableShards, 'reader' | 'insist' | 'messages'>
  readonly collector: Pick<AuditCollector, 'ask'>
  readonly readers: Pick<ReaderThreads, 'ask'>
  readonly resources: Pick<ResourceStore, 'job' | 'jobs'>
  readonly threads: ReplayThreads
  readonly clock: Pick<IngestClock, 'nowMicros'>
  current(job: JobHandle): JobSettings
  mustAccept(): void
  accepting(): boolean
  failed(what: string, error: unknown): void
}

/** How often a running replay is told whether messages wait. */
const LOOK_MS = 20

export class Replays implements ReplayService {
  readonly #deps: ReplaysDeps
  #running: { readonly jobId: number; readonly id: number; readonly signals: ReplaySignals } | null = null
  /** Jobs that may have replays to run. */
  readonly #waiting = new Set<number>()

  constructor(deps: ReplaysDeps) {
    this.#deps = deps
  }

  /** Runs what the last process left. */
  takeUp(): void {
    for (const job of this.#deps.resources.jobs()) this.#waiting.add(job.id)
    void this.#runNext()
  }

  async start(handle: JobHandle, request: ReplayRequest, by: Author): Promise<ReplayView> {
    const { mustAccept, current, collector, readers, shards, clock } = this.#deps
    mustAccept()
    const jobThen = current(handle)
    const { training } = replayTermsOf(jobThen, request, { shards, nowMicros: clock.nowMicros() })
    await mustHaveVoted(readers, jobThen, training.withoutAnalysts ?? [])
    // The job, or its models, may be others by now.
    const job = current(handle)
    const terms = replayTermsOf(job, request, { shards, nowMicros: clock.nowMicros() })
    const command: ReplayCommand = { op: 'create', terms, by: authorOf(by) }
    const row = (await collector.ask(job, 'replay', null, encodeReplayCommand(command))) as ReplayRow
    this.#waiting.add(job.id)
    void this.#runNext()
    return this.#view(job, row, null)
  }

  list(handle: JobHandle): readonly ReplayView[] {
    const job = this.#deps.current(handle)
    return this.#models(job)
      .replays()
      .reverse()
      .map((row) => this.#view(job, row, null))
  }

  replay(handle: JobHandle, replayId: string): ReplayView {
    const job = this.#deps.current(handle)
    return this.#view(job, this.#row(job, replayId), this.#models(job))
  }

  table(handle: JobHandle, replayId: string): string {
    return replayTable(this.replay(handle, replayId))
  }

  async cancel(handle: JobHandle, replayId: string, by: Author): Promise<ReplayView> {
    const { current, collector } = this.#deps
    const job = current(handle)
    const { id } = this.#row(job, replayId)
    const command: ReplayCommand = { op: 'cancel', id, by: authorOf(by) }
    const row = (await collector.ask(job, 'replay', null, encodeReplayCommand(command))) as ReplayRow
    if (this.#running?.jobId === job.id && this.#running.id === id) this.#running.signals.cancel()
    return this.#view(job, row, this.#models(job))
  }

  /** Gives up the running replay; the next start runs it again. */
  close(): void {
    this.#running?.signals.cancel()
  }

  #models(job: JobSettings): ModelReads {
    return this.#deps.shards.reader(job.shard).models(job.id)
  }

  /** @throws Refusal replay_not_found. */
  #row(job: JobSettings, replayId: string): ReplayRow {
    const id = microsOfEventId(replayId)
    const row = id === null ? null : this.#models(job).replay(id)
    if (row === null) throw new Refusal('replay_not_found', 'replay not found')
    return row
  }

  #view(job: JobSettings, row: ReplayRow, models: ModelReads | null): ReplayView {
    const isRunning = this.#running?.jobId === job.id && this.#running.id === row.id && !isReplayOver(row)
    return replayView(job, row, { percent: isRunning ? (this.#running?.signals.percent ?? 0) : null, models })
  }

  async #runNext(): Promise<void> {
    if (this.#running !== null || !this.#deps.accepting()) return
    const next = this.#next()
    if (next === null) return
    const { job, row } = next
    const signals = new ReplaySignals()
    this.#running = { jobId: job.id, id: row.id, signals }
    const look = setInterval(() => signals.setBusy(this.#deps.shards.messages > 0), LOOK_MS)
    look.unref()
    try {
      await this.#run(job, row, signals)
    } catch (error) {
      if (this.#deps.accepting()) this.#deps.failed('a replay stopped; the next start runs it again', error)
      this.#waiting.delete(job.id)
    } finally {
      clearInterval(look)
      this.#running = null
    }
    void this.#runNext()
  }

  #next(): { job: JobSettings; row: ReplayRow } | null {
    for (const jobId of this.#waiting) {
      const job = this.#deps.resources.job(jobId)
      const row =
        job === undefined
          ? undefined
          : this.#models(job)
              .replays()
              .find((one) => !isReplayOver(one))
      if (job !== undefined && row !== undefined) return { job, row }
      this.#waiting.delete(jobId)
    }
    return null
  }

  async #run(job: JobSettings, { id, terms }: ReplayRow, signals: ReplaySignals): Promise<void> {
    const { dataDir, serviceNames, threads, clock } = this.#deps
    const end = async (result: Pick<ReplayRow, 'state' | 'message' | 'report'>): Promise<void> => {
      if (this.#deps.accepting() && this.#deps.resources.job(job.id) !== undefined)
        await this.#deps.shards.insist(job, 'replay', encodeReplayCommand({ op: 'end', id, ...result }))
    }
    try {
      const task = { dataDir, job, terms, serviceNames, nowMicros: clock.nowMicros(), signals: signals.memory }
      const report = await threads.run(task)
      // Cancelled: the row says so already, or the process ends.
      if (report !== null) await end({ state: 'finished', message: remarkOn(report), report })
    } catch (error) {
      await end({ state: 'failed', message: (error as Error).message, report: null })
    }
  }
}

function remarkOn({ unseenPoints = [] }: ReplayReportRow): string {
  return unseenPoints.length === 0 ? '' : `No event of the period has a value at ${unseenPoints.join(', ')}.`
}

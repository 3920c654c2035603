/**
 * The service of replays, on the main thread: requests, the queue, and running one at a time.
 *
 * Leaves out: the work (run-replay.ts, on its thread), rows and the audit log (actor/models/replay-commands.ts).
 *
 * 1. No state is kept here: the row in the shard says what was requested, and a restart runs it from its beginning.
 * 2. One replay runs at a time, behind all other threads. While messages wait for the shards it is told to rest.
 */
import { Refusal } from '../../errors.js'
import { microsOfEventId } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import { modelBounds } from '../../domain/learn/model-origin.js'
import { missingForTraining } from '../../domain/learn/knowledge-base.js'
import type { Author, JobHandle } from '../../api/principal.js'
import type { ReplayRequest, ReplayService, ReplayView } from '../../api/models/replay-service.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import { isReplayOver, type ReplayReportRow, type ReplayRow, type ReplayTerms } from '../../store/replay-row.js'
import { authorOf } from '../../actor/message-author.js'
import { encodeReplayCommand, type ReplayCommand } from '../../actor/models/replay-commands.js'
import { notKept } from '../../actor/models/model-commands.js'
import type { ModelReads } from '../../actor/models/model-reads.js'
import { modelIdOf, versionOf } from '../../actor/model-id.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type { ReadableShards } from '../read/job-reader.js'
import { ReplaySignals } from './replay-protocol.js'
import type { ReplayThreads } from './replay-threads.js'
import { replayTable, replayView } from './replay-view.js'

export interface ReplaysDeps {
  readonly dataDir: string
  readonly serviceNames: readonly string[]
  readonly shards: Pick<ReadableShards, 'reader' | 'insist' | 'messages'>
  readonly collector: Pick<AuditCollector, 'ask'>
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
    const { mustAccept, current, collector } = this.#deps
    mustAccept()
    const job = current(handle)
    const terms = this.#termsOf(job, request)
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

  /** @throws Refusal as ReplayService.start. */
  #termsOf(job: JobSettings, request: ReplayRequest): ReplayTerms {
    const { objective, decisionPoints, withoutAnalysts, seed } = request
    const training = {
      ...(objective === undefined ? {} : { objective }),
      ...(decisionPoints === undefined ? {} : { decisionPoints }),
      ...(withoutAnalysts === undefined || withoutAnalysts.length === 0 ? {} : { withoutAnalysts }),
      ...(seed === undefined ? {} : { seed }),
    }
    const trains = Object.keys(training).length > 0
    const { modelId, threshold } = request
    if (trains && modelId !== undefined)
      throw wrong(
        'model_id',
        'a model is named, so none is trained: leave out either the model or what it is trained with',
      )
    if ((withoutAnalysts?.length ?? 0) > modelBounds.withoutAnalystsMax)
      throw wrong('without_analysts', `at most ${modelBounds.withoutAnalystsMax} analysts can be left out`)
    if (decisionPoints !== undefined && decisionPoints.length === 0)
      throw wrong('decision_points', 'name one decision point at least')
    const now = this.#deps.clock.nowMicros()
    const terms = { fromMicros: request.fromMicros ?? 0, toMicros: request.toMicros ?? now }
    if (terms.fromMicros >= terms.toMicros)
      throw wrong(
        'start_date',
        request.toMicros === undefined ? 'the period begins in the future' : 'the period ends before it begins',
      )
    if (trains) this.#mustTrain(job)
    const version = trains ? null : this.#keptVersion(job, modelId)
    const against = request.against === undefined ? null : this.#keptVersion(job, request.against)
    if (version !== null && version === against)
      throw wrong('against', 'both sides are the same model: name another one')
    this.#mustHaveEvents(job, terms)
    const hundredths = threshold === undefined ? null : Math.round(threshold * 100)
    return { ...terms, version, against, training, threshold: hundredths }
  }

  #mustTrain(job: JobSettings): void {
    const { consensusCounts } = this.#deps.shards.reader(job.shard).stats(job)
    const names = job.labels.map(({ name }) => name)
    const missing = missingForTraining(consensusCounts, names)
    if (missing !== null) throw new Refusal('not_enough_feedback', missing)
  }

  /** @throws Refusal model_not_found, model_not_kept. */
  #keptVersion(job: JobSettings, modelId: string | undefined): number {
    const { modelVersion } = this.#deps.shards.reader(job.shard).stats(job)
    if (modelId === undefined && modelVersion === 0)
      throw new Refusal('model_not_found', 'the job has no model yet', { details: 'train the job first' })
    const version = modelId === undefined ? modelVersion : versionOf(job.id, modelId)
    const row = version === null ? null : this.#models(job).one(version)
    if (row === null)
      throw new Refusal('model_not_found', 'model not found', { details: `the job ${job.id} has no model of that id` })
    if (!row.isKept) throw notKept(modelIdOf(job.id, row.version), row)
    return row.version
  }

  #mustHaveEvents(job: JobSettings, { fromMicros, toMicros }: { fromMicros: number; toMicros: number }): void {
    if (this.#models(job).hasEvents(fromMicros, toMicros)) return
    throw new Refusal('event_not_found', 'the job has no events in that period', {
      details: 'choose another start_date or end_date: they are times of ingest',
    })
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

function wrong(field: string, msg: string): Refusal {
  return new Refusal('invalid_body', `${field}: ${msg}`, {
    issues: [{ loc: ['body', field], msg, type: 'value_error' }],
  })
}

/**
 * The service that erases events, on the main thread: it searches for them and has them erased, a piece at a time.
 *
 * Owns: the limits of a request, entries in the audit log, marking the model as outdated. Leaves out: the search
 * (reprocess/event-search.ts), erasing (actor/erase.ts).
 *
 * 1. An audit entry before the first event says who asked for it, and one after the last says how many events are gone.
 *    Entries name the fields of the filters, not their values, which may be what is to be forgotten.
 * 2. The model is marked before the first event, since the process may end before the last. It is marked again at the
 *    end, since a training may have begun meanwhile.
 * 3. Where the job says so, the erasure is reported when the model was trained again (forgetting.ts).
 */
import type { Clock } from '../../clock.js'
import { isRefusal, Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { AuditTrail } from '../../resource/audit-trail.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { subjectOfFilter } from '../../domain/query/filter.js'
import type { ReprocessSelection } from '../../store/reprocess-row.js'
import { encodeErase, type Erased } from '../../actor/erase.js'
import type { Integrations } from '../integrations/integrations.js'
import type { EraseOutcome, EraseService } from '../../api/erase-service.js'
import type { EventSearchThread } from '../reprocess/event-search-threads.js'
import { compileSelection, parseSelection } from '../reprocess/event-search.js'
import type { ReprocessRequest } from '../../api/reprocess-service.js'
import { forget } from './forgetting.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { Trainings } from '../training/trainings.js'
import type { AuditAction } from '../../api/audit-service.js'
import type { Author, JobHandle } from '../../api/principal.js'

export interface EraseDeps {
  readonly dataDir: string
  readonly serviceNames: readonly string[]
  readonly shards: ReadableShards
  readonly trainings: Trainings
  readonly integrations: Pick<Integrations, 'erased'>
  /** The catalog's environment. */
  readonly store: Environment
  readonly audit: AuditTrail
  readonly clock: Clock
  /** Searches for events. */
  readonly thread: Pick<EventSearchThread, 'run'>
  /** The job as it is now. @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
}

/** Requests that run at once, over all jobs. */
const AT_ONCE = 4
/** Between two attempts at a full mailbox, milliseconds. */
const RETRY_MS = 50
const RETRAIN = 'events that the model was trained with, or votes on them, were deleted; train it again'

export class EraseEvents implements EraseService {
  readonly #deps: EraseDeps
  #underWay = 0

  constructor(deps: EraseDeps) {
    this.#deps = deps
  }

  async events(handle: JobHandle, request: ReprocessRequest, by: Author): Promise<EraseOutcome> {
    this.#deps.mustAccept()
    const job = this.#deps.current(handle)
    const selection = parseSelection(request)
    compileSelection(selection, 0, this.#deps.serviceNames, job.labels)
    if (selection.filters.length === 0 && selection.startDate === null && selection.endDate === null) {
      const msg = 'a filter or a date must say which events; to delete all, delete the job'
      throw new Refusal('invalid_body', msg, { issues: [{ loc: ['body', 'filters'], msg, type: 'missing' }] })
    }
    if (this.#underWay >= AT_ONCE) throw new Refusal('queries_busy', `at most ${AT_ONCE} deletions run at once`)
    this.#underWay++
    try {
      this.#audit(job, by, 'erasure requested', fieldsOf(selection))
      const { events, votes } = await this.#erase(handle, selection).finally(() =>
        this.#deps.integrations.erased(job.id),
      )
      const retrainNeeded = events > 0 && this.#markModel(handle)
      const forgetting = await forget({ ...this.#deps, handle, by, retrainNeeded })
      const isNeeded = forgetting.state === 'pending' || forgetting.state === 'failed'
      this.#audit(job, by, 'erased', {
        ...fieldsOf(selection),
        events,
        votes,
        retrain_needed: isNeeded,
        gone_from_model: forgetting.goneFromModel,
        statement: forgetting.message,
      })
      return { events, votes, retrainNeeded: isNeeded, forgetting }
    } finally {
      this.#underWay--
    }
  }

  async #erase(handle: JobHandle, selection: ReprocessSelection): Promise<Erased> {
    const { dataDir, serviceNames } = this.#deps
    const requestedMicros = this.#deps.shards.takeTime()
    const sum = { events: 0, votes: 0 }
    for (let [after, isLast] = [0, false]; !isLast; ) {
      const job = this.#deps.current(handle)
      const found = await this.#deps.thread.run({
        dataDir,
        job,
        serviceNames,
        selection,
        requestedMicros,
        after,
        countOnly: false,
      })
      for (let at = 0; at < found.times.length; at += limits.reprocessEventsPerPiece) {
        if (sum.events === 0) this.#markModel(handle)
        const { events, votes } = await this.#piece(handle, found.times.slice(at, at + limits.reprocessEventsPerPiece))
        sum.events += events
        sum.votes += votes
      }
      after = found.through
      isLast = found.last
    }
    return sum
  }

  /** Tries again where the mailbox is full, not where the disk is. */
  async #piece(handle: JobHandle, times: readonly number[]): Promise<Erased> {
    for (;;) {
      this.#deps.mustAccept()
      try {
        const job = this.#deps.current(handle)
        return (await this.#deps.shards.ask(job, 'erase', null, encodeErase(times, false))) as Erased
      } catch (error) {
        if (!isRefusal(error, 'mailbox_full')) throw error
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
  }

  /** True where a model was, or is being, trained: it may have learned from the events. */
  #markModel(handle: JobHandle): boolean {
    const { shards, trainings } = this.#deps
    const job = this.#deps.current(handle)
    if (shards.reader(job.shard).stats(job).modelVersion === 0 && !trainings.isRunning(job.id)) return false
    trainings.outdate(job.id, RETRAIN)
    return true
  }

  #audit(
    { id, title }: JobSettings,
    by: Author,
    action: AuditAction,
    details: Readonly<Record<string, unknown>>,
  ): void {
    const batch = new WriteBatch()
    const entry = {
      atMicros: this.#deps.clock.nowMicros(),
      by,
      action,
      object: { type: 'job', id: String(id), title },
      job: { id, title },
      details,
    } as const
    this.#deps.audit.record(batch, entry)
    this.#deps.store.commit(batch)
  }
}

function fieldsOf({ dateField, startDate, endDate, filters }: ReprocessSelection): Record<string, unknown> {
  return {
    ...(startDate === null && endDate === null
      ? {}
      : { date_field: dateField, start_date: startDate, end_date: endDate }),
    fields: filters.map(subjectOfFilter),
  }
}

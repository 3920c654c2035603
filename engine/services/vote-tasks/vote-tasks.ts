/**
 * Votes by filter: a dry run, a task with progress, and an undo token that takes its votes back.
 *
 * Owns: requests and their bounds. Leaves out: the pieces of a task (vote-task-runner.ts), its rows (vote-task-log.ts).
 *
 * 1. A task is about the events up to its request, or up to an earlier dry run.
 * 2. A request, its end by a person, and taking back are in the audit log, in the commit of the task. Each vote has its
 *    own entry, as any vote.
 */
import { cursorAt, eventList } from '../query/cursors.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Random } from '../../rng.js'
import { eventIdOf, microsOfEventId } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import { parseFilters, subjectOfFilter } from '../../domain/query/filter.js'
import type { AuditAction } from '../../api/audit-service.js'
import type { Author, JobHandle, Principal, ScopedAuthor } from '../../api/principal.js'
import type { VoteTask, VoteTaskPreview, VoteTaskRequest, VoteTaskService } from '../../api/live/vote-task-service.js'
import { labelOf } from '../../actor/votes/voting.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import { hashSecret, makeSecret, sameHash } from '../../resource/access/secrets.js'
import { WriteBatch } from '../../store/environment.js'
import type { AuditLog } from '../audit/audit-log.js'
import type { Lists } from '../lists/lists.js'
import type { VoteTaskRow } from './vote-task-log.js'
import { VoteTaskRunner, type RunnerDeps } from './vote-task-runner.js'

export interface VoteTasksDeps extends Omit<RunnerDeps, 'refs' | 'ownVotes' | 'nowMicros'> {
  readonly lists: Lists
  readonly audit: AuditLog
  readonly clock: IngestClock
  readonly random: Random
  current(handle: JobHandle): JobSettings
  mustAccept(): void
}

const SAMPLE = 5
const PREVIEW_MS = 1_500

export class VoteTasks implements VoteTaskService {
  readonly #deps: VoteTasksDeps
  readonly #runner: VoteTaskRunner
  #isPurging = false

  constructor(deps: VoteTasksDeps) {
    this.#deps = deps
    const { lists, clock } = deps
    this.#runner = new VoteTaskRunner({
      ...deps,
      waiting: () => deps.waiting(),
      job: (id) => deps.job(id),
      accepting: () => deps.accepting(),
      failed: (what, error) => deps.failed(what, error),
      nowMicros: () => clock.nowMicros(),
      refs: (job, { selection, cursor, analyst }) =>
        lists.refs(
          job,
          { ...selection, size: limits.voteTaskPiece, ...(cursor === null ? {} : { after: cursor }) },
          analyst,
        ),
      ownVotes: (job, analyst, times) => lists.ownVotes(job, analyst, times),
    })
  }

  /** Goes on with what the last process did not finish. */
  takeUp(): void {
    const { log, job } = this.#deps
    for (const id of log.jobIds()) if (job(id) === undefined) this.forget(id)
    this.#purgeDropped()
    this.#runner.wake()
  }

  async preview(
    principal: Principal,
    handle: JobHandle,
    request: VoteTaskRequest,
    gone?: AbortSignal,
  ): Promise<VoteTaskPreview> {
    const { lists, clock } = this.#deps
    const job = this.#deps.current(handle)
    const label = labelOf(job.labels, request)
    const untilMicros = Math.min(request.untilMicros ?? Number.POSITIVE_INFINITY, clock.nowMicros())
    const selection = { ...selectionOf(request), jobIds: [job.id] }
    const after = cursorAt(eventList(selection), eventIdOf(untilMicros + 1))
    const query = { ...selection, size: SAMPLE, count: true, withinMs: PREVIEW_MS, after }
    const text = Buffer.from(await lists.events(principal, query, gone)).toString('utf8')
    const answer = JSON.parse(text) as { events: unknown[]; total_count: number; total_count_is_exact: boolean }
    return {
      label: job.labels[label]?.name ?? '',
      count: answer.total_count,
      isExact: answer.total_count_is_exact,
      untilMicros,
      sample: answer.events,
    }
  }

  async start(
    principal: Principal,
    handle: JobHandle,
    request: VoteTaskRequest,
  ): Promise<{ task: VoteTask; preview: VoteTaskPreview; undoToken: string }> {
    this.#deps.mustAccept()
    const { log, clock, random } = this.#deps
    const preview = await this.preview(principal, handle, request)
    const job = this.#deps.current(handle)
    const rows = log.ofJob(job.id)
    if (rows.filter((row) => !isOver(row)).length >= limits.voteTasksOpenMax)
      throw new Refusal(
        'limit_exceeded',
        `a job has at most ${limits.voteTasksOpenMax} tasks of votes that are not over`,
      )
    const undoToken = makeSecret(random)
    const row: VoteTaskRow = {
      id: clock.take(),
      jobId: job.id,
      state: 'running',
      message: '',
      selection: selectionOf(request),
      cursor: eventIdOf(preview.untilMicros + 1),
      analyst: request.analyst,
      label: labelOf(job.labels, request),
      ...(request.closingNotes === undefined ? {} : { closingNotes: request.closingNotes }),
      by: { kind: principal.kind, name: principal.name },
      undoHash: hashSecret(undoToken),
      expected: preview.isExact ? preview.count : null,
      voted: 0,
      unchanged: 0,
      superseded: 0,
      gone: 0,
      failed: 0,
      takenBack: 0,
      kept: 0,
      finishedMicros: null,
    }
    log.add(row, this.#entry(job, row, principal, 'votes by filter requested'))
    this.#dropOld(job.id)
    this.#runner.wake()
    return { task: viewOf(job, row), preview, undoToken }
  }

  list(handle: JobHandle): readonly VoteTask[] {
    const job = this.#deps.current(handle)
    const rows = this.#deps.log.ofJob(job.id)
    return rows.reverse().map((row) => viewOf(job, row))
  }

  one(handle: JobHandle, taskId: string): VoteTask {
    const job = this.#deps.current(handle)
    return viewOf(job, this.#row(job, taskId))
  }

  cancel(handle: JobHandle, taskId: string, by: Author): VoteTask {
    this.#deps.mustAccept()
    const job = this.#deps.current(handle)
    const row = this.#row(job, taskId)
    const finishedMicros = this.#deps.clock.nowMicros()
    const ended = this.#deps.log.change(
      row,
      (now) => (now.state === 'running' ? { ...now, state: 'cancelled', finishedMicros } : null),
      this.#entry(job, row, by, 'votes by filter cancelled'),
    )
    return viewOf(job, ended ?? row)
  }

  undo(handle: JobHandle, taskId: string, undoToken: string | null, by: ScopedAuthor): VoteTask {
    this.#deps.mustAccept()
    const job = this.#deps.current(handle)
    const row = this.#row(job, taskId)
    if (undoToken === null) mustBeTheirs(row, by)
    else if (!sameHash(hashSecret(undoToken), row.undoHash))
      throw new Refusal('wrong_undo_token', 'the undo token is not that of this task; the answer to its request has it')
    const undoing = this.#deps.log.change(
      row,
      (now) =>
        now.state === 'undoing' || now.state === 'undone' ? null : { ...now, state: 'undoing', finishedMicros: null },
      this.#entry(job, row, by, 'votes by filter taken back'),
    )
    this.#runner.wake()
    return viewOf(job, undoing ?? row)
  }

  /** To be called when a job is deleted. */
  forget(jobId: number): void {
    this.#drop(this.#deps.log.ofJob(jobId))
  }

  close(): Promise<void> {
    return this.#runner.close()
  }

  #row(job: JobSettings, taskId: string): VoteTaskRow {
    const id = taskId.length > limits.nameCharsMax ? null : microsOfEventId(taskId)
    const row = id === null ? undefined : this.#deps.log.one(job.id, id)
    if (row === undefined) throw new Refusal('task_not_found', 'there is no such task of votes')
    return row
  }

  /** The entry in the audit log, which names fields and operators, not values. */
  #entry(job: JobSettings, row: VoteTaskRow, by: Author, action: AuditAction): WriteBatch {
    const batch = new WriteBatch()
    const filters = parseFilters(row.selection.filters).map(subjectOfFilter)
    this.#deps.audit.record(batch, {
      atMicros: this.#deps.clock.nowMicros(),
      by: { kind: by.kind, name: by.name },
      analyst: row.analyst,
      action,
      object: { type: 'task', id: eventIdOf(row.id), title: '' },
      job: { id: job.id, title: job.title },
      details: { label: job.labels[row.label]?.name ?? '', filters, expected: row.expected, voted: row.voted },
    })
    return batch
  }

  /** Tasks beyond the bound cannot be taken back any more. */
  #dropOld(jobId: number): void {
    const over = this.#deps.log.ofJob(jobId).filter(isOver)
    this.#drop(over.slice(0, Math.max(0, over.length - limits.voteTasksKeptMax)))
  }

  #drop(rows: readonly VoteTaskRow[]): void {
    const { log, failed } = this.#deps
    try {
      for (const row of rows) log.drop(row)
      this.#purgeDropped()
    } catch (error) {
      failed('dropping old tasks of votes', error)
    }
  }

  /** Deletes what is dropped, piece by piece. */
  #purgeDropped(): void {
    if (this.#isPurging) return
    const [row] = this.#deps.log.dropped()
    if (row === undefined) return
    this.#isPurging = true
    setImmediate(() => {
      this.#isPurging = false
      try {
        this.#deps.log.remove(row, limits.voteTaskPiece)
        this.#purgeDropped()
      } catch (error) {
        this.#deps.failed('deleting old tasks of votes', error)
      }
    })
  }
}

/** @throws Refusal wrong_undo_token, unless they requested the task, or may settle what people disagree on. */
function mustBeTheirs({ by }: VoteTaskRow, { kind, name, scopes }: ScopedAuthor): void {
  if ((by.kind === kind && by.name === name) || scopes.has('write:consensus')) return
  throw new Refusal(
    'wrong_undo_token',
    `${by.name} requested these votes; others take them back by the undo token, or with the scope write:consensus`,
  )
}

function isOver({ state }: VoteTaskRow): boolean {
  return state !== 'running' && state !== 'undoing'
}

function selectionOf({ filters, dateField, startDate, endDate }: VoteTaskRequest): VoteTaskRow['selection'] {
  return {
    ...(filters === undefined ? {} : { filters }),
    ...(dateField === undefined ? {} : { dateField }),
    ...(startDate === undefined ? {} : { startDate }),
    ...(endDate === undefined ? {} : { endDate }),
  }
}

function viewOf(job: JobSettings, row: VoteTaskRow): VoteTask {
  const { id, jobId, label, by, selection, cursor: _, undoHash: __, closingNotes: ___, ...rest } = row
  return {
    ...rest,
    taskId: eventIdOf(id),
    jobId,
    label: job.labels[label]?.name ?? '',
    requestedBy: by.name,
    filters: (selection.filters ?? []) as readonly unknown[],
    requestedMicros: id,
  }
}

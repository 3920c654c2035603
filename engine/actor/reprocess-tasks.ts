/**
 * Reprocessing tasks in the job's actor: commands in, rows and decisions out (reprocessing.ts sends the commands).
 *
 * Owns: the commands, and what each changes. Leaves out: which events a task is about (event-search.ts), deciding again
 * (redecision.ts).
 *
 * 1. A piece of a task and the row that says how far the task is are one commit. So each event is counted once,
 *    whatever happens between two pieces.
 * 2. A piece says where it begins. It changes nothing where the task stands elsewhere: the piece runs a second time, or
 *    the task was cancelled, or its job was stopped.
 * 3. An event that has gone since it was found was replaced by a version that was decided when it arrived.
 * 4. A model that begins to decide brings a task for the stored events that never had a decision (C4.7), in the same
 *    commit. It covers what no such task has covered at the present decision points.
 * 5. Commands of people name their author and get an entry in the audit log. The engine's own commands do not.
 */
import { limits } from '../limits.js'
import { eventIdOf } from '../domain/event/event-id.js'
import { decidesStored } from '../domain/job/job.js'
import type { AuditAction } from '../api/audit-service.js'
import { theService, type Author } from '../api/principal.js'
import { isQuery, subjectOfFilter } from '../domain/query/filter.js'
import { decodeTask, encodeTask, isOver, type ReprocessRow, type ReprocessSelection } from '../store/reprocess-row.js'
import { jobRange, timeKey } from '../store/tables.js'
import type { ActorDeps } from './actor-deps.js'
import { addAuditEntry } from './audit-outbox.js'
import { eventAt, type Reads } from './event-table.js'
import { authorOf } from './message-author.js'
import type { Message } from './message.js'
import { decideAgain, decideAtLast } from './redecision.js'

/** In the audit log, after the certificates of gates and the entries about challengers. */
const CATCH_UP_PLACE = 3_000

/** What a `task` message asks for. */
export type TaskCommand =
  | {
      readonly op: 'create'
      readonly selection: ReprocessSelection
      readonly requestedBy: string
      readonly by: Author
    }
  | { readonly op: 'count'; readonly id: number; readonly matched: number }
  | {
      readonly op: 'piece'
      readonly id: number
      /** The cursor from which the events were searched, and where it stands once they are decided. */
      readonly from: number
      readonly through: number
      /** Ingest times of the events. */
      readonly times: readonly number[]
      /** There are no events after these. */
      readonly last: boolean
    }
  | {
      readonly op: 'end'
      readonly id: number
      readonly state: 'cancelled'
      readonly message: string
      readonly by: Author
    }
  | { readonly op: 'end'; readonly id: number; readonly state: 'failed'; readonly message: string }

export function encodeTaskCommand(command: TaskCommand): Buffer {
  return Buffer.from(JSON.stringify(command), 'utf8')
}

/** The task, or null where there is none, or none any more. */
export function readTask(reads: Reads, jobId: number, id: number): ReprocessRow | null {
  const bytes = reads.get('tasks', timeKey(jobId, id))
  return bytes === undefined ? null : decodeTask(bytes)
}

/** Applies the command in a message. The answer is the task's row after it, or null where there is no such task. */
export function takeTaskCommand(deps: ActorDeps, { body, micros, applied }: Message): ReprocessRow | null {
  const command = JSON.parse(body.toString('utf8')) as TaskCommand
  const id = command.op === 'create' ? micros : command.id
  const row = readTask(deps.store, deps.settings.id, id)
  if (applied) return row
  if (command.op === 'create') return create(deps, id, command)
  if (row === null || isOver(row)) return row
  switch (command.op) {
    case 'count':
      return write(deps, { ...row, state: 'running', matched: command.matched })
    case 'end':
      if (command.state === 'cancelled')
        addTaskEntry(deps, row, { by: command.by, atMicros: micros }, 'reprocessing cancelled')
      return write(deps, { ...row, state: command.state, message: command.message, finishedMicros: micros })
    case 'piece':
      if (command.from !== row.cursor || deps.settings.status === 'STOPPED') return row
      return write(deps, { ...row, ...decidePiece(deps, row, command, micros) })
  }
}

/** The stored events without a decision; those that wait are passed over when it is their turn. */
const neverDecided: ReprocessSelection = {
  dateField: '@timestamp',
  startDate: null,
  endDate: null,
  filters: [{ field: 'service.result', operator: 'not exists' }],
}

/** To be called when a model begins to decide. It decides what was stored without a decision, in the background. */
export function catchUp(deps: ActorDeps, atMicros: number): void {
  const { settings, stats, model, arrivals } = deps
  if (!model.isTrained || !decidesStored(settings.advancedSettings)) return
  const { undecided, caughtUp } = stats.row
  const { fingerprint } = arrivals.points
  const isPresent = caughtUp?.fingerprint === fingerprint
  if (undecided <= (isPresent ? caughtUp.undecided : 0)) return
  stats.change({ caughtUp: { fingerprint, throughMicros: atMicros, undecided } })
  create(deps, atMicros, {
    selection: neverDecided,
    requestedBy: theService.name,
    by: authorOf(theService),
    cursor: isPresent ? caughtUp.throughMicros : 0,
    isCatchUp: true,
  })
}

interface NewTask extends Omit<Extract<TaskCommand, { op: 'create' }>, 'op'> {
  readonly cursor?: number
  readonly isCatchUp?: true
}

function create(
  deps: ActorDeps,
  id: number,
  { selection, requestedBy, by, cursor = 0, isCatchUp }: NewTask,
): ReprocessRow {
  const { store, settings } = deps
  // The walk sees committed rows only, so one turn may exceed the bound by the tasks that it adds.
  const over = [...store.range('tasks', jobRange(settings.id))].filter(({ value }) => isOver(decodeTask(value)))
  for (const { key } of over.slice(0, Math.max(0, over.length + 1 - limits.reprocessTasksKeptMax)))
    store.delete('tasks', key)
  const row: ReprocessRow = {
    id,
    selection,
    requestedBy,
    state: 'queued',
    message: '',
    matched: null,
    cursor,
    updated: 0,
    changed: 0,
    finishedMicros: null,
    ...(isCatchUp === true ? { isCatchUp } : {}),
  }
  addTaskEntry(
    deps,
    row,
    { by, atMicros: id, place: isCatchUp === true ? CATCH_UP_PLACE : 0 },
    'reprocessing requested',
  )
  return write(deps, row)
}

/** The audit entry names the fields of filters only: their values may come from events. */
function addTaskEntry(
  { store, settings }: ActorDeps,
  { id, selection }: ReprocessRow,
  { place = 0, ...who }: { by: Author; atMicros: number; place?: number },
  action: AuditAction,
): void {
  const { dateField, startDate, endDate, filters } = selection
  const entry = {
    ...who,
    action,
    object: { type: 'task', id: eventIdOf(id), title: '' },
    job: { id: settings.id, title: settings.title },
    details: {
      date_field: dateField,
      start_date: startDate,
      end_date: endDate,
      filtered_by: filters.map((filter) => (isQuery(filter) ? subjectOfFilter(filter) : filter.field)),
    },
  } as const
  addAuditEntry(store, entry, place)
}

function decidePiece(
  deps: ActorDeps,
  { updated, changed, isCatchUp }: ReprocessRow,
  command: Extract<TaskCommand, { op: 'piece' }>,
  micros: number,
): Partial<ReprocessRow> {
  let [updatedNow, changedNow, bytes] = [updated, changed, 0]
  for (const [place, time] of command.times.entries()) {
    // The task goes on from here: its cursor is the last time that was decided.
    if (bytes >= limits.decidedBytesPerMessage)
      return { state: 'running', cursor: command.times[place - 1] as number, updated: updatedNow, changed: changedNow }
    const event = eventAt(deps.store, deps.settings.id, time)
    // An event that waits for enrichment is decided when that has ended.
    if (event === null || event.header.enrichments === 'awaited') continue
    bytes += event.record.length
    if (isCatchUp === true) {
      if (!decideAtLast(deps, event, micros)) continue
      updatedNow++
      changedNow++
      continue
    }
    updatedNow++
    if (decideAgain(deps, event, micros)) changedNow++
  }
  const end: Partial<ReprocessRow> = command.last ? { state: 'finished', finishedMicros: micros } : {}
  return { state: 'running', cursor: command.through, updated: updatedNow, changed: changedNow, ...end }
}

function write({ store, settings, stats }: ActorDeps, row: ReprocessRow): ReprocessRow {
  store.put('tasks', timeKey(settings.id, row.id), encodeTask(row))
  stats.touch()
  return row
}

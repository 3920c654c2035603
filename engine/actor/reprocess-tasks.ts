/**
 * Reprocessing tasks as their job's actor sees them: orders in, rows and decisions out (reprocessing.ts gives the orders).
 *
 * Owns: the orders, and what each changes. Leaves out: which events a task is about (event-search.ts), deciding again
 * (redecision.ts).
 *
 * 1. A piece and the row that says how far the task is are one commit: whatever happens between two pieces, each event is
 *    counted once.
 * 2. A piece says where it begins. Where the task is not there any more (the piece runs a second time, the task was
 *    cancelled or its job stopped) it changes nothing.
 * 3. An event that has gone since it was found has been replaced by a version that was decided when it came in.
 * 4. The audit log is told what somebody orders: those orders name their author. The engine's own orders are not told.
 */
import { limits } from '../limits.js'
import { eventIdOf } from '../domain/event/event-id.js'
import { decodeTask, encodeTask, isOver, type ReprocessRow, type ReprocessSelection } from '../store/reprocess-row.js'
import { jobRange, timeKey } from '../store/tables.js'
import { decideAgain, type ActorDeps } from './redecision.js'
import { eventAt, type Reads } from './event-table.js'
import type { Message } from './message.js'
import { tell } from './audit-outbox.js'
import type { AuditAction } from '../api/audit-service.js'
import type { Author } from '../api/principal.js'

/** What a task's actor is told to do. */
export type TaskOrder =
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
      /** The cursor that the events were looked for from, and where it stands once they are decided. */
      readonly from: number
      readonly through: number
      /** Ingest times of the events. */
      readonly times: readonly number[]
      /** Nothing is left behind them. */
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

export function encodeOrder(order: TaskOrder): Buffer {
  return Buffer.from(JSON.stringify(order), 'utf8')
}

/** The task, or null where there is none (any more). */
export function readTask(reads: Reads, jobId: number, id: number): ReprocessRow | null {
  const bytes = reads.get('tasks', timeKey(jobId, id))
  return bytes === undefined ? null : decodeTask(bytes)
}

/** Follows the order in a message; the answer is the task's row behind it, or null where there is no such task. */
export function followOrder(deps: ActorDeps, { body, micros, applied }: Message): ReprocessRow | null {
  const order = JSON.parse(body.toString('utf8')) as TaskOrder
  const id = order.op === 'create' ? micros : order.id
  const row = readTask(deps.store, deps.settings.id, id)
  if (applied) return row
  if (order.op === 'create') return create(deps, id, order)
  if (row === null || isOver(row)) return row
  switch (order.op) {
    case 'count':
      return write(deps, { ...row, state: 'running', matched: order.matched })
    case 'end':
      if (order.state === 'cancelled') tellOf(deps, row, { by: order.by, atMicros: micros }, 'reprocessing cancelled')
      return write(deps, { ...row, state: order.state, message: order.message, finishedMicros: micros })
    case 'piece':
      if (order.from !== row.cursor || deps.settings.status === 'STOPPED') return row
      return write(deps, { ...row, ...decidePiece(deps, row, order, micros) })
  }
}

function create(
  deps: ActorDeps,
  id: number,
  { selection, requestedBy, by }: Extract<TaskOrder, { op: 'create' }>,
): ReprocessRow {
  const { store, settings } = deps
  // The walk sees what is committed: the bound may be passed by what one turn adds.
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
    cursor: 0,
    updated: 0,
    changed: 0,
    finishedMicros: null,
  }
  tellOf(deps, row, { by, atMicros: id }, 'reprocessing requested')
  return write(deps, row)
}

/** Values of filters may come from events, so only the fields are told. */
function tellOf(
  { store, settings }: ActorDeps,
  { id, selection }: ReprocessRow,
  who: { by: Author; atMicros: number },
  action: AuditAction,
): void {
  const { dateField, startDate, endDate, filters } = selection
  tell(store, {
    ...who,
    action,
    object: { type: 'task', id: eventIdOf(id), title: '' },
    job: { id: settings.id, title: settings.title },
    details: {
      date_field: dateField,
      start_date: startDate,
      end_date: endDate,
      filtered_by: filters.map(({ field }) => field),
    },
  })
}

function decidePiece(
  deps: ActorDeps,
  { updated, changed }: ReprocessRow,
  order: Extract<TaskOrder, { op: 'piece' }>,
  micros: number,
): Partial<ReprocessRow> {
  let [updatedNow, changedNow] = [updated, changed]
  for (const time of order.times) {
    const event = eventAt(deps.store, deps.settings.id, time)
    // One that waits for look-ups is decided when they end, and not before.
    if (event === null || event.header.enrichments === 'awaited') continue
    updatedNow++
    if (decideAgain(deps, event, micros)) changedNow++
  }
  const end: Partial<ReprocessRow> = order.last ? { state: 'finished', finishedMicros: micros } : {}
  return { state: 'running', cursor: order.through, updated: updatedNow, changed: changedNow, ...end }
}

function write({ store, settings, stats }: ActorDeps, row: ReprocessRow): ReprocessRow {
  store.put('tasks', timeKey(settings.id, row.id), encodeTask(row))
  stats.touch()
  return row
}

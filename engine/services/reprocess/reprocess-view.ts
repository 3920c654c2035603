/** A reprocessing task as people see it. */
import { eventIdOf } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import { isOver, type ReprocessRow } from '../../store/reprocess-row.js'
import type { ReprocessTask } from '../../api/reprocess-service.js'

export function taskView(job: JobSettings, row: ReprocessRow): ReprocessTask {
  const isWaiting = !isOver(row) && job.status === 'STOPPED'
  const { dateField, startDate, endDate, filters } = row.selection
  return {
    taskId: eventIdOf(row.id),
    jobId: job.id,
    state: isWaiting ? 'waiting' : row.state,
    message: messageOf(row, isWaiting),
    dateField,
    startDate,
    endDate,
    filters,
    requestedBy: row.requestedBy,
    matched: row.matched,
    updated: row.updated,
    changed: row.changed,
    percent: percentOf(row),
    requestedMicros: row.id,
    finishedMicros: row.finishedMicros,
  }
}

function messageOf({ message, isCatchUp }: ReprocessRow, isWaiting: boolean): string {
  if (isWaiting) return 'the job is stopped; the task goes on when it starts'
  return message === '' && isCatchUp === true ? 'events that were stored before the job had a model' : message
}

/** Events replaced meanwhile are not decided again, so only a finished task has 100 %. */
function percentOf({ state, matched, updated }: ReprocessRow): number {
  if (state === 'finished') return 100
  return matched === null || matched === 0 ? 0 : Math.min(99, Math.floor((100 * updated) / matched))
}

/**
 * Tasks of votes by filter in the catalog, and what each of their votes replaced.
 *
 * | table      | key                                          | value                                         |
 * |------------|----------------------------------------------|-----------------------------------------------|
 * | vote_tasks | job (u32), task (u64)                        | version, VoteTaskRow as JSON                  |
 * | task_votes | job (u32), task (u64), event's time (u64)    | version, id and earlier label of it, as JSON  |
 *
 * 1. What a vote replaces is written before the vote is given. So it can be taken back whatever happens in between.
 * 2. A task is changed by what it is now (json-rows.ts): people may end it or take it back at any time.
 * 3. A task that is dropped is seen by nobody from then on, so nobody takes back a part of its votes.
 */
import type { ListSelection } from '../../api/live/list-service.js'
import type { Author } from '../../api/principal.js'
import type { VoteTaskState } from '../../api/live/vote-task-service.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'
import { JsonRows, type RowChange } from '../../store/json-rows.js'
import { changeKey, changeOfKey, timeKey } from '../../store/tables.js'

export const voteTaskTables = ['vote_tasks', 'task_votes'] as const

export interface VoteTaskRow {
  /** When it was requested, microseconds. */
  readonly id: number
  readonly jobId: number
  readonly state: VoteTaskState
  readonly message: string
  readonly selection: Pick<ListSelection, 'filters' | 'dateField' | 'startDate' | 'endDate'>
  /** The cursor of the list: where the task goes on; null at the end. */
  readonly cursor: string | null
  readonly analyst: string
  /** Index of the label. */
  readonly label: number
  readonly closingNotes?: string
  readonly by: Author
  /** SHA-256 of the undo token, hexadecimal. */
  readonly undoHash: string
  readonly expected: number | null
  readonly voted: number
  readonly unchanged: number
  /** Events on which the analyst has voted since the request. */
  readonly superseded: number
  readonly gone: number
  readonly failed: number
  readonly takenBack: number
  readonly kept: number
  readonly finishedMicros: number | null
  /** It is being deleted, with its votes. */
  readonly isDropped?: true
}

/** Names a task. */
export type VoteTaskId = Pick<VoteTaskRow, 'jobId' | 'id'>

/** A vote of a task: on which event, and the label that the analyst had given before. */
export interface TaskVote {
  readonly eventMicros: number
  readonly eventId: string
  readonly before: number | null
}

function keyOf({ jobId, id }: VoteTaskId): Buffer {
  return timeKey(jobId, id)
}

export class VoteTaskLog {
  readonly #environment: Environment
  readonly #rows: JsonRows<VoteTaskRow>

  constructor(environment: Environment) {
    this.#environment = environment
    this.#rows = new JsonRows(environment, 'vote_tasks')
  }

  jobIds(): number[] {
    return this.#rows.groups()
  }

  /** In the order of their ids. */
  ofJob(jobId: number): VoteTaskRow[] {
    return this.#rows.of(jobId).filter(({ isDropped }) => isDropped !== true)
  }

  one(jobId: number, id: number): VoteTaskRow | undefined {
    const row = this.#rows.get(keyOf({ jobId, id }))
    return row?.isDropped === true ? undefined : row
  }

  /** Writes a new task with the rest of a batch, durably. */
  add(row: VoteTaskRow, batch: WriteBatch): void {
    this.#rows.add(keyOf(row), row, batch)
  }

  /** As JsonRows.change; a task that is dropped is gone. */
  change(of: VoteTaskId, into: RowChange<VoteTaskRow>, batch?: WriteBatch): VoteTaskRow | undefined {
    return this.#rows.change(keyOf(of), (now) => (now.isDropped === true ? null : into(now)), batch)
  }

  /** Drops a task. Its rows are still to be deleted. */
  drop(of: VoteTaskId): void {
    this.change(of, (now) => ({ ...now, isDropped: true }))
  }

  dropped(): VoteTaskRow[] {
    return [...this.#rows.entries()].map(({ row }) => row).filter(({ isDropped }) => isDropped === true)
  }

  putVote(batch: WriteBatch, { jobId, id }: VoteTaskId, { eventMicros, eventId, before }: TaskVote): void {
    batch.put('task_votes', changeKey(jobId, id, eventMicros), encodeJsonRow({ eventId, before }))
  }

  hasVote({ jobId, id }: VoteTaskId, eventMicros: number): boolean {
    return this.#environment.get('task_votes', changeKey(jobId, id, eventMicros)) !== undefined
  }

  deleteVote(batch: WriteBatch, { jobId, id }: VoteTaskId, eventMicros: number): void {
    batch.delete('task_votes', changeKey(jobId, id, eventMicros))
  }

  /** The first votes of a task. */
  votes({ jobId, id }: VoteTaskId, limit: number): TaskVote[] {
    const range = { from: changeKey(jobId, id, 0), to: changeKey(jobId, id + 1, 0), limit }
    return [...this.#environment.range('task_votes', range)].map(({ key, value }) => {
      return { eventMicros: changeOfKey(key).eventMicros, ...(decodeJsonRow(value) as Omit<TaskVote, 'eventMicros'>) }
    })
  }

  /** Deletes some of the votes of a dropped task, and the task with the last ones. True where there are more. */
  remove(of: VoteTaskId, limit: number): boolean {
    const batch = new WriteBatch()
    const votes = this.votes(of, limit)
    for (const { eventMicros } of votes) this.deleteVote(batch, of, eventMicros)
    if (votes.length === limit) this.#environment.commit(batch)
    else this.#rows.delete(keyOf(of), batch)
    return votes.length === limit
  }
}

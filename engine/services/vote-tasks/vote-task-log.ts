/**
 * Tasks of votes by filter in the catalog, and what each of their votes replaced.
 *
 * | table      | key                                          | value                                         |
 * |------------|----------------------------------------------|-----------------------------------------------|
 * | vote_tasks | job (u32), task (u64)                        | version, VoteTaskRow as JSON                  |
 * | task_votes | job (u32), task (u64), event's time (u64)    | version, id and earlier label of it, as JSON  |
 *
 * 1. What a vote replaces is written before the vote is given. So it can be taken back whatever happens in between.
 */
import type { ListSelection } from '../../api/live/list-service.js'
import type { Author } from '../../api/principal.js'
import type { VoteTaskState } from '../../api/live/vote-task-service.js'
import type { Environment, WriteBatch } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'
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
}

/** A vote of a task: on which event, and the label that the analyst had given before. */
export interface TaskVote {
  readonly eventMicros: number
  readonly eventId: string
  readonly before: number | null
}

export class VoteTaskLog {
  readonly #environment: Environment
  /** By job, in the order of their ids. */
  readonly #rows = new Map<number, Map<number, VoteTaskRow>>()

  constructor(environment: Environment) {
    this.#environment = environment
    for (const { value } of environment.range('vote_tasks', {})) this.#keep(decodeJsonRow(value) as VoteTaskRow)
  }

  #keep(row: VoteTaskRow): void {
    let rows = this.#rows.get(row.jobId)
    if (rows === undefined) this.#rows.set(row.jobId, (rows = new Map()))
    rows.set(row.id, row)
  }

  jobIds(): number[] {
    return [...this.#rows.keys()]
  }

  ofJob(jobId: number): VoteTaskRow[] {
    return [...(this.#rows.get(jobId)?.values() ?? [])]
  }

  one(jobId: number, id: number): VoteTaskRow | undefined {
    return this.#rows.get(jobId)?.get(id)
  }

  /** Writes a row with the rest of a batch, durably. */
  set(row: VoteTaskRow, batch: WriteBatch): void {
    batch.put('vote_tasks', timeKey(row.jobId, row.id), encodeJsonRow(row))
    this.#environment.commit(batch)
    this.#keep(row)
  }

  putVote(batch: WriteBatch, { jobId, id }: VoteTaskRow, { eventMicros, eventId, before }: TaskVote): void {
    batch.put('task_votes', changeKey(jobId, id, eventMicros), encodeJsonRow({ eventId, before }))
  }

  hasVote({ jobId, id }: VoteTaskRow, eventMicros: number): boolean {
    return this.#environment.get('task_votes', changeKey(jobId, id, eventMicros)) !== undefined
  }

  deleteVote(batch: WriteBatch, { jobId, id }: VoteTaskRow, eventMicros: number): void {
    batch.delete('task_votes', changeKey(jobId, id, eventMicros))
  }

  /** The first votes of a task. */
  votes({ jobId, id }: VoteTaskRow, limit: number): TaskVote[] {
    const range = { from: changeKey(jobId, id, 0), to: changeKey(jobId, id + 1, 0), limit }
    return [...this.#environment.range('task_votes', range)].map(({ key, value }) => {
      return { eventMicros: changeOfKey(key).eventMicros, ...(decodeJsonRow(value) as Omit<TaskVote, 'eventMicros'>) }
    })
  }

  /** Deletes some of the votes of a task, and the task with the last ones. True where there are more. */
  remove(row: VoteTaskRow, batch: WriteBatch, limit: number): boolean {
    const votes = this.votes(row, limit)
    for (const { eventMicros } of votes) this.deleteVote(batch, row, eventMicros)
    if (votes.length === limit) {
      this.#environment.commit(batch)
      return true
    }
    batch.delete('vote_tasks', timeKey(row.jobId, row.id))
    this.#environment.commit(batch)
    this.#rows.get(row.jobId)?.delete(row.id)
    if (this.#rows.get(row.jobId)?.size === 0) this.#rows.delete(row.jobId)
    return false
  }
}

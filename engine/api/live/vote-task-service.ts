/** The contract of votes by filter: a dry run, a task with progress, and taking its votes back. */
import type { Author, JobHandle, Principal, ScopedAuthor } from '../principal.js'
import type { ListSelection } from './list-service.js'

export interface VoteTaskRequest extends Omit<ListSelection, 'jobIds' | 'jobTitles' | 'withinMs'> {
  readonly analyst: string
  /** A label, as in FeedbackInput. */
  readonly label: string
  readonly closingNotes?: string
  /** Events that came later are not voted on, microseconds. Default: the present. */
  readonly untilMicros?: number
}

/** What a request is about. */
export interface VoteTaskPreview {
  /** The label's name. */
  readonly label: string
  readonly count: number
  /** False: there are at least so many. */
  readonly isExact: boolean
  readonly untilMicros: number
  /** A few of the events, in wire names (list-service.ts). */
  readonly sample: readonly unknown[]
}

export type VoteTaskState = 'running' | 'finished' | 'cancelled' | 'failed' | 'undoing' | 'undone'

export interface VoteTask {
  readonly taskId: string
  readonly jobId: number
  readonly state: VoteTaskState
  /** More for people to read, or ''. */
  readonly message: string
  readonly analyst: string
  readonly label: string
  readonly requestedBy: string
  readonly filters: readonly unknown[]
  /** Events that matched when the task began, if they could be counted. */
  readonly expected: number | null
  /** Votes that were given. */
  readonly voted: number
  /** Events on which the analyst had this vote already. */
  readonly unchanged: number
  /** Events on which the analyst has voted since the request: that vote stands. */
  readonly superseded: number
  /** Events that were deleted or replaced meanwhile. */
  readonly gone: number
  readonly failed: number
  /** Votes that were taken back, and those that were not because they had been changed since. */
  readonly takenBack: number
  readonly kept: number
  readonly requestedMicros: number
  readonly finishedMicros: number | null
}

export interface VoteTaskService {
  /** Rejects with unknown_label, invalid_body, and the refusals of a list. */
  preview(principal: Principal, job: JobHandle, request: VoteTaskRequest, gone?: AbortSignal): Promise<VoteTaskPreview>
  /**
   * Begins a task, which survives restarts. The token takes its votes back; it is shown only here.
   * Rejects as `preview`, and with limit_exceeded.
   */
  start(
    principal: Principal,
    job: JobHandle,
    request: VoteTaskRequest,
  ): Promise<{ readonly task: VoteTask; readonly preview: VoteTaskPreview; readonly undoToken: string }>
  /** The latest first. */
  list(job: JobHandle): readonly VoteTask[]
  /** @throws Refusal task_not_found. */
  one(job: JobHandle, taskId: string): VoteTask
  /** Ends a task that runs; the votes that it gave stay. @throws Refusal task_not_found. */
  cancel(job: JobHandle, taskId: string, by: Author): VoteTask
  /**
   * Takes the votes of a task back, as a task: what the analyst had voted before stands again, with its time and notes.
   * Without a token (null) that is for whoever requested the task, and for who may settle a consensus.
   * @throws Refusal task_not_found, wrong_undo_token.
   */
  undo(job: JobHandle, taskId: string, undoToken: string | null, by: ScopedAuthor): VoteTask
}

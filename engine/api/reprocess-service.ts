/** The contracts of reprocessing, which decides stored events again, and of notes on events. */
import type { Author, JobHandle } from './principal.js'

/** Selects the events of a task. */
export interface ReprocessRequest {
  /** A field, by the rule of query/field.ts; default `@timestamp`. */
  readonly dateField?: string | undefined
  /** Both dates are inclusive: ISO 8601, a number since 1970, or arithmetic such as `now-1d`. */
  readonly startDate?: unknown
  readonly endDate?: unknown
  /** `[{field, operator, value}]`; an event must pass all of them. */
  readonly filters?: unknown
}

/** `waiting`: its job is stopped; the task continues when the job starts. */
export type ReprocessTaskState = 'queued' | 'running' | 'waiting' | 'finished' | 'cancelled' | 'failed'

/** The state of a reprocessing task. */
export interface ReprocessTask {
  readonly taskId: string
  readonly jobId: number
  readonly state: ReprocessTaskState
  /** More for people to read, or ''. */
  readonly message: string
  readonly dateField: string
  readonly startDate: string | number | boolean | null
  readonly endDate: string | number | boolean | null
  readonly filters: readonly object[]
  readonly requestedBy: string
  /** Number of selected events; null until they are counted. */
  readonly matched: number | null
  /** Events decided again so far, each counted once. */
  readonly updated: number
  /** Those of them whose label changed. */
  readonly changed: number
  /** 0 to 100. */
  readonly percent: number
  readonly requestedMicros: number
  readonly finishedMicros: number | null
}

/** Decides stored events again, with the current model and knowledge base. */
export interface ReprocessService {
  /** Resolves when the new decision is flushed. Rejects with event_not_found, job_stopped. */
  event(job: JobHandle, eventId: string, by: Author): Promise<void>
  /**
   * Starts a task for all events of a selection. The task is durable: it runs in the background and survives restarts.
   * Resolves when the task is over; at the latest when `waitSeconds` have passed and its events are counted.
   * Rejects with invalid_body, limit_exceeded, job_stopped.
   */
  start(job: JobHandle, request: ReprocessRequest, by: Author, waitSeconds?: number): Promise<ReprocessTask>
  /** Unfinished tasks and the latest finished ones, newest first. */
  tasks(job: JobHandle): ReprocessTask[]
  /** @throws Refusal task_not_found. */
  task(job: JobHandle, taskId: string): ReprocessTask
  /** Ends a task; its decisions stay. A task that is over does not change. Rejects with task_not_found. */
  cancel(job: JobHandle, taskId: string, by: Author): Promise<ReprocessTask>
}

/** A note of an agent on an event. */
export interface NoteInput {
  readonly notes: unknown
  readonly savedObjects: unknown
  readonly workflowName: string | null
  readonly workflowId: string | null
  readonly sessionId: string | null
  /** The name of the key that it came with. */
  readonly author: string
}

export interface NotesService {
  /** Resolves when the note is flushed. Rejects with event_not_found, invalid_body, limit_exceeded. */
  add(job: JobHandle, eventId: string, note: NoteInput): Promise<void>
}

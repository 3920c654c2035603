/** What the outside may ask to be done with events that are stored: decided again, written notes on. */
import type { Author, JobHandle } from './principal.js'

/** Which events a task decides again. `undefined` is none given. */
export interface ReprocessRequest {
  /** A field, by the rule of query/field.ts; default `@timestamp`. */
  readonly dateField?: string | undefined
  /** A date, both counted in: ISO 8601, a number that counts from 1970, or arithmetic such as `now-1d`. */
  readonly startDate?: unknown
  readonly endDate?: unknown
  /** `[{field, operator, value}]`, all of which an event has to pass. */
  readonly filters?: unknown
}

/** `waiting`: its job is stopped; it goes on when the job starts. */
export type ReprocessTaskState = 'queued' | 'running' | 'waiting' | 'finished' | 'cancelled' | 'failed'

/** A reprocessing task as it stands. */
export interface ReprocessTask {
  readonly taskId: string
  readonly jobId: number
  readonly state: ReprocessTaskState
  /** For people, where there is more to say; else ''. */
  readonly message: string
  readonly dateField: string
  readonly startDate: string | number | boolean | null
  readonly endDate: string | number | boolean | null
  readonly filters: readonly object[]
  readonly requestedBy: string
  /** Events that the selection was found to name; null until they are counted. */
  readonly matched: number | null
  /** Events decided again so far, each counted once. */
  readonly updated: number
  /** Those among them whose label is another one than before. */
  readonly changed: number
  /** 0 to 100. */
  readonly percent: number
  readonly requestedMicros: number
  readonly finishedMicros: number | null
}

/** Deciding stored events again, by the model and the knowledge base of now. */
export interface ReprocessService {
  /** Resolves when the new decision is flushed. Rejects with event_not_found, job_stopped. */
  event(job: JobHandle, eventId: string, by: Author): Promise<void>
  /**
   * Asks for all events of a selection. The task is durable, goes on in the background and survives restarts; the answer
   * comes when it is over, or after `waitSeconds` as soon as its events are counted.
   * Rejects with invalid_body, limit_exceeded, job_stopped.
   */
  start(job: JobHandle, request: ReprocessRequest, by: Author, waitSeconds?: number): Promise<ReprocessTask>
  /** Latest first: those that are not over, and the last ones that are. */
  tasks(job: JobHandle): ReprocessTask[]
  /** @throws Refusal task_not_found. */
  task(job: JobHandle, taskId: string): ReprocessTask
  /** Ends a task; what it has decided stays. One that is over stays as it is. Rejects with task_not_found. */
  cancel(job: JobHandle, taskId: string, by: Author): Promise<ReprocessTask>
}

/** A note as an agent hands it in. */
export interface NoteInput {
  readonly notes: unknown
  readonly savedObjects: unknown
  readonly workflowName: string | null
  readonly workflowId: string | null
  readonly sessionId: string | null
  /** Whose key it came with. */
  readonly author: string
}

export interface NotesService {
  /** Resolves when the note is flushed. Rejects with event_not_found, invalid_body, limit_exceeded. */
  add(job: JobHandle, eventId: string, note: NoteInput): Promise<void>
}

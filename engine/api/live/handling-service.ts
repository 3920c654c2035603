/** The contract of how people share the work: named views, who has an event, who looks at it, notes on it. */
import type { Author, JobHandle, Principal } from '../principal.js'

export interface ViewInput {
  readonly name: string
  /** Everybody sees it; else only its owner does. */
  readonly shared: boolean
  /** What the view shows, as the page keeps it. */
  readonly query: Readonly<Record<string, unknown>>
}

export interface NamedView extends ViewInput {
  readonly viewId: string
  readonly owner: string
  /** The caller's own. */
  readonly isOwn: boolean
  readonly changedMicros: number
}

export interface Assignment {
  readonly eventId: string
  readonly assignee: string
  readonly by: string
  readonly atMicros: number
}

/** Somebody who has an event open. */
export interface Looker {
  readonly name: string
  readonly sinceMicros: number
}

export interface EventNote {
  readonly atMicros: number
  readonly author: string
  /** The text, or what an agent sent. */
  readonly note: unknown
}

/** Whose turn it is where several people work at a job. */
export interface QueueTurn {
  /** How many came before this person. */
  readonly place: number
  /** At least this person. */
  readonly people: number
}

export interface Handover {
  /** Null: nobody. */
  readonly assignee: string | null
  /** Who had the event when the caller looked, null for nobody; absent: it does not matter. */
  readonly expected?: string | null | undefined
}

export interface HandlingService {
  /** The caller's own views, and those that are shared. */
  views(principal: Principal): readonly NamedView[]
  /** Makes a view, or replaces one of the caller's own. @throws Refusal view_not_found, limit_exceeded, draining. */
  saveView(principal: Principal, viewId: string | null, input: ViewInput): NamedView
  /** @throws Refusal view_not_found, draining. */
  deleteView(principal: Principal, viewId: string): void
  /** Null withdraws. @throws Refusal event_not_found, limit_exceeded, draining. */
  /** @throws Refusal assigned_otherwise where the event has changed hands. */
  assign(job: JobHandle, eventId: string, to: Handover, by: Author): Assignment | null
  assignment(job: JobHandle, eventId: string): Assignment | null
  /** All, or those of one person; the latest first. */
  assignments(job: JobHandle, assignee: string | null): readonly Assignment[]
  /** Says that the caller looks at an event, for half a minute, and who else does. @throws Refusal event_not_found. */
  look(job: JobHandle, eventId: string, by: Author): readonly Looker[]
  /** This person works at the job from now on, for two minutes. */
  turnAt(job: JobHandle, by: Author): QueueTurn
  /** Oldest first. @throws Refusal event_not_found. */
  notes(job: JobHandle, eventId: string): readonly EventNote[]
  /** Rejects with event_not_found, limit_exceeded. */
  addNote(job: JobHandle, eventId: string, text: string, by: Author): Promise<void>
}

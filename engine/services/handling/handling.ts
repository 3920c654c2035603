/**
 * How people share the work: named views, who has an event, who looks at it, notes on it.
 *
 * Owns: who may see and change what, and the bounds. Leaves out: rows (handling-tables.ts), the notes of an event
 * (actor/notes.ts).
 *
 * 1. A change and its entry in the audit log are one commit. Who looks at what is in memory alone, and never written.
 */
import { isoMicros } from '../../clock.js'
import { cutText } from '../../domain/event/input/cut-text.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { eventIdOf, microsOfEventId } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { AuditAction, AuditEntry } from '../../api/audit-service.js'
import type {
  Assignment,
  EventNote,
  HandlingService,
  Handover,
  Looker,
  NamedView,
  QueueTurn,
  ViewInput,
} from '../../api/live/handling-service.js'
import type { Author, JobHandle, Principal } from '../../api/principal.js'
import type { NotesService } from '../../api/reprocess-service.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import { WriteBatch } from '../../store/environment.js'
import type { AuditLog } from '../audit/audit-log.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { HandlingTables, StoredView } from './handling-tables.js'

export interface HandlingDeps {
  readonly tables: HandlingTables
  readonly audit: AuditLog
  readonly notes: NotesService
  readonly shards: Pick<ReadableShards, 'event' | 'reader'>
  readonly clock: IngestClock
  current(handle: JobHandle): JobSettings
  mustAccept(): void
}

/** A look counts for so long. */
const LOOK_MICROS = 30e6

/** Who asks for a queue, or looks at an event, works at the job for so long. */
const WORK_MICROS = 120e6

export class Handling implements HandlingService {
  readonly #deps: HandlingDeps
  /** By job and event, then by person: since when, and until when it counts. */
  readonly #looks = new Map<string, Map<string, { readonly since: number; readonly until: number }>>()

  /** By job: until when somebody works there. */
  readonly #workers = new Map<number, Map<string, number>>()

  constructor(deps: HandlingDeps) {
    this.#deps = deps
  }

  views(principal: Principal): readonly NamedView[] {
    const seen = [...this.#deps.tables.views.values()].filter((view) => view.shared || isOwner(view, principal))
    return seen.map((view) => viewOf(view, principal)).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  saveView(principal: Principal, viewId: string | null, input: ViewInput): NamedView {
    this.#deps.mustAccept()
    const { tables, clock } = this.#deps
    const known = viewId === null ? null : this.#ownView(principal, viewId)
    const own = [...tables.views.values()].filter((view) => isOwner(view, principal))
    if (known === null && own.length >= limits.viewsPerOwnerMax)
      throw new Refusal('limit_exceeded', `one has at most ${limits.viewsPerOwnerMax} views; delete some first`)
    const id = known?.id ?? clock.take()
    const owner = { kind: principal.kind, name: principal.name }
    const view: StoredView = { ...input, id, owner, changedMicros: clock.nowMicros() }
    const { name: title } = view
    tables.setView(id, view, this.#entry(principal, 'view saved', { type: 'view', id: eventIdOf(id), title }))
    return viewOf(view, principal)
  }

  deleteView(principal: Principal, viewId: string): void {
    this.#deps.mustAccept()
    const { id, name: title } = this.#ownView(principal, viewId)
    const object = { type: 'view', id: viewId, title } as const
    this.#deps.tables.setView(id, null, this.#entry(principal, 'view deleted', object))
  }

  assign(handle: JobHandle, eventId: string, { assignee, expected }: Handover, by: Author): Assignment | null {
    this.#deps.mustAccept()
    const { tables, clock } = this.#deps
    const job = this.#mustHave(handle, eventId)
    const assignments = tables.ofJob(job.id)
    const had = assignments.get(eventId)
    const before = had?.assignee ?? null
    if (expected !== undefined && before !== expected && before !== assignee) throw assignedOtherwise(eventId, had)
    if (assignee !== null && before === null && assignments.size >= limits.assignmentsPerJobMax)
      throw new Refusal('limit_exceeded', `a job has at most ${limits.assignmentsPerJobMax} assigned events`)
    if (assignee === before) return assignments.get(eventId) ?? null
    const after = assignee === null ? null : { eventId, assignee, by: by.name, atMicros: clock.nowMicros() }
    const batch = this.#entry(
      by,
      assignee === null ? 'assignment withdrawn' : 'assigned',
      {
        type: 'event',
        id: eventId,
        title: '',
      },
      { job: { id: job.id, title: job.title }, changes: { assignee: { before, after: assignee } } },
    )
    tables.setAssignment(job.id, eventId, after, batch)
    return after
  }

  assignment(handle: JobHandle, eventId: string): Assignment | null {
    const job = this.#mustHave(handle, eventId)
    return this.#deps.tables.ofJob(job.id).get(eventId) ?? null
  }

  assignments(handle: JobHandle, assignee: string | null): readonly Assignment[] {
    const { id } = this.#deps.current(handle)
    const all = [...this.#deps.tables.ofJob(id).values()]
    const wanted = assignee === null ? all : all.filter((each) => each.assignee === assignee)
    return wanted.sort((a, b) => b.atMicros - a.atMicros)
  }

  look(handle: JobHandle, eventId: string, { name }: Author): readonly Looker[] {
    const { id } = this.#mustHave(handle, eventId)
    const now = this.#deps.clock.nowMicros()
    this.#forgetLooks(now)
    this.#atWork(id, name, now)
    const key = `${id} ${eventId}`
    let looks = this.#looks.get(key)
    if (looks === undefined) this.#looks.set(key, (looks = new Map()))
    looks.set(name, { since: looks.get(name)?.since ?? now, until: now + LOOK_MICROS })
    return [...looks].map(([looker, { since }]) => ({ name: looker, sinceMicros: since }))
  }

  turnAt(handle: JobHandle, { name }: Author): QueueTurn {
    const { id } = this.#deps.current(handle)
    const now = this.#deps.clock.nowMicros()
    const people = this.#atWork(id, name, now)
    return { place: [...people.keys()].indexOf(name), people: people.size }
  }

  /** Who works at the job, in the order in which they came; this person from now on as well. */
  #atWork(jobId: number, name: string, now: number): ReadonlyMap<string, number> {
    const people = this.#workers.get(jobId) ?? new Map<string, number>()
    for (const [other, until] of people) if (until < now) people.delete(other)
    if (people.has(name) || people.size < limits.looksMax) people.set(name, now + WORK_MICROS)
    this.#workers.set(jobId, people)
    return people
  }

  #forgetLooks(now: number): void {
    for (const [key, looks] of this.#looks) {
      for (const [name, { until }] of looks) if (until < now) looks.delete(name)
      if (looks.size === 0 || this.#looks.size > limits.looksMax) this.#looks.delete(key)
    }
  }

  notes(handle: JobHandle, eventId: string): readonly EventNote[] {
    const job = this.#mustHave(handle, eventId)
    const notes = this.#deps.shards.reader(job.shard).notes(job, eventId)
    return notes.map(({ atMicros, author, notes: note }) => ({ atMicros, author, note }))
  }

  async addNote(handle: JobHandle, eventId: string, text: string, by: Author): Promise<void> {
    const plain = { savedObjects: null, workflowName: null, workflowId: null, sessionId: null }
    await this.#deps.notes.add(handle, eventId, { author: by.name, notes: text, ...plain })
  }

  /** To be called when a job is deleted. */
  forget(jobId: number): void {
    this.#workers.delete(jobId)
    this.#deps.tables.forget(jobId)
  }

  /** @throws Refusal event_not_found. */
  #mustHave(handle: JobHandle, eventId: string): JobSettings {
    const job = this.#deps.current(handle)
    this.#deps.shards.event(job, eventId)
    return job
  }

  /** @throws Refusal view_not_found. */
  #ownView(principal: Principal, viewId: string): StoredView {
    const id = viewId.length > limits.nameCharsMax ? null : microsOfEventId(viewId)
    const view = id === null ? undefined : this.#deps.tables.views.get(id)
    if (view !== undefined && isOwner(view, principal)) return view
    throw new Refusal('view_not_found', 'there is no such view of yours')
  }

  #entry(by: Author, action: AuditAction, object: AuditEntry['object'], more: Partial<AuditEntry> = {}): WriteBatch {
    const batch = new WriteBatch()
    const author = { kind: by.kind, name: by.name }
    this.#deps.audit.record(batch, { atMicros: this.#deps.clock.nowMicros(), by: author, action, object, ...more })
    return batch
  }
}

function assignedOtherwise(eventId: string, had: Assignment | undefined): Refusal {
  const now = had === undefined ? 'nobody has it' : `${had.assignee} has it since ${isoMicros(had.atMicros)}`
  return new Refusal('assigned_otherwise', `the event ${cutText(eventId, 64)} has changed hands: ${now}`)
}

function isOwner({ owner }: StoredView, { kind, name }: Author): boolean {
  return owner.kind === kind && owner.name === name
}

function viewOf(view: StoredView, principal: Principal): NamedView {
  const { id, name, shared, query, owner, changedMicros } = view
  const isOwn = isOwner(view, principal)
  return { viewId: eventIdOf(id), name, shared, query, owner: owner.name, isOwn, changedMicros }
}

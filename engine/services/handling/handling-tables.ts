/**
 * Named views and assignments in the catalog, in memory as they are stored.
 *
 * | table       | key                     | value                              |
 * |-------------|-------------------------|------------------------------------|
 * | views       | id (u64)                | version, StoredView as JSON        |
 * | assignments | job (u32), event id     | version, Assignment as JSON        |
 */
import type { Assignment, ViewInput } from '../../api/live/handling-service.js'
import { commitOrWait } from '../../store/commit-or-wait.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'
import { idKey, jobOfKey, timeValue } from '../../store/tables.js'

export const handlingTables = ['views', 'assignments'] as const

export interface StoredView extends ViewInput {
  /** When it was made, microseconds. */
  readonly id: number
  /** Kind and name of the caller who made it. */
  readonly owner: { readonly kind: string; readonly name: string }
  readonly changedMicros: number
}

export class HandlingTables {
  readonly views = new Map<number, StoredView>()
  readonly #assignments = new Map<number, Map<string, Assignment>>()
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
    for (const { value } of environment.range('views', {})) {
      const view = decodeJsonRow(value) as StoredView
      this.views.set(view.id, view)
    }
    for (const { key, value } of environment.range('assignments', {})) {
      const assignment = decodeJsonRow(value) as Assignment
      this.ofJob(jobOfKey(key)).set(assignment.eventId, assignment)
    }
  }

  ofJob(jobId: number): Map<string, Assignment> {
    let assignments = this.#assignments.get(jobId)
    if (assignments === undefined) this.#assignments.set(jobId, (assignments = new Map()))
    return assignments
  }

  jobIds(): number[] {
    return [...this.#assignments.keys()]
  }

  /** Writes a view, or deletes it, with the rest of a batch. */
  setView(id: number, view: StoredView | null, batch: WriteBatch): void {
    if (view === null) batch.delete('views', timeValue(id))
    else batch.put('views', timeValue(id), encodeJsonRow(view))
    this.#environment.commit(batch)
    if (view === null) this.views.delete(id)
    else this.views.set(id, view)
  }

  /** Writes who has an event, or deletes it, with the rest of a batch. */
  setAssignment(jobId: number, eventId: string, assignment: Assignment | null, batch: WriteBatch): void {
    const key = idKey(jobId, Buffer.from(eventId, 'utf8'))
    if (assignment === null) batch.delete('assignments', key)
    else batch.put('assignments', key, encodeJsonRow(assignment))
    this.#environment.commit(batch)
    if (assignment === null) this.ofJob(jobId).delete(eventId)
    else this.ofJob(jobId).set(eventId, assignment)
  }

  /** To be called when a job is deleted. On a full disk the rows stay until the next start. */
  forget(jobId: number): void {
    const batch = new WriteBatch()
    for (const eventId of this.ofJob(jobId).keys()) batch.delete('assignments', idKey(jobId, Buffer.from(eventId)))
    this.#assignments.delete(jobId)
    if (batch.size > 0) commitOrWait(this.#environment, batch)
  }
}

/**
 * A field mapping: the fields of a well-known event format that a job needs, and its good decision points.
 *
 * Good decision points tell the kind of an alert and what it is about, and they have few values. With an id, a time or
 * an address among them, each alert is a bucket of its own, and nothing that was learned applies again. A mapping lists
 * such fields too, with the reason to avoid them.
 */
import type { EventTimeField } from '../../domain/event/event-time-fields.js'

export interface SuggestedPoint {
  /** A path, in the notation of decision points. */
  readonly path: string
  /** A sentence for people. */
  readonly meaning: string
}

export interface Mapping {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Address of the public documentation of the fields. */
  readonly documentation: string
  /** Paths of the time, the title and the severity of an alert; null where the format has no such field. */
  readonly timeField: EventTimeField | null
  readonly titleField: string | null
  readonly severityField: string | null
  /** The best first. */
  readonly points: readonly SuggestedPoint[]
  /** Fields that look useful but are not. */
  readonly avoid: readonly SuggestedPoint[]
}

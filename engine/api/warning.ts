/** What is accepted and will probably not do what its author wants. */
import type { FindingKind } from '../domain/event/finding.js'

export type WarningType =
  | 'no_input'
  | 'no_decision_points'
  | 'lacking_decision_point'
  | 'unique_decision_point'
  | 'mixed_types'
  | 'label_by_position'
  | 'found_fields'
  | 'lacking_fields'
  | 'mixed_buckets'
  | 'label_without_votes'
  | 'labels_renamed'
  | 'second_job'
  | 'step_stopped'
  | 'dead_letters'
  | 'unknown_property'
  | FindingKind

export interface Warning {
  readonly type: WarningType
  /** In the properties of a job; of a document that was sent, from its top. */
  readonly place: readonly (string | number)[]
  /** A sentence: what is wrong. */
  readonly message: string
  /** A sentence: what to do. */
  readonly action: string
  /** How often it was seen, and when; absent where that does not matter. */
  readonly seen?: Seen
}

export interface Seen {
  readonly count: number
  /** The first one, as it came. Only for whoever may read events. */
  readonly example: string
  readonly firstMicros: number
  readonly lastMicros: number
}

/** What a shard answers to a new event, without its id: the contract between the engine and the threads of HTTP. */
import type { Autonomy } from '../domain/autonomy/passage.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'

/**
 * What became of an event that was sent: it is new, it took the place of an earlier version, or it was there already
 * with the same content (S6).
 */
export type Stored = 'new' | 'replaced' | 'same'

/** What is shown of an event. */
export interface ShownEvent {
  readonly micros: number
  readonly pending: boolean
  /** Index, or -1 for no decision. */
  readonly label: number
  /** Hundredths of a percent. */
  readonly confidence: number
  readonly outlier: boolean
  readonly bucketState: BucketState
  /** As people who vote see it. */
  readonly autonomy: Exclude<Autonomy, 'audit'>
}

/** The answer to an event that was sent. */
export interface EventAnswer extends ShownEvent {
  readonly stored: Stored
}

/** What a shard answers to a new event, without its id: the contract between the engine and the threads of HTTP. */
import type { Autonomy } from '../domain/autonomy/passage.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'

export interface EventAnswer {
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

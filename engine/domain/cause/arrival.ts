/** An alert on its way into its cluster. */
import type { Candidate } from './candidate-index.js'
import type { AlertRow } from './cause-rows.js'

export type AlertBase = Pick<AlertRow, 'timeMs' | 'kind' | 'entity' | 'lists' | 'assumed'>
/** Its place in a cluster. */
export type OwnPlace = Pick<AlertRow, 'cluster' | 'rank' | 'sinceMs' | 'alone'>

/** An alert that has just arrived, with its candidates. */
export interface AlertArrival {
  /** Its number: when it arrived. */
  readonly micros: number
  readonly base: AlertBase
  readonly parent: Candidate | undefined
  readonly before: readonly Candidate[]
}

/**
 * The votes of a job as ratings: which analyst gave which label to which event.
 *
 * 1. A vote on a whole bucket is about no event of its own, and is left out.
 * 2. Analysts have numbers in the order in which they are met.
 * 3. What compares analysts asks for shared events alone. Most rows have one vote, and these are then not decoded.
 */
import type { RatedItem } from '../../domain/metrics/analysts/rater-agreement.js'
import { decodeVotes, mayHaveSeveral } from '../../store/ballot-row.js'
import type { Environment } from '../../store/environment.js'
import { jobRange, voteOfKey } from '../../store/tables.js'
import { WHOLE_BUCKET } from '../../actor/votes/vote-rows.js'

export interface RatedVotes {
  readonly analysts: readonly string[]
  /** One item an event. */
  readonly items: readonly RatedItem[]
  readonly isComplete: boolean
}

const ROWS_MAX = 200_000
/** Further analysts are left out. */
const ANALYSTS_MAX = 200

export function ratedVotes(
  environment: Pick<Environment, 'scan'>,
  jobId: number,
  labelCount: number,
  which: 'all' | 'shared' = 'all',
): RatedVotes {
  const numbers = new Map<string, number>()
  const items: RatedItem[] = []
  let isComplete = true
  let rows = 0
  environment.scan('votes', { ...jobRange(jobId), limit: ROWS_MAX + 1 }, (key, value) => {
    if (rows++ >= ROWS_MAX) isComplete = false
    if (rows > ROWS_MAX) return false
    if (which === 'shared' && !mayHaveSeveral(value)) return true
    if (voteOfKey(key).micros === WHOLE_BUCKET) return true
    const item = decodeVotes(value).flatMap(({ analyst, label }) => {
      let number = numbers.get(analyst)
      if (number === undefined && numbers.size < ANALYSTS_MAX) numbers.set(analyst, (number = numbers.size))
      if (number === undefined) isComplete = false
      return number === undefined || label >= labelCount ? [] : [{ analyst: number, label }]
    })
    items.push(item)
    return true
  })
  return { analysts: [...numbers.keys()], items, isComplete }
}

/**
 * The votes of a job as ratings: which analyst gave which label to which event.
 *
 * 1. A vote on a whole bucket is about no event of its own, and is left out.
 * 2. Analysts have numbers in the order in which they are met.
 */
import type { RatedItem } from '../../domain/metrics/analysts/rater-agreement.js'
import { decodeVotes } from '../../store/ballot-row.js'
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

export function ratedVotes(environment: Pick<Environment, 'range'>, jobId: number, labelCount: number): RatedVotes {
  const numbers = new Map<string, number>()
  const items: RatedItem[] = []
  let isComplete = true
  for (const { key, value } of environment.range('votes', { ...jobRange(jobId), limit: ROWS_MAX + 1 })) {
    if (items.length >= ROWS_MAX) {
      isComplete = false
      break
    }
    if (voteOfKey(key).micros === WHOLE_BUCKET) continue
    const item = decodeVotes(value).flatMap(({ analyst, label }) => {
      let number = numbers.get(analyst)
      if (number === undefined && numbers.size < ANALYSTS_MAX) numbers.set(analyst, (number = numbers.size))
      if (number === undefined) isComplete = false
      return number === undefined || label >= labelCount ? [] : [{ analyst: number, label }]
    })
    items.push(item)
  }
  return { analysts: [...numbers.keys()], items, isComplete }
}

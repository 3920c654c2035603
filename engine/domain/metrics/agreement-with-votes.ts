/**
 * Agreement of decisions with the consensus of today. It says how consistent a job is, not how good: most decisions
 * with a consensus were made from the very votes that they are compared with. So it is never called accuracy (S26).
 */
import type { ConfusionMatrix } from './confusion.js'

export interface AgreementWithVotes {
  /** Rows: consensus; columns: decision. */
  readonly matrix: readonly (readonly number[])[]
  /** Events with a decision and a consensus. */
  readonly events: number
  /** Share of them that were decided as their consensus; null without events. */
  readonly share: number | null
}

export function agreementWithVotes(matrix: ConfusionMatrix): AgreementWithVotes {
  const { total, right, rows } = matrix
  return { matrix: rows, events: total, share: total === 0 ? null : right / total }
}

/** One event on a line. Little is kept of each, since there may be a hundred thousand. */
export interface Row {
  readonly id: string
  readonly title: string
  readonly label: string
  readonly confidence: number
  readonly status: string
  readonly isOutlier: boolean
  readonly consensus: string | null
  readonly bucketId: string | null
  readonly at: string
  /** Its values at the columns that are chosen, else at the decision points, by name. */
  readonly values: Readonly<Record<string, unknown>>
}

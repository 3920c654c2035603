/**
 * A field mapping: where the events of a well-known format have what a job needs, and which fields make good decision points.
 *
 * Good decision points say what kind of alert it is and what it is about, and take few values: with an id, a time or an
 * address among them each alert is a bucket of its own, and nothing that is learned ever comes again. So a mapping names those
 * too, with the reason, for whoever chooses by hand.
 */
export interface SuggestedPoint {
  /** A path as decision points have it. */
  readonly path: string
  /** What it says, for people. */
  readonly meaning: string
}

export interface Mapping {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The public documentation that the fields are from. */
  readonly documentation: string
  /** Where the time, the title and the severity of an alert stand; null where the format has no such field. */
  readonly timeField: string | null
  readonly titleField: string | null
  readonly severityField: string | null
  /** The best first. */
  readonly points: readonly SuggestedPoint[]
  /** Fields that look useful and are not. */
  readonly avoid: readonly SuggestedPoint[]
}

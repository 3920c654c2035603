/** What an event has at a decision point: the only part of it that buckets, models and outlier checks see. */

/** A single value at a decision point. */
export type ScalarValue = string | number | boolean

/** What an event has at one decision point; null where the path is missing or null. Arrays hold scalars only. */
export type PointValue = ScalarValue | null | readonly ScalarValue[]

/** What an event has at each of the job's decision points, in the job's order. */
export type PointValues = readonly PointValue[]

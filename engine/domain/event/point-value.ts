/** Values at decision points: the only part of an event that buckets, models and outlier checks see. */

/** A single value at a decision point. */
export type ScalarValue = string | number | boolean

/** The value at one decision point; null if the path is missing or null. Arrays hold scalars only. */
export type PointValue = ScalarValue | null | readonly ScalarValue[]

/** The values at a job's decision points, in the job's order. */
export type PointValues = readonly PointValue[]

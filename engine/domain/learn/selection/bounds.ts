/** The bounds of lists of labels to ask for. */
import { assert } from '../../../assert.js'
import { candidatesMax } from './candidates.js'

export const selectionBounds = {
  /** Labels in one answer. */
  nextMax: 200,
  /** Rows of buckets, or events, that are looked at for candidates, and how long. */
  surveyedMax: 200_000,
  surveyMs: 2_000,
  /** Those whose last event is read before the candidates are chosen. */
  estimatedMax: 4_096,
  /** A pool of so few buckets or events is made anew whenever something has changed. */
  smallMax: 256,
  /** A larger one is made anew in the background, at most once in this time and in this many times its own. */
  renewMs: 2_000,
  renewFactor: 20,
  /** Pools of jobs in memory. */
  poolsMax: 64,
  /** Buckets with dissent that one pool remembers, and the most of them on top of one answer. */
  dissentMax: 64,
  dissentShown: 10,
  /** Events of a bucket with votes after which dissent is not asked about again. */
  dissentVotesMax: 12,
  /** Promises that are measured, their days, and how long one is kept. */
  promisesMeasured: 50,
  promiseDays: 7,
  promiseKeptDays: 90,
  /** After so many voted events of one label alone, what is unlike them is asked about. */
  oneLabelVotes: 5,
  /** Doubted votes that a model keeps. */
  doubtedMax: 500,
  /** Audits among which the next one is taken. */
  auditsRead: 64,
} as const

assert(selectionBounds.estimatedMax >= candidatesMax, 'each candidate may be estimated')

/** The bounds of safety contracts, their audits and the queue of people. */
import { assert } from '../../assert.js'
import { epochWeeks } from './gate.js'

export const autonomyBounds = {
  /** Thresholds of one label. */
  thresholdsMax: 8,
  /** Buckets that one label leaves out. */
  exclusionsMax: 1_000,
  /** The longest time that an audit may stay unanswered. */
  auditDeadlineHoursMax: 336,
  /** The share of audits that a second person is asked about. */
  secondRate: 0.1,
  /** Time between two checks of deadlines and weeks, by the times of messages. */
  checkMicros: 60_000_000,
  /** Ended gates that are still shown. */
  endedGatesMax: 12,
  /** Weeks after which an audit is deleted. */
  auditWeeks: 6,
  /** Audits that one message deletes at most. */
  auditsDeletedMax: 2_000,
  /** Events that one message of a reopening walks over, and milliseconds that a request goes on with it. */
  reopenEventsMax: 5_000,
  reopenMs: 25_000,
  /** Events of one page of the queue, and how long the page is searched for. */
  queuePageMax: 200,
  queueMs: 40,
  /** Events among which the ones with most need are chosen. */
  queueNeedEvents: 2_000,
  /** Events that a forecast reads, and how long it reads. */
  forecastEventsMax: 500_000,
  forecastMs: 2_000,
  certificatesPageMax: 100,
} as const

assert(autonomyBounds.auditWeeks > epochWeeks, 'an audit is kept for as long as it is evidence')

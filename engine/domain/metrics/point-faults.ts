/**
 * Finds decision points that most events lack, those that are new with nearly every event, and those that come as
 * numbers and as texts.
 *
 * 1. Few events prove little: nothing is said before there are so many.
 * 2. The share of new values leaves room for the error of their count (distinct-count.ts).
 */
import { NUMBERS, TEXTS } from '../event/decision-points.js'
import type { PointCounts } from './point-tally.js'

export type PointFaultKind = 'lacking' | 'unique' | 'mixed'

/** What is wrong with one decision point. */
export interface PointFault {
  readonly kind: PointFaultKind
  /** Its place in the list of decision points. */
  readonly point: number
  /** Events that were looked at; for `unique`, those that have a value. */
  readonly events: number
  /** Those of them that lack a value; for `unique`, about how many different values they have. */
  readonly count: number
}

/** With fewer events than this, no decision point counts as lacking. */
const LACKING_EVENTS_MIN = 10
/** A point that a larger share of events lacks is lacking. */
const LACKING_SHARE = 0.5
/** With fewer values than this, no decision point counts as unique: a list of hosts begins with new ones. */
const UNIQUE_EVENTS_MIN = 300
/** A point with a larger share of different values is unique. */
const UNIQUE_SHARE = 0.8

/** The faults of the points with that fingerprint, in their order; none where other points were counted. */
export function pointFaults(counts: PointCounts | null, fingerprint: number): PointFault[] {
  if (counts === null || counts.fingerprint !== fingerprint) return []
  const events = counts.events + counts.eventsBefore
  const mixed = (counts.kinds ?? []).flatMap((kinds, point): PointFault[] =>
    kinds === (NUMBERS | TEXTS) ? [{ kind: 'mixed', point, events, count: events }] : [],
  )
  const faults = counts.present.flatMap((now, point): PointFault[] => {
    const present = now + (counts.presentBefore[point] ?? 0)
    const lacking = events - present
    if (events >= LACKING_EVENTS_MIN && lacking > LACKING_SHARE * events)
      return [{ kind: 'lacking', point, events, count: lacking }]
    const distinct = Math.min(present, counts.distinct[point] ?? 0)
    if (present >= UNIQUE_EVENTS_MIN && distinct > UNIQUE_SHARE * present)
      return [{ kind: 'unique', point, events: present, count: distinct }]
    return []
  })
  return [...faults, ...mixed]
}

/**
 * The events that a step has to deliver: committed, and passing its rule. The reading code is in
 * integrations/decision-feed.ts.
 */
import type { DecidedEvent, Outgoing, WatchdogAlert } from '../contract.js'
import type { StepProgress } from './ledger.js'
import type { Summary, Waiting } from './tally.js'

/** An event that a step is to deliver. */
export interface FeedItem {
  readonly eventMicros: number
  /** Time of the decision change, 0 for the first decision. */
  readonly changeMicros: number
  readonly id: string
  readonly reason: Outgoing['reason']
  readonly event: DecidedEvent
  /** Set for an alert of a watchdog. */
  readonly alert?: WatchdogAlert
  /** Set for an item that tells of many: `event` then has its text. */
  readonly summary?: Summary
}

/** The result of one read. */
export interface FeedPiece {
  readonly items: readonly FeedItem[]
  /** Where the read ended. */
  readonly place: StepProgress
  /** More events follow. */
  readonly more: boolean
}

export interface Feed {
  /** True if the event is stored. */
  has(eventMicros: number): boolean
  look(after: StepProgress, eventsMax: number): FeedPiece
  /** The same, without reading more of each than is counted. It ends after a bounded number of records. */
  tally(after: StepProgress, count: (waiting: Waiting) => void): Pick<FeedPiece, 'place' | 'more'>
  /** The item that tells of many. */
  summaryItem(summary: Summary): FeedItem
  /** The event as stored now; null if it was deleted or no longer passes the rule. */
  one(eventMicros: number, changeMicros: number): FeedItem | null
}

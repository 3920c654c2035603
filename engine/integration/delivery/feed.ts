/** Where a step's events come from: what of its job is committed and passes its rule. The reading is integrations/decision-feed.ts. */
import type { DecidedEvent, Outgoing, WatchdogAlert } from '../contract.js'
import type { Place } from './ledger.js'

/** An event that a step is to deliver. */
export interface FeedItem {
  readonly eventMicros: number
  /** Time of the change of its decision, 0 for the first one. */
  readonly changeMicros: number
  readonly id: string
  readonly reason: Outgoing['reason']
  readonly event: DecidedEvent
  /** Where it is no event. */
  readonly alert?: WatchdogAlert
}

/** What one look has found. */
export interface FeedPiece {
  readonly items: readonly FeedItem[]
  /** Where it has looked up to. */
  readonly place: Place
  /** There is more behind that. */
  readonly more: boolean
}

export interface Feed {
  /** The event is stored. */
  has(eventMicros: number): boolean
  look(after: Place, eventsMax: number): FeedPiece
  /** The event as it is now, or null where it is gone, or is not for this step any more. */
  one(eventMicros: number, changeMicros: number): FeedItem | null
}

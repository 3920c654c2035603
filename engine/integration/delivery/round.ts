/**
 * The round of one step: the events that it delivers next, read from its place in the stored events.
 *
 * Owns: the place, and the events behind it that are in memory. Leaves out: delivering them (delivery.ts).
 */
import type { Feed, FeedItem } from './feed.js'
import type { Ledger, Place, StepId } from './ledger.js'

export interface RoundDeps {
  readonly step: StepId
  /** Where the step begins the first time. */
  readonly start: Place
  readonly feed: Feed
  readonly ledger: Ledger
  /** False once the step was changed or removed: it then sends nothing more. Called after each read of events. */
  isCurrent(): boolean
}

export class Round {
  readonly #deps: RoundDeps
  readonly #eventsMax: number
  #place: Place
  /** The place behind this round. */
  #next: Place
  #items: FeedItem[] = []

  constructor(deps: RoundDeps, eventsMax: number) {
    const { ledger, step, start } = deps
    this.#deps = deps
    this.#eventsMax = eventsMax
    const known = ledger.place(step)
    this.#place = this.#next = known ?? start
    if (known === null) ledger.putPlace(step, start)
  }

  /** Up to where every event was delivered or has a dead letter. */
  get place(): Place {
    return this.#place
  }

  get items(): readonly FeedItem[] {
    return this.#items
  }

  /** Reads the next round if this one is over. Without `mayRead` it only updates the items of this one. */
  fill(mayRead: boolean): void {
    const { feed, isCurrent } = this.#deps
    // Events of a waiting round may have changed or been deleted.
    this.#items = this.#items.flatMap(({ eventMicros, changeMicros }) => feed.one(eventMicros, changeMicros) ?? [])
    if (this.#items.length === 0) this.#moveOn()
    while (this.#items.length === 0 && mayRead) {
      const { items, place, more } = feed.look(this.#place, this.#eventsMax)
      if (!isCurrent()) break
      this.#items = [...items]
      this.#next = place
      if (items.length === 0) this.#moveOn()
      if (!more) break
    }
  }

  /** Replaces the first `count` items by those that stay. The place moves when the round is over. */
  finish(count: number, stay: readonly FeedItem[]): void {
    this.#items.splice(0, count, ...stay)
    if (this.#items.length === 0) this.#moveOn()
  }

  #moveOn(): void {
    const { ledger, step } = this.#deps
    const { events, change, changeEvent } = this.#place
    const next = this.#next
    if (next.events === events && next.change === change && next.changeEvent === changeEvent) return
    this.#place = next
    ledger.putPlace(step, next)
  }
}

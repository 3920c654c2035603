/**
 * The round of one step: the events that it delivers next, read from its place in the stored events.
 *
 * Owns: the place, the events behind it that are in memory, and when old ones are summed up. Leaves out: delivering
 * them (delivery.ts), counting them (tally.ts).
 *
 * 1. The place moves when all of a round is done. After a crash before that the round is read again.
 * 2. A sink that people read may sum up: where its counterpart was away, or is slow, and more wait than it wants one by
 *    one, a round is the newest of them, the newest first, and one item that tells of all others.
 */
import type { Feed, FeedItem } from './feed.js'
import type { Ledger, StepProgress, StepId } from './ledger.js'
import { Tally, type Waiting } from './tally.js'

export interface RoundDeps {
  readonly step: StepId
  /** Where the step begins the first time. */
  readonly start: StepProgress
  readonly feed: Feed
  readonly ledger: Ledger
  /** Milliseconds since 1970. */
  nowMs(): number
  /** False once the step was changed or removed: it then sends nothing more. Called after each read of events. */
  isCurrent(): boolean
}

/** How many events a round has, and over how many are summed up: 0 for never. */
export interface RoundSize {
  readonly eventsMax: number
  readonly sumUpOver: number
}

/** A counterpart is slow if an event waits longer for it. */
const SLOW_MS = 60_000
/** Reads of the feed at once, while others wait for the thread. */
const READS_MAX = 10

export class Round {
  readonly #deps: RoundDeps
  readonly #eventsMax: number
  readonly #sumUpOver: number
  #place: StepProgress
  /** The place behind this round. */
  #next: StepProgress
  #items: FeedItem[] = []
  /** Those behind the place that are done already, by their names. */
  readonly #done = new Map<string, FeedItem>()
  /** How many were done one by one since the place last moved. */
  #doneOneByOne = 0
  /** The counterpart was away since the step was last up to date. */
  #wasAway = false
  /** A message for many was refused: until the step is up to date, each goes out by itself. */
  #oneByOne = false
  #tally: { readonly of: Tally; through: StepProgress; isTold: boolean } | null = null

  constructor(deps: RoundDeps, { eventsMax, sumUpOver }: RoundSize) {
    const { ledger, step, start } = deps
    this.#deps = deps
    this.#eventsMax = eventsMax
    this.#sumUpOver = sumUpOver
    const known = ledger.place(step)
    this.#place = this.#next = known ?? start
    if (known === null) ledger.putPlace(step, start)
  }

  /** Up to where every event was delivered or has a dead letter. */
  get place(): StepProgress {
    return this.#place
  }

  get items(): readonly FeedItem[] {
    return this.#items
  }

  /** To be called when nothing, or not all, got through. */
  away(): void {
    this.#wasAway = true
  }

  /**
   * Reads the next round if this one is over. Without `mayRead` it only updates the items of this one. Returns false
   * while there is more to read before anything may be delivered.
   */
  fill(mayRead: boolean): boolean {
    const { feed, isCurrent } = this.#deps
    // Events of a waiting round may have changed or been deleted.
    this.#items = this.#items.flatMap((item) =>
      item.summary === undefined ? (feed.one(item.eventMicros, item.changeMicros) ?? []) : item,
    )
    if (this.#items.length === 0) this.#moveOn()
    while (this.#items.length === 0 && mayRead) {
      const { items, place, more } = feed.look(this.#place, this.#eventsMax)
      if (!isCurrent()) break
      this.#items = items.filter((item) => !this.#done.has(nameOf(item)))
      this.#next = place
      if (this.#items.length === 0) this.#moveOn()
      if (more) continue
      if (items.length === 0) this.#upToDate()
      break
    }
    return !mayRead || !this.#isToSumUp() || this.#sumUp()
  }

  /** Replaces the first `count` items by those that stay. The place moves when the round is over. */
  finish(count: number, stay: readonly FeedItem[]): void {
    for (const item of this.#items.splice(0, count, ...stay)) {
      if (stay.includes(item)) continue
      if (item.summary === undefined) {
        this.#done.set(nameOf(item), item)
        this.#doneOneByOne++
        this.#tally?.of.drop(item)
      } else if (this.#tally !== null) {
        this.#tally.of.told()
        this.#tally.isTold = true
      }
    }
    if (this.#items.length === 0) this.#moveOn()
  }

  /** A message for many was refused: each is sent by itself. */
  splitUp(): void {
    this.#oneByOne = true
    this.#tally = null
    this.#items = []
    this.#next = this.#place
  }

  #isToSumUp(): boolean {
    const [first] = this.#items
    if (first === undefined || this.#sumUpOver === 0 || this.#oneByOne) return false
    // What is left after the message for many is not made to wait for later events.
    if (this.#tally !== null) return !this.#tally.isTold
    return this.#wasAway || this.#deps.nowMs() - (first.changeMicros || first.eventMicros) / 1_000 > SLOW_MS
  }

  /**
   * Makes one item of all that waits but the newest, where there is more than these. Returns false while there is more
   * to read.
   */
  #sumUp(): boolean {
    const { feed, isCurrent } = this.#deps
    this.#tally ??= { of: new Tally(this.#sumUpOver), through: this.#place, isTold: false }
    const tally = this.#tally
    for (let reads = 0; ; reads++) {
      if (reads === READS_MAX) return false
      const found: Waiting[] = []
      const { place, more } = feed.tally(tally.through, (waiting) => found.push(waiting))
      if (!isCurrent()) return false
      for (const waiting of found) if (!this.#done.has(nameOf(waiting))) tally.of.add(waiting)
      tally.through = place
      if (!more) break
    }
    const { summary, newest } = tally.of
    if (summary === null) return true
    const item = feed.summaryItem(summary)
    const kept = newest.flatMap(({ eventMicros, changeMicros }) => feed.one(eventMicros, changeMicros) ?? [])
    // The newest come first, but those that keep coming do not put off the others for ever.
    this.#items = this.#doneOneByOne < this.#sumUpOver ? [...kept, item] : [item, ...kept]
    this.#next = tally.through
    return true
  }

  #upToDate(): void {
    this.#wasAway = false
    this.#oneByOne = false
  }

  #moveOn(): void {
    const { ledger, step } = this.#deps
    const { events, change, changeEvent } = this.#place
    const next = this.#next
    if (next.events === events && next.change === change && next.changeEvent === changeEvent) return
    this.#place = next
    this.#doneOneByOne = 0
    this.#tally = null
    for (const [name, item] of this.#done) if (isBehind(item, next)) this.#done.delete(name)
    ledger.putPlace(step, next)
  }
}

/** Whether the place is past the item. */
function isBehind({ eventMicros, changeMicros }: FeedItem, { events, change, changeEvent }: StepProgress): boolean {
  if (changeMicros === 0) return eventMicros <= events
  return changeMicros < change || (changeMicros === change && eventMicros <= changeEvent)
}

function nameOf({ eventMicros, changeMicros }: Pick<Waiting, 'eventMicros' | 'changeMicros'>): string {
  return `${eventMicros}.${changeMicros}`
}

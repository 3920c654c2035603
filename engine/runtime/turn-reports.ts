/**
 * What follows from each turn of the shards: readers see it, counters count it, and listeners are told.
 *
 * Owns: counters since the start. Leaves out: who listens (shards.ts).
 */
import { DecidedTotals } from '../actor/decision-counts.js'
import type { IngestClock } from './ingest-clock.js'
import type { LatestEvents } from './latest-events.js'
import type { MailboxEvents, TurnRan } from './turn/turn-contract.js'
import { TurnMeter } from './turn/turn-meter.js'

export interface TurnReportsDeps {
  readonly readers: readonly { refresh(): void }[]
  readonly latest: LatestEvents
  readonly clock: IngestClock
  /** As in shards.ts. */
  failed(what: string, error: unknown): void
  ran?(shard: number, ran: TurnRan): void
  ranElsewhere?(shard: number): void
}

export class TurnReports implements MailboxEvents {
  readonly #deps: TurnReportsDeps
  /** How often each shard has committed: other threads wait on it for new events. */
  readonly commits: Int32Array
  /** Number, sizes and durations of turns, by shard. */
  readonly meters: readonly TurnMeter[]
  readonly decided = new DecidedTotals()

  constructor(deps: TurnReportsDeps) {
    const { readers } = deps
    this.#deps = deps
    this.commits = new Int32Array(new SharedArrayBuffer(readers.length * Int32Array.BYTES_PER_ELEMENT))
    this.meters = readers.map(() => new TurnMeter())
  }

  committed(shard: number, facts: TurnRan): void {
    const { readers, latest, ran } = this.#deps
    readers[shard]?.refresh()
    for (const jobId of facts.changed) latest.forget(jobId)
    Atomics.add(this.commits, shard, 1)
    this.meters[shard]?.add(facts)
    this.decided.add(facts.decided)
    ran?.(shard, facts)
  }

  /** A turn was committed outside of the mailbox, with this last time of its messages, microseconds. */
  ranElsewhere(shard: number, facts: TurnRan, lastMicros: number): void {
    this.#deps.clock.follow(lastMicros)
    this.committed(shard, facts)
    this.#deps.ranElsewhere?.(shard)
  }

  added(...[job, clientId, reply]: Parameters<MailboxEvents['added']>): void {
    this.#deps.latest.keep(job, clientId, reply)
  }

  failed(shard: number, error: unknown): void {
    const meter = this.meters[shard]
    if (meter !== undefined) meter.failed++
    this.#deps.failed(`a turn of shard ${shard} failed`, error)
  }
}

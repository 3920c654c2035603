/** The seats of all shards of a node: what runs their turns (turn-log.ts). */
import { must } from '../../../assert.js'
import type { TurnResult, TurnTask } from '../../../actor/turn-task.js'
import type { RunTurn } from '../../turn/turn-contract.js'
import type { LoggedShard, RecordLog, TurnLog } from '../turn-log.js'
import { Seat } from './seat.js'

export interface SeatsDeps {
  /** One for each shard. */
  readonly logs: readonly RecordLog[]
  /** Sends a turn to the owner of its shard. */
  send(task: TurnTask, signal: AbortSignal): Promise<TurnResult>
  /** A record was applied here that another node has appended. */
  took(shard: number): void
  /** Following has ended for good. */
  stopped(error: unknown): void
  /** As in seat.ts. */
  fenced?(): void
}

export class Seats implements TurnLog {
  readonly #deps: SeatsDeps
  readonly #seats: (Seat | undefined)[]

  constructor(deps: SeatsDeps) {
    this.#deps = deps
    this.#seats = deps.logs.map(() => undefined)
  }

  runner(shard: LoggedShard): RunTurn {
    const { logs, send, took, stopped, fenced } = this.#deps
    const log = must(logs[shard.shard], 'the log of shard', shard.shard)
    const seat = new Seat(shard, { log, send, stopped, took: () => took(shard.shard), fenced: () => fenced?.() })
    this.#seats[shard.shard] = seat
    return seat.run
  }

  still(shard: number): Promise<() => void> {
    return this.of(shard).still()
  }

  of(shard: number): Seat {
    return must(this.#seats[shard], 'the seat of shard', shard)
  }

  get all(): readonly Seat[] {
    return this.#seats.map((seat, shard) => must(seat, 'the seat of shard', shard))
  }

  /** Sequence of the last record of each shard that is applied here. */
  get applied(): number[] {
    return this.#seats.map((seat) => seat?.applied ?? 0)
  }

  /** No message of a log that was followed has a later time, microseconds. */
  get lastMicros(): number {
    return Math.max(0, ...this.all.map((seat) => seat.lastMicros))
  }

  /** Follows all logs from now on. */
  follow(): void {
    for (const seat of this.all) seat.follow()
  }

  async endFollowing(): Promise<void> {
    await Promise.all(this.all.map((seat) => seat.endFollowing()))
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((seat) => seat.close()))
  }
}

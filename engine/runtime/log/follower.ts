/**
 * A follower: it keeps a copy of one shard by applying the shard's log.
 *
 * Owns: what is applied, in which order. Leaves out: reading the log (turn-log.ts), the retries of a record
 * (record-runner.ts), writing to the log (logged-turns.ts).
 *
 * 1. Each record is applied once, in order. One that was applied before is passed over.
 * 2. Where a record is missing, or the store does not take one, the follower stops with an error. What it has applied
 *    stays right, and following goes on from there.
 * 3. While the log does not answer, the follower waits.
 */
import { epochMs } from '../../clock.js'
import type { TurnResult, TurnTask } from '../../actor/turn-task.js'
import { RecordRunner } from './record-runner.js'
import { endOf, LogGap, LogUnavailable, type LoggedShard, type LogRecord, type RecordLog } from './turn-log.js'
import { WorkGate } from './gate.js'
import { decodeRecord, jobIdsOf, type TurnRecord } from './turn-record.js'

/** Milliseconds between two tries at a log that does not answer. */
const RETRY_MS = 250

export class Follower {
  readonly #shard: LoggedShard
  readonly #log: RecordLog
  readonly #runner: RecordRunner
  readonly #took: () => void
  readonly #began: (sequence: number, since: number | null) => void
  readonly #gate = new WorkGate()
  /** What runs on the shard's thread: one thing at a time. */
  #running: Promise<unknown> = Promise.resolve()
  #applied: number
  /** When the last record was applied, milliseconds. */
  #appliedMs = 0
  /** The last time of a message in the records that it has read, microseconds. */
  #lastMicros = 0

  /** `took` is called after each record that was applied, and `began` before that where a writer began with it. */
  constructor(
    shard: LoggedShard,
    log: RecordLog,
    took: () => void = () => {},
    began: (sequence: number, since: number | null) => void = () => {},
  ) {
    const { sequence, settings } = shard.applied()
    this.#shard = shard
    this.#log = log
    this.#took = took
    this.#began = began
    this.#applied = sequence
    this.#runner = new RecordRunner(shard, settings)
  }

  /** Sequence of the last record that was applied. */
  get applied(): number {
    return this.#applied
  }

  /** When it was applied; 0 for none. */
  get appliedMs(): number {
    return this.#appliedMs
  }

  /** The last time of a message in the log; 0 where it has none behind the position at the start. */
  get lastMicros(): number {
    return this.#lastMicros
  }

  /** Applies the log up to its present end. Rejects with LogUnavailable, LogGap, RecordRefused. */
  async catchUp(): Promise<void> {
    const through = await endOf(this.#log, this.#applied, `shard ${this.#shard.shard}`)
    for await (const record of this.#log.read(this.#applied, through)) await this.#take(record)
  }

  /** Applies the log as it grows, until `signal` aborts. Rejects with LogGap, RecordRefused. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const record of this.#log.follow(this.#applied, signal)) await this.#take(record)
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  /** Answers a turn of which the log has all messages under their times, and they are applied. */
  async answer(task: TurnTask): Promise<TurnResult | null> {
    return await this.#alone(() => this.#runner.answer(task, this.#applied))
  }

  /** Applies nothing until the returned function is called. */
  still(): Promise<() => void> {
    return this.#gate.close()
  }

  async #take({ sequence, bytes }: LogRecord): Promise<void> {
    if (sequence <= this.#applied) return
    if (sequence !== this.#applied + 1)
      throw new LogGap(`shard ${this.#shard.shard} needs record ${this.#applied + 1} of its log; ${sequence} came`)
    const record = decodeRecord(bytes)
    if (record.kind === 'turn') await this.#alone(() => this.#run(record, sequence))
    this.#applied = sequence
    this.#appliedMs = epochMs()
    if (record.kind === 'begin') this.#began(sequence, record.since)
    this.#took()
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#running.then(() => this.#gate.pass(work))
    this.#running = done.catch(() => {})
    return done
  }

  async #run({ turn, span }: TurnRecord & { readonly kind: 'turn' }, sequence: number): Promise<void> {
    const beganMs = performance.now()
    const results = await this.#runner.run(turn, sequence)
    this.#lastMicros = span.lastMicros
    this.#shard.ranElsewhere?.(
      {
        messages: turn.count,
        seconds: (performance.now() - beganMs) / 1000,
        flushSeconds: results.reduce((sum, { flushMs = 0 }) => sum + flushMs, 0) / 1000,
        decided: results.flatMap(({ decided = [] }) => decided),
        changed: [...jobIdsOf(turn)],
      },
      span.lastMicros,
    )
  }
}

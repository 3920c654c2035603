/**
 * Reads the stream of a log.
 *
 * Owns: batches of records, and how a reader learns of new ones. Leaves out: appends (jetstream-log.ts).
 *
 * 1. Reading keeps no state in the servers: a batch is all messages from a sequence on, up to a bound. So nothing hangs
 *    after a server was lost. A copy of the stream that is behind gives fewer messages, never others.
 * 2. Whoever has appended tells of the record on a subject beside the stream (told-records.ts). Then a follower at the
 *    end of the log asks for nothing: asking costs it many times what the record does. It looks in any case, from time
 *    to time.
 * 3. After a power cut one copy may have a record that most have lost, and that is not in the stream any more. So a
 *    record that nobody has told of is taken when the stream's leader has it.
 */
import type { JetStreamManager, StoredMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { LogPurged, LogUnavailable, type LogRecord } from '../turn-log.js'
import { LargeRecords } from './large-records.js'
import { mustLead } from './stream-leader.js'
import { ToldRecords } from './told-records.js'
import { pause, RETRY_MS, untilAnswered } from './until-answered.js'

/** Milliseconds after which a follower looks for records, even where nobody has told of one. */
const LOOK_MS = 1_000
/** Milliseconds between two questions about what was purged, while nothing says that something was. */
const PURGED_MS = 5_000
/** Milliseconds until a batch has to be there. */
const BATCH_MS = 2_000
/** Records in one batch, and their bytes. */
const BATCH = 256
const BATCH_BYTES = 8 * 1024 ** 2

export interface StreamReaderDeps {
  readonly connection: NatsConnection
  readonly manager: JetStreamManager
  readonly large: LargeRecords
  readonly stream: string
  readonly grownSubject: string
  /** Milliseconds without a record until `read` gives up. */
  readonly limitMs: number
}

interface Batch {
  readonly records: readonly LogRecord[]
  /** There were no others behind them. */
  readonly isEnd: boolean
}

export class LogStreamReader {
  readonly #deps: StreamReaderDeps
  /** When it was asked last what was purged, milliseconds of this process. */
  #askedMs = Number.NEGATIVE_INFINITY
  /** The last record that the leader surely has, as far as is known here. */
  #sure = 0

  constructor(deps: StreamReaderDeps) {
    this.#deps = deps
  }

  /** As in turn-log.ts. */
  async *read(after: number, through: number): AsyncGenerator<LogRecord> {
    let end = performance.now() + this.#deps.limitMs
    for (let last = after; last < through; ) {
      const { records } = await this.#batch(last)
      if (records.length > 0) end = performance.now() + this.#deps.limitMs
      else if (performance.now() > end) throw new LogUnavailable(`${this.#deps.stream} gives no record behind ${last}`)
      else await pause(RETRY_MS)
      for (const record of records) {
        if (record.sequence > through) return
        yield await this.#whole(record)
        last = record.sequence
      }
    }
  }

  /** As in turn-log.ts. */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<LogRecord> {
    const told = new ToldRecords(this.#deps.connection, this.#deps.grownSubject)
    const abort = (): void => told.wake()
    signal.addEventListener('abort', abort)
    try {
      for (let last = after, asks = true; !signal.aborted; ) {
        const changed = told.changed()
        const next = told.take(last + 1)
        const batch: Batch = next === null && asks ? await this.#batch(last) : { records: [], isEnd: true }
        const records = next === null ? await this.#thatAreSure(batch.records) : [next]
        this.#sure = Math.max(this.#sure, next?.sequence ?? 0)
        for (const record of records) {
          if (signal.aborted) return
          yield await this.#whole(record)
          last = record.sequence
        }
        asks = !batch.isEnd && records.length === batch.records.length
        if (records.length > 0 || signal.aborted) continue
        // The copy of the stream that answers may be behind what was told.
        await changed(told.isBeyond(last) ? RETRY_MS : LOOK_MS)
        asks = !told.has(last + 1)
      }
    } finally {
      signal.removeEventListener('abort', abort)
      told.close()
    }
  }

  /** Those that the leader has (3); none where it does not answer. */
  async #thatAreSure(records: readonly LogRecord[]): Promise<readonly LogRecord[]> {
    const { manager, stream } = this.#deps
    if ((records.at(-1)?.sequence ?? 0) > this.#sure)
      try {
        this.#sure = mustLead(await manager.streams.info(stream)).state.last_seq
      } catch {
        // It is asked again with the next look.
      }
    return records.filter(({ sequence }) => sequence <= this.#sure)
  }

  /** Some records behind `after`, without gaps; none where there are none, or the servers do not answer. */
  async #batch(after: number): Promise<Batch> {
    const records: LogRecord[] = []
    let next = after + 1
    let [isEnd, isPurged] = [false, false]
    try {
      const answers = await this.#deps.manager.direct.getBatch(this.#deps.stream, {
        seq: next,
        batch: BATCH,
        max_bytes: BATCH_BYTES,
      })
      const timer = setTimeout(() => answers.stop(), BATCH_MS)
      try {
        for await (const answer of answers as AsyncIterable<StoredMsg>) {
          isPurged = answer.seq > next
          if (answer.seq !== next) break
          records.push({ sequence: next++, bytes: answer.data })
          isEnd = answer.pending === 0
        }
      } finally {
        clearTimeout(timer)
      }
    } catch {
      // What came before the failure is right. The next batch begins behind it.
    }
    const isDue = performance.now() - this.#askedMs > PURGED_MS
    if (records.length === 0 && (isPurged || isDue)) await this.#mustBeThere(after)
    return { records, isEnd }
  }

  /** @throws LogPurged where the record behind `after` has been purged. */
  async #mustBeThere(after: number): Promise<void> {
    this.#askedMs = performance.now()
    const state = await this.#deps.manager.streams.info(this.#deps.stream).then(
      (info) => info.state,
      () => null,
    )
    if (state !== null && state.last_seq > after && state.first_seq > after + 1)
      throw new LogPurged(`${this.#deps.stream} begins with record ${state.first_seq}; ${after + 1} has been purged`)
  }

  async #whole({ sequence, bytes }: LogRecord): Promise<LogRecord> {
    if (!LargeRecords.isReference(bytes)) return { sequence, bytes }
    return { sequence, bytes: await untilAnswered(this.#deps.limitMs, () => this.#deps.large.get(bytes, sequence)) }
  }
}

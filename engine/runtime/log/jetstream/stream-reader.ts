/**
 * Reads the stream of a log.
 *
 * Owns: batches of records, and how a reader learns of new ones. Leaves out: appends (jetstream-log.ts).
 *
 * 1. Reading keeps no state in the servers: a batch is all messages from a sequence on, up to a bound. So nothing hangs
 *    after a server was lost. A copy of the stream that is behind gives fewer messages, never others.
 * 2. Whoever has appended says so on a subject beside the stream. Readers look in any case, from time to time.
 */
import type { JetStreamManager, StoredMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { LogPurged, LogUnavailable, type LogRecord } from '../turn-log.js'
import { LargeRecords } from './large-records.js'
import { pause, RETRY_MS, untilAnswered } from './until-answered.js'

/** Milliseconds after which a follower looks for records, even where nobody has told of one. */
const LOOK_MS = 500
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

export class StreamReader {
  readonly #deps: StreamReaderDeps

  constructor(deps: StreamReaderDeps) {
    this.#deps = deps
  }

  /** As in turn-log.ts. */
  async *read(after: number, through: number): AsyncGenerator<LogRecord> {
    let end = performance.now() + this.#deps.limitMs
    for (let last = after; last < through; ) {
      const batch = await this.#batch(last)
      if (batch.length > 0) end = performance.now() + this.#deps.limitMs
      else if (performance.now() > end) throw new LogUnavailable(`${this.#deps.stream} gives no record behind ${last}`)
      else await pause(RETRY_MS)
      for (const record of batch) {
        if (record.sequence > through) return
        yield await this.#whole(record)
        last = record.sequence
      }
    }
  }

  /** As in turn-log.ts. */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<LogRecord> {
    let wake = (): void => {}
    const told = this.#deps.connection.subscribe(this.#deps.grownSubject, { callback: () => wake() })
    const abort = (): void => wake()
    signal.addEventListener('abort', abort)
    try {
      for (let last = after; !signal.aborted; ) {
        const woken = new Promise<void>((resolve) => (wake = resolve))
        const batch = await this.#batch(last)
        for (const record of batch) {
          if (signal.aborted) return
          yield await this.#whole(record)
          last = record.sequence
        }
        if (batch.length > 0 || signal.aborted) continue
        const timer = setTimeout(wake, LOOK_MS)
        await woken
        clearTimeout(timer)
      }
    } finally {
      signal.removeEventListener('abort', abort)
      told.unsubscribe()
    }
  }

  /** Some records behind `after`, without gaps; none where there are none, or the servers do not answer. */
  async #batch(after: number): Promise<LogRecord[]> {
    const records: LogRecord[] = []
    let next = after + 1
    try {
      const answers = await this.#deps.manager.direct.getBatch(this.#deps.stream, {
        seq: next,
        batch: BATCH,
        max_bytes: BATCH_BYTES,
      })
      const timer = setTimeout(() => answers.stop(), BATCH_MS)
      try {
        for await (const answer of answers as AsyncIterable<StoredMsg>) {
          if (answer.seq !== next) break
          records.push({ sequence: next++, bytes: answer.data })
        }
      } finally {
        clearTimeout(timer)
      }
    } catch {
      // What came before the failure is right. The next batch begins behind it.
    }
    if (records.length === 0) await this.#mustBeThere(after)
    return records
  }

  /** @throws LogPurged where the record behind `after` has been purged. */
  async #mustBeThere(after: number): Promise<void> {
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

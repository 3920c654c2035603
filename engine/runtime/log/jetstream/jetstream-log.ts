/**
 * The log of one shard, or of the catalog, as a stream of NATS JetStream.
 *
 * Owns: appends with fencing, what has become of an unclear append. Leaves out: reading (stream-reader.ts), the
 * connection (cluster-connection.ts), what the servers must be (cluster-check.ts), large records (large-records.ts).
 *
 * 1. Each append names the sequence that the stream must end with. So a record that is published again is stored once,
 *    and a writer that does not know the end is refused by the stream.
 * 2. An append without an answer is tried again at once: while a stream has no leader, nobody answers, and then the
 *    first try should not wait. Where it was stored before, the stream refuses it.
 * 3. The end of the stream is taken from a leader that has just heard of another copy (stream-leader.ts).
 * 4. After a refusal, the record at its sequence is read from the stream's leader. It is this one, byte for byte, or
 *    another, or none. While there is none, the append is tried again.
 */
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { LogMoved, type LogExtent, type LogRecord, type RecordLog } from '../turn-log.js'
import { REPLICAS, streamFault, UnfitForLog } from './cluster-check.js'
import { LargeRecords } from './large-records.js'
import { mustLead } from './stream-leader.js'
import { LogStreamReader } from './stream-reader.js'
import { tellingOf } from './told-records.js'
import { pause, RETRY_MS, unavailable, untilAnswered } from './until-answered.js'

export interface JetStreamLogOptions {
  /** Of this service: several may share the servers. Letters, digits, `-` and `_`. */
  readonly name: string
  /** A shard's turns, or the changes of the catalog. */
  readonly of: number | 'catalog'
  /** Milliseconds until an append or a read gives up; default 10 s: a stream without its leader waits for 4 to 6 s. */
  readonly limitMs?: number
  /** For trials with fewer servers. */
  readonly replicas?: number
}

const LIMIT_MS = 10_000
/** Milliseconds until one request has to be answered; until an append is sent again. */
const [ANSWER_MS, APPEND_MS] = [2_000, 1_000]
/** Bytes of a message that are left to headers. */
const HEADERS_BYTES = 4_096
const WRONG_LAST_SEQUENCE: readonly number[] = [10_071, 10_164]
const NOT_FOUND = 10_059

function codeOf(error: unknown): number {
  return (error as { code?: unknown }).code as number
}

export class JetStreamLog implements RecordLog {
  readonly #connection: NatsConnection
  readonly #js: JetStreamClient
  readonly #manager: JetStreamManager
  readonly #large: LargeRecords
  readonly #reader: LogStreamReader
  readonly #stream: string
  readonly #subject: string
  readonly #limitMs: number
  /** Sequences that appends under way will have. */
  readonly #underWay = new Set<number>()

  /** Opens the stream, or makes it. Rejects with UnfitForLog where its settings would lose records. */
  static async open(connection: NatsConnection, options: JetStreamLogOptions): Promise<JetStreamLog> {
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream')
    const manager = await jetstreamManager(connection, { timeout: ANSWER_MS })
    const log = new JetStreamLog(connection, manager, jetstream(connection, { timeout: ANSWER_MS }), options)
    await log.#openStream(options.replicas ?? REPLICAS)
    return log
  }

  private constructor(
    connection: NatsConnection,
    manager: JetStreamManager,
    js: JetStreamClient,
    { name, of, limitMs = LIMIT_MS, replicas = REPLICAS }: JetStreamLogOptions,
  ) {
    this.#connection = connection
    this.#js = js
    this.#manager = manager
    this.#stream = of === 'catalog' ? `${name}_catalog` : `${name}_turns_${of}`
    this.#large = new LargeRecords({ js, manager, bucket: `${name}_large`, stream: this.#stream, replicas })
    this.#subject = of === 'catalog' ? `${name}.catalog` : `${name}.turns.${of}`
    this.#limitMs = limitMs
    const [stream, grownSubject] = [this.#stream, this.#grownSubject]
    this.#reader = new LogStreamReader({ connection, manager, large: this.#large, stream, grownSubject, limitMs })
  }

  /** Told of each record, so that readers need not wait until they look. */
  get #grownSubject(): string {
    return `${this.#subject}.grown`
  }

  async #openStream(replicas: number): Promise<void> {
    const config = await untilAnswered(this.#limitMs, async () => {
      try {
        return (await this.#manager.streams.info(this.#stream)).config
      } catch (error) {
        if (codeOf(error) !== NOT_FOUND) throw error
        const made = await this.#manager.streams.add({
          name: this.#stream,
          subjects: [this.#subject],
          storage: 'file',
          retention: 'limits',
          discard: 'new',
          num_replicas: replicas,
          allow_direct: true,
          deny_delete: true,
        })
        return made.config
      }
    })
    const fault = streamFault(config, replicas)
    if (fault !== null) throw new UnfitForLog(`the stream ${this.#stream} cannot hold a log: ${fault}`)
  }

  async append(bytes: Uint8Array, after: number, signal?: AbortSignal): Promise<number> {
    const sequence = after + 1
    this.#underWay.add(sequence)
    const end = performance.now() + this.#limitMs
    let payload: Uint8Array
    try {
      payload = await this.#payloadOf(bytes, sequence)
      for (;;) {
        const error = await this.#publish(payload, after)
        if (error === null) break
        const isRefused = WRONG_LAST_SEQUENCE.includes(codeOf(error))
        const found = isRefused ? await this.#recordAt(sequence) : undefined
        if (found !== null && found !== undefined) {
          if (Buffer.compare(found, payload) === 0) break
          throw new LogMoved(`record ${sequence} of ${this.#stream} is another one`)
        }
        if (found === null && !this.#underWay.has(after))
          throw new LogMoved(`${this.#stream} does not end with ${after}`)
        if (signal?.aborted === true || performance.now() > end) throw unavailable(error)
        await pause(RETRY_MS)
      }
    } finally {
      this.#underWay.delete(sequence)
    }
    this.#connection.publish(this.#grownSubject, tellingOf(sequence, payload))
    return sequence
  }

  async #payloadOf(bytes: Uint8Array, sequence: number): Promise<Uint8Array> {
    const max = (this.#connection.info?.max_payload ?? 0) - HEADERS_BYTES
    return bytes.length <= max ? bytes : await untilAnswered(this.#limitMs, () => this.#large.put(bytes, sequence))
  }

  /** Null where it was acknowledged; else the failure. */
  async #publish(payload: Uint8Array, after: number): Promise<unknown> {
    try {
      const expect = { lastSequence: after, streamName: this.#stream }
      await this.#js.publish(this.#subject, payload, { expect, timeout: APPEND_MS })
      return null
    } catch (error) {
      return error
    }
  }

  /** The payload at a sequence, from the stream's leader. Null where there is none; undefined where it is not known. */
  async #recordAt(sequence: number): Promise<Uint8Array | null | undefined> {
    try {
      return (await this.#manager.streams.getMessage(this.#stream, { seq: sequence }))?.data ?? null
    } catch {
      return undefined
    }
  }

  async last(): Promise<number> {
    const info = await untilAnswered(this.#limitMs, async () =>
      mustLead(await this.#manager.streams.info(this.#stream)),
    )
    return info.state.last_seq
  }

  /** Asks the stream's leader once. Rejects where it does not answer, or may be cut off. */
  async ask(): Promise<void> {
    mustLead(await this.#manager.streams.info(this.#stream))
  }

  read(after: number, through: number): AsyncIterable<LogRecord> {
    return this.#reader.read(after, through)
  }

  follow(after: number, signal: AbortSignal): AsyncIterable<LogRecord> {
    return this.#reader.follow(after, signal)
  }

  async extent(): Promise<LogExtent> {
    const { state } = await untilAnswered(this.#limitMs, () => this.#manager.streams.info(this.#stream))
    // A stream that never had a record says 0.
    return { first: Math.max(1, state.first_seq), last: state.last_seq, bytes: state.bytes }
  }

  async purge(through: number): Promise<void> {
    await untilAnswered(this.#limitMs, async () => {
      await this.#manager.streams.purge(this.#stream, { seq: through + 1 })
      await this.#large.purge(through)
    })
  }

  /** Leaves the connection open: other logs use it. */
  async close(): Promise<void> {}
}

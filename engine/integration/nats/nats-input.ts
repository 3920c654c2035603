/**
 * A JetStream stream as input, read through a durable pull consumer.
 *
 * Owns: reading, and the messages that are not acknowledged yet. Leaves out: the configuration of the consumer
 * (nats-consumer.ts), turning documents into events (intake.ts).
 *
 * 1. A message is acknowledged when its event and the checkpoint are on disk. An unacknowledged message is sent again,
 *    and becomes the same event: its id consists of stream, sequence and time.
 * 2. A message that cannot be an event is kept as refused, and then terminated: it is never sent again.
 * 3. At most two batches are unacknowledged; the server holds back the rest.
 * 4. The checkpoint is the sequence up to which everything is acknowledged. If the consumer was deleted, a new one
 *    begins behind it.
 */
import { createHash } from 'node:crypto'
import type { ConsumerInfo, ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import type { OpenedParameters, Source, SourcePiece, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { documentsOf, type MessageDocuments } from '../broker/message-document.js'
import { textAt } from '../http/http-kind.js'
import { ensureConsumer, NANOS_PER_MS } from './nats-consumer.js'
import { NatsFailure, NatsLine, natsFailure, natsLasting, natsStoppable } from './nats-line.js'

export const BATCH_STANDARD = 200
export const BATCH_MAX = 2_000
/** How long a poll waits for the first message. */
const WAIT_MS = 1_000
/** How long a poll waits for more messages after the first. */
const LINGER_MS = 20
/** Interval between two reads of the acknowledged sequence. */
const FLOOR_MS = 10_000

interface Checkpoint {
  /** Hash of stream, consumer and creation time: a sequence is only valid for the same stream. */
  readonly of: string
  readonly floor: number
}

/** An unacknowledged message, and the ids of its documents. */
interface Given {
  readonly message: JsMsg
  readonly ids: readonly string[]
}

export class NatsInput implements Source {
  readonly pollMs = 1
  readonly #line: NatsLine
  readonly #stream: string
  readonly #consumer: string
  readonly #parameters: OpenedParameters
  readonly #batch: number
  readonly #waiting: JsMsg[] = []
  /** Unacknowledged messages by the checkpoint of their piece, in order. */
  readonly #given = new Map<unknown, readonly Given[]>()
  #messages: ConsumerMessages | null = null
  #failure: Error | null = null
  #wake = (): void => {}
  #of = ''
  #floor = 0
  #floorAt = 0

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#line = new NatsLine(connection, tools)
    this.#stream = String(parameters.stream)
    this.#consumer = String(parameters.consumer)
    this.#parameters = parameters
    this.#batch = Number(parameters.batch_size ?? BATCH_STANDARD)
  }

  async poll(checkpoint: unknown, signal: AbortSignal): Promise<SourcePiece> {
    try {
      if (this.#messages === null) await natsStoppable(this.#open(checkpoint as Checkpoint | null), signal)
      if (this.#waiting.length === 0) await this.#waitForMessage(WAIT_MS, signal)
      // More messages may follow at once; they then share a commit.
      if (this.#waiting.length > 0 && this.#waiting.length < this.#batch)
        await new Promise((resolve) => setTimeout(resolve, LINGER_MS))
      if (this.#waiting.length === 0 && this.#failure !== null) throw this.#failure
      return await this.#piece(signal)
    } catch (error) {
      await this.#reset()
      if (error instanceof SourceFailure) throw error
      const failure = natsFailure(error)
      throw new SourceFailure(failure.message, 0, natsLasting(error) ?? natsLasting(failure))
    }
  }

  /** Acknowledges everything up to this checkpoint. */
  async taken(checkpoint: unknown, refused: ReadonlySet<string>): Promise<void> {
    for (const [of, given] of this.#given) {
      for (const { message, ids } of given)
        acknowledge(
          message,
          ids.every((id) => refused.has(id)),
        )
      this.#given.delete(of)
      if (of === checkpoint) break
    }
  }

  async close(): Promise<void> {
    this.#messages?.stop()
    await this.#line.close()
  }

  /** Starts to receive messages; creates the consumer if it is missing. */
  async #open(checkpoint: Checkpoint | null): Promise<void> {
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream')
    const connection = await this.#line.connection(new AbortController().signal)
    const options = { timeout: this.#line.timeoutMs, checkAPI: false }
    const manager = await jetstreamManager(connection, options)
    const stream = await manager.streams.info(this.#stream)
    this.#of = createHash('sha256')
      .update(JSON.stringify([this.#stream, this.#consumer, stream.created]))
      .digest('base64url')
      .slice(0, 16)
    const info = await ensureConsumer(
      manager,
      stream,
      { consumer: this.#consumer, parameters: this.#parameters, batch: this.#batch },
      checkpoint?.of === this.#of ? checkpoint.floor : 0,
    )
    this.#noteFloor(info)
    const consumer = await jetstream(connection, options).consumers.get(this.#stream, this.#consumer)
    this.#failure = null
    const messages = await consumer.consume({
      max_messages: this.#batch,
      expires: 10_000,
      idle_heartbeat: 5_000,
      abort_on_missing_resource: true,
      callback: (message) => {
        this.#waiting.push(message)
        this.#wake()
      },
    })
    this.#messages = messages
    const ended = (error: unknown): void => {
      if (this.#messages !== messages) return
      this.#failure = error instanceof Error ? natsFailure(error) : new NatsFailure('the server closed the connection')
      this.#wake()
    }
    void messages.closed().then(ended, ended)
    void connection.closed().then(ended, ended)
  }

  /** Waits for a message, the end of the connection, or the time limit. */
  #waitForMessage(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#wake = () => {}
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end)
      this.#wake = end
      if (signal.aborted || this.#failure !== null) end()
    })
  }

  async #piece(signal: AbortSignal): Promise<SourcePiece> {
    await this.#readFloor(signal)
    const messages = this.#waiting.splice(0, this.#batch)
    const read = messages.map((message) => this.#documents(message))
    const checkpoint: Checkpoint = { of: this.#of, floor: this.#floor }
    if (messages.length > 0)
      this.#given.set(
        checkpoint,
        messages.map((message, at) => ({ message, ids: (read[at]?.documents ?? []).map(({ id }) => id) })),
      )
    return {
      documents: read.flatMap(({ documents }) => documents),
      checkpoint,
      more: this.#waiting.length > 0,
      findings: read.flatMap(({ findings }) => findings),
    }
  }

  #documents(message: JsMsg): MessageDocuments {
    const { streamSequence, timestampNanos } = message.info
    const header = textAt(this.#parameters, 'id_header')
    const given = header === undefined ? '' : (message.headers?.get(header) ?? '')
    return documentsOf(
      `${this.#stream}-${streamSequence}-${Math.floor(timestampNanos / NANOS_PER_MS).toString(36)}`,
      given,
      message.data,
    )
  }

  /** Reads the acknowledged sequence from the server, every ten seconds. */
  async #readFloor(signal: AbortSignal): Promise<void> {
    if (performance.now() < this.#floorAt + FLOOR_MS) return
    const { jetstreamManager } = await import('@nats-io/jetstream')
    const manager = await jetstreamManager(await this.#line.connection(signal), {
      timeout: this.#line.timeoutMs,
      checkAPI: false,
    })
    this.#noteFloor(await natsStoppable(manager.consumers.info(this.#stream, this.#consumer), signal))
  }

  #noteFloor(info: ConsumerInfo): void {
    this.#floor = info.ack_floor.stream_seq
    this.#floorAt = performance.now()
  }

  /** The next poll connects again; unacknowledged messages are sent again. */
  async #reset(): Promise<void> {
    this.#messages?.stop()
    this.#messages = null
    this.#waiting.length = 0
    this.#given.clear()
    await this.#line.close()
  }
}

/** Acknowledges a message. If the connection was closed, the message is sent again. */
function acknowledge(message: JsMsg, isRefused: boolean): void {
  try {
    if (isRefused) message.term('no event')
    else message.ack()
  } catch (error) {
    if (!/clos|drain|disconnect/i.test((error as Error).message)) throw error
  }
}

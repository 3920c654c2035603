/**
 * A JetStream stream as input, through a durable pull consumer.
 *
 * Owns: the consumer, the messages that were given and are not acknowledged yet. Leaves out: what becomes of documents
 * (intake.ts).
 *
 * 1. A message is acknowledged when its event is on disk and the checkpoint too; what was not comes again, by itself, and is
 *    the same event: its id says stream, sequence and time.
 * 2. What is no event is kept as refused, and then terminated: it never comes again.
 * 3. No more than two batches are unacknowledged: the server waits with the rest.
 * 4. The checkpoint is the sequence up to which all is acknowledged. It is needed where somebody has deleted the consumer: the
 *    next one begins behind it.
 */
import { createHash } from 'node:crypto'
import type {
  ConsumerConfig,
  ConsumerInfo,
  ConsumerMessages,
  JetStreamManager,
  JsMsg,
  StreamInfo,
} from '@nats-io/jetstream'
import type { Opened, Source, SourceDocument, SourcePiece, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { documentOf } from '../broker/message-document.js'
import { millisIn } from '../dates.js'
import { textAt } from '../http/http-kind.js'
import { NatsFailure, NatsLine, natsFailure, natsStoppable } from './nats-line.js'

export const BATCH_STANDARD = 200
export const BATCH_MAX = 2_000
/** After so long what was not acknowledged comes again. */
const ACK_WAIT_MS = 30_000
/** A poll that finds nothing waits so long for something. */
const WAIT_MS = 1_000
/** After the first message of a poll, for more. */
const LINGER_MS = 20
/** Between two looks at up to where all is acknowledged. */
const FLOOR_MS = 10_000
const NANOS = 1_000_000

interface Checkpoint {
  /** Stream and consumer, and when the stream was made: a sequence of another means nothing. */
  readonly of: string
  readonly floor: number
}

/** A message that was given, and the id of its document. */
interface Given {
  readonly message: JsMsg
  readonly id: string
}

export class NatsInput implements Source {
  readonly pollMs = 1
  readonly #line: NatsLine
  readonly #stream: string
  readonly #consumer: string
  readonly #parameters: Opened
  readonly #batch: number
  readonly #waiting: JsMsg[] = []
  /** By the checkpoint of their piece, in order. */
  readonly #given = new Map<unknown, readonly Given[]>()
  #messages: ConsumerMessages | null = null
  #failure: Error | null = null
  #wake = (): void => {}
  #of = ''
  #floor = 0
  #floorAt = 0

  constructor(connection: Opened, parameters: Opened, tools: Tools) {
    this.#line = new NatsLine(connection, tools)
    this.#stream = String(parameters.stream)
    this.#consumer = String(parameters.consumer)
    this.#parameters = parameters
    this.#batch = Number(parameters.batch_size ?? BATCH_STANDARD)
  }

  async poll(checkpoint: unknown, signal: AbortSignal): Promise<SourcePiece> {
    try {
      if (this.#messages === null) await natsStoppable(this.#open(checkpoint as Checkpoint | null), signal)
      if (this.#waiting.length === 0) await this.#someTime(WAIT_MS, signal)
      // What comes right behind it is on disk in the same commit.
      if (this.#waiting.length > 0 && this.#waiting.length < this.#batch)
        await new Promise((resolve) => setTimeout(resolve, LINGER_MS))
      if (this.#waiting.length === 0 && this.#failure !== null) throw this.#failure
      return await this.#piece(signal)
    } catch (error) {
      await this.#reset()
      if (error instanceof SourceFailure) throw error
      const { message } = natsFailure(error)
      throw new SourceFailure(message)
    }
  }

  /** What was on disk before is on disk now: all up to this checkpoint is acknowledged. */
  async taken(checkpoint: unknown, refused: ReadonlySet<string>): Promise<void> {
    for (const [of, given] of this.#given) {
      for (const { message, id } of given) acknowledge(message, refused.has(id))
      this.#given.delete(of)
      if (of === checkpoint) break
    }
  }

  async close(): Promise<void> {
    this.#messages?.stop()
    await this.#line.close()
  }

  /** Begins to receive; the consumer is made where there is none. */
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
    const info = await this.#ensureConsumer(manager, stream, checkpoint?.of === this.#of ? checkpoint.floor : 0)
    this.#see(info)
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
      this.#failure =
        error instanceof Error ? natsFailure(error) : new NatsFailure('the connection was closed by the server')
      this.#wake()
    }
    void messages.closed().then(ended, ended)
    void connection.closed().then(ended, ended)
  }

  async #ensureConsumer(
    manager: JetStreamManager,
    { config, created }: StreamInfo,
    floor: number,
  ): Promise<ConsumerInfo> {
    const subjects = (textAt(this.#parameters, 'subjects') ?? '')
      .split(',')
      .map((subject) => subject.trim())
      .filter((subject) => subject !== '')
    const changeable: Partial<ConsumerConfig> = {
      max_ack_pending: 2 * this.#batch,
      ack_wait: ACK_WAIT_MS * NANOS,
      ...filterOf(subjects),
    }
    const known = await manager.consumers.info(this.#stream, this.#consumer).catch((error: Error) => {
      if (error.name === 'ConsumerNotFoundError' || /consumer not found/i.test(error.message)) return null
      throw error
    })
    if (known === null) {
      const wanted = {
        durable_name: this.#consumer,
        ack_policy: 'explicit',
        ...changeable,
        ...this.#start(floor),
      } as Partial<ConsumerConfig>
      return await manager.consumers.add(config.name, wanted)
    }
    if (known.config.ack_policy !== 'explicit' || known.config.deliver_subject !== undefined) {
      throw new NatsFailure(
        `the consumer ${this.#consumer} of the stream made ${created} is no pull consumer with explicit acknowledgements`,
      )
    }
    const isAsWanted =
      known.config.max_ack_pending === changeable.max_ack_pending &&
      known.config.ack_wait === changeable.ack_wait &&
      JSON.stringify(subjectsOf(known.config)) === JSON.stringify(subjects)
    if (isAsWanted) return known
    return await manager.consumers.update(this.#stream, this.#consumer, {
      ...known.config,
      filter_subject: undefined,
      filter_subjects: undefined,
      ...changeable,
    } as Partial<ConsumerConfig>)
  }

  #start(floor: number): object {
    if (floor > 0) return { deliver_policy: 'by_start_sequence', opt_start_seq: floor + 1 }
    const value = textAt(this.#parameters, 'start_value')
    switch (textAt(this.#parameters, 'start_at')) {
      case 'new':
        return { deliver_policy: 'new' }
      case 'sequence':
        return { deliver_policy: 'by_start_sequence', opt_start_seq: Math.max(1, Number(value) || 1) }
      case 'time':
        return { deliver_policy: 'by_start_time', opt_start_time: new Date(millisIn(value ?? '') ?? 0).toISOString() }
      default:
        return { deliver_policy: 'all' }
    }
  }

  /** Waits for a message, an end, or so long. */
  #someTime(ms: number, signal: AbortSignal): Promise<void> {
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
    await this.#look(signal)
    const messages = this.#waiting.splice(0, this.#batch)
    const documents = messages.map((message) => this.#document(message))
    const checkpoint: Checkpoint = { of: this.#of, floor: this.#floor }
    if (messages.length > 0)
      this.#given.set(
        checkpoint,
        messages.map((message, at) => ({ message, id: (documents[at] as SourceDocument).id })),
      )
    return { documents, checkpoint, more: this.#waiting.length > 0 }
  }

  #document(message: JsMsg): SourceDocument {
    const { streamSequence, timestampNanos } = message.info
    const header = textAt(this.#parameters, 'id_header')
    const given = header === undefined ? '' : (message.headers?.get(header) ?? '')
    return documentOf(
      `${this.#stream}-${streamSequence}-${Math.floor(timestampNanos / NANOS).toString(36)}`,
      given,
      message.data,
    )
  }

  /** Now and then asks up to where all is acknowledged. */
  async #look(signal: AbortSignal): Promise<void> {
    if (performance.now() < this.#floorAt + FLOOR_MS) return
    const { jetstreamManager } = await import('@nats-io/jetstream')
    const manager = await jetstreamManager(await this.#line.connection(signal), {
      timeout: this.#line.timeoutMs,
      checkAPI: false,
    })
    this.#see(await natsStoppable(manager.consumers.info(this.#stream, this.#consumer), signal))
  }

  #see(info: ConsumerInfo): void {
    this.#floor = info.ack_floor.stream_seq
    this.#floorAt = performance.now()
  }

  /** The next poll begins anew; what was given and not acknowledged comes again. */
  async #reset(): Promise<void> {
    this.#messages?.stop()
    this.#messages = null
    this.#waiting.length = 0
    this.#given.clear()
    await this.#line.close()
  }
}

/** Where the connection has gone meanwhile the message comes again. */
function acknowledge(message: JsMsg, isRefused: boolean): void {
  try {
    if (isRefused) message.term('no event')
    else message.ack()
  } catch (error) {
    if (!/clos|drain|disconnect/i.test((error as Error).message)) throw error
  }
}

function subjectsOf({ filter_subject: one, filter_subjects: more }: ConsumerConfig): readonly string[] {
  return more ?? (one === undefined || one === '' ? [] : [one])
}

/** Several subjects need NATS 2.10; one is understood by all. */
function filterOf(subjects: readonly string[]): Partial<ConsumerConfig> {
  if (subjects.length === 0) return {}
  return subjects.length === 1 ? { filter_subject: subjects[0] as string } : { filter_subjects: [...subjects] }
}

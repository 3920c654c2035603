/**
 * A topic of Kafka as output: each event with its decision is one record, acknowledged by all replicas in sync.
 *
 * 1. The producer is idempotent: a request that the library repeats is stored once. If the result of a request is
 *    unknown, its events are delivered again, with the same header `id` and the same key.
 * 2. The size of a request stays below the default limit of brokers. A request that is still too large is halved, down
 *    to a single event that is too large.
 */
import type { Message, Producer } from 'kafkajs'
import type { Outcome, OpenedParameters, Outgoing, Sink, Tools } from '../contract.js'
import { decidedDocument } from '../decided-document.js'
import { textAt, timeoutMs, untried } from '../http/http-kind.js'
import { fill } from '../template.js'
import {
  KafkaFailure,
  kafkaFailure,
  kafkaLasting,
  kafkaSettings,
  kafkaStoppable,
  type KafkaSettings,
} from './kafka-line.js'
import { writeJson } from '../../domain/event/json.js'

const BATCH_MAX = 500
const REQUEST_BYTES = 700_000
export const STANDARD_KEY = '{{event_id}}'

/** Errors for which the record itself may be the cause. */
const SUSPECT = new Set(['UNKNOWN', 'CORRUPT_MESSAGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP'])

export class KafkaOutput implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #settings: KafkaSettings
  readonly #timeoutMs: number
  readonly #topic: string
  readonly #key: string
  #producer: Promise<Producer> | null = null

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#settings = kafkaSettings(connection, tools)
    this.#timeoutMs = timeoutMs(connection)
    this.#topic = String(parameters.topic).trim()
    this.#key = textAt(parameters, 'key') ?? STANDARD_KEY
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    const messages = items.map((item) => this.#message(item))
    while (outcomes.length < items.length) {
      let count = 0
      for (let bytes = 0; count === 0 || (outcomes.length + count < items.length && bytes < REQUEST_BYTES); )
        bytes += sizeOf(messages[outcomes.length + count++] as Message)
      const some = await this.#send(messages.slice(outcomes.length, outcomes.length + count), signal)
      outcomes.push(...some)
      if (some.some(({ outcome }) => outcome === 'failed'))
        return [...outcomes, ...items.slice(outcomes.length).map(() => untried)]
    }
    return outcomes
  }

  async close(): Promise<void> {
    const producer = this.#producer
    this.#producer = null
    await producer?.then((open) => open.disconnect()).catch(() => {})
  }

  async #send(messages: readonly Message[], signal: AbortSignal): Promise<Outcome[]> {
    try {
      const producer = await kafkaStoppable((this.#producer ??= this.#open()), signal, this.#timeoutMs)
      await kafkaStoppable(
        producer.send({
          topic: this.#topic,
          messages: [...messages],
          acks: -1,
          timeout: this.#settings.requestTimeout,
        }),
        signal,
        this.#timeoutMs,
      )
      return messages.map(() => ({ outcome: 'delivered' }))
    } catch (error) {
      // After a failure the state of the producer is unreliable, so it is closed.
      const closing = this.close()
      const failure = kafkaFailure(error)
      const type = failure instanceof KafkaFailure ? failure.type : ''
      if (type !== 'MESSAGE_TOO_LARGE' && type !== 'RECORD_LIST_TOO_LARGE') {
        const lasting = kafkaLasting(failure)
        return messages.map(() => ({
          outcome: 'failed',
          reason: failure.message,
          suspect: SUSPECT.has(type),
          ...(lasting === undefined ? {} : { lasting }),
        }))
      }
      await closing
      if (messages.length === 1) return [{ outcome: 'refused', reason: failure.message }]
      const half = messages.length >> 1
      const first = await this.#send(messages.slice(0, half), signal)
      return [...first, ...(await this.#send(messages.slice(half), signal))]
    }
  }

  async #open(): Promise<Producer> {
    const {
      default: { Kafka, Partitioners },
    } = await import('kafkajs')
    const producer = new Kafka(this.#settings).producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
    })
    await producer.connect()
    return producer
  }

  #message({ id, event }: Outgoing): Message {
    return {
      key: fill(this.#key, event) || event.eventId,
      value: Buffer.from(writeJson(decidedDocument(event))),
      headers: { id, event_id: event.eventId, job_id: String(event.jobId) },
    }
  }
}

function sizeOf({ key, value }: Message): number {
  return (key?.length ?? 0) + (value?.length ?? 0) + 200
}

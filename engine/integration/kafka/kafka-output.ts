/**
 * A topic of Kafka as output: each event with its decision is one record, which all replicas in sync have acknowledged.
 *
 * 1. The producer is idempotent: a request that the library repeats is stored once. What is delivered again, since nobody knows
 *    how a request ended, has the same header `id`, and the same key.
 * 2. A request has so many bytes as every broker takes by its standard; one that is too large all the same is halved, down to
 *    the event that is too large by itself.
 */
import type { Message, Producer } from 'kafkajs'
import type { Fate, Opened, Outgoing, Sink, Tools } from '../contract.js'
import { decidedDocument } from '../decided-document.js'
import { textAt, timeoutMs } from '../http/http-kind.js'
import { fill } from '../template.js'
import { kafkaFailure, kafkaSettings, kafkaStoppable, type KafkaSettings } from './kafka-line.js'

const BATCH_MAX = 500
const REQUEST_BYTES = 700_000
export const STANDARD_KEY = '{{event_id}}'

/** What a broker says where the record itself may be the reason. */
const SUSPECT = new Set(['UNKNOWN', 'CORRUPT_MESSAGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP'])

const untried: Fate = { fate: 'failed', reason: 'not tried, since others before it failed', suspect: false }

export class KafkaOutput implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #settings: KafkaSettings
  readonly #timeoutMs: number
  readonly #topic: string
  readonly #key: string
  #producer: Promise<Producer> | null = null

  constructor(connection: Opened, parameters: Opened, tools: Tools) {
    this.#settings = kafkaSettings(connection, tools)
    this.#timeoutMs = timeoutMs(connection)
    this.#topic = String(parameters.topic).trim()
    this.#key = textAt(parameters, 'key') ?? STANDARD_KEY
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Fate[]> {
    const fates: Fate[] = []
    const messages = items.map((item) => this.#message(item))
    while (fates.length < items.length) {
      let count = 0
      for (let bytes = 0; count === 0 || (fates.length + count < items.length && bytes < REQUEST_BYTES); )
        bytes += sizeOf(messages[fates.length + count++] as Message)
      const some = await this.#send(messages.slice(fates.length, fates.length + count), signal)
      fates.push(...some)
      if (some.some(({ fate }) => fate === 'failed')) return [...fates, ...items.slice(fates.length).map(() => untried)]
    }
    return fates
  }

  async close(): Promise<void> {
    const producer = this.#producer
    this.#producer = null
    await producer?.then((open) => open.disconnect()).catch(() => {})
  }

  async #send(messages: readonly Message[], signal: AbortSignal): Promise<Fate[]> {
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
      return messages.map(() => ({ fate: 'delivered' }))
    } catch (error) {
      // What a producer thinks it has sent is not to be trusted after a failure.
      const closing = this.close()
      const failure = kafkaFailure(error) as Error & { type?: string }
      if (failure.type !== 'MESSAGE_TOO_LARGE' && failure.type !== 'RECORD_LIST_TOO_LARGE') {
        return messages.map(() => ({
          fate: 'failed',
          reason: failure.message,
          suspect: SUSPECT.has(failure.type ?? ''),
        }))
      }
      await closing
      if (messages.length === 1) return [{ fate: 'refused', reason: failure.message }]
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
      value: Buffer.from(JSON.stringify(decidedDocument(event))),
      headers: { id, event_id: event.eventId, job_id: String(event.jobId) },
    }
  }
}

function sizeOf({ key, value }: Message): number {
  return (key?.length ?? 0) + (value?.length ?? 0) + 200
}

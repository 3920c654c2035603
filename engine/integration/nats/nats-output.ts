/**
 * A JetStream stream as output: each event with its decision is one message, which the stream has acknowledged.
 *
 * 1. `Nats-Msg-Id` is the same at every try, so a stream does not store a repetition within its window for duplicates.
 * 2. A subject is made of fields of the event, and a field is one token of it: what would make more of it is replaced.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { DecidedEvent, Fate, Opened, Outgoing, Sink, Tools } from '../contract.js'
import { decidedDocument } from '../decided-document.js'
import { textAt } from '../http/http-kind.js'
import { fill } from '../template.js'
import { NatsFailure, NatsLine, natsFailure, natsStoppable } from './nats-line.js'

const BATCH_MAX = 500
export const STANDARD_SUBJECT = 'decisions.{{job_id}}'
/** What the server says of one message that will never do, whoever sends it: larger than the stream takes, against its rules. */
const REFUSING = new Set([10_054, 10_071, 10_157])

/** A field of an event as one token of a subject. */
function token(text: string): string {
  return text.replace(/[\s.*>\u0000-\u001f\u007f]+/g, '_').slice(0, 200) || '_'
}

export function subjectOf(template: string, event: DecidedEvent): string {
  return fill(template, event, token)
}

export class NatsOutput implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #line: NatsLine
  readonly #subject: string

  constructor(connection: Opened, parameters: Opened, tools: Tools) {
    this.#line = new NatsLine(connection, tools)
    this.#subject = textAt(parameters, 'subject') ?? STANDARD_SUBJECT
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Fate[]> {
    try {
      const { jetstream } = await import('@nats-io/jetstream')
      const connection = await this.#line.connection(signal)
      const stream = jetstream(connection, { timeout: this.#line.timeoutMs })
      return await Promise.all(items.map((item) => this.#publish(stream, connection, item, signal)))
    } catch (error) {
      return items.map(() => ({ fate: 'failed', reason: natsFailure(error).message, suspect: false }))
    }
  }

  async close(): Promise<void> {
    await this.#line.close()
  }

  async #publish(
    stream: Publisher,
    { info }: NatsConnection,
    { id, event }: Outgoing,
    signal: AbortSignal,
  ): Promise<Fate> {
    const subject = subjectOf(this.#subject, event)
    const payload = Buffer.from(JSON.stringify(decidedDocument(event)))
    const bytesMax = info?.max_payload ?? Infinity
    if (payload.length + subject.length > bytesMax)
      return { fate: 'refused', reason: `the server takes at most ${bytesMax} bytes in a message` }
    try {
      await natsStoppable(stream.publish(subject, payload, { msgID: id, retries: 0 }), signal)
      return { fate: 'delivered' }
    } catch (error) {
      return this.#fateOf(error, subject)
    }
  }

  #fateOf(error: unknown, subject: string): Fate {
    const { name, message } = error as Error
    const { code } = error as { code?: unknown }
    // With a subject of its own another event may well get through.
    const hasOwnSubject = this.#subject.includes('{{')
    switch (name) {
      case 'TimeoutError':
        return { fate: 'failed', reason: `no acknowledgement within ${this.#line.timeoutMs} ms`, suspect: false }
      case 'NoRespondersError':
      case 'JetStreamNotEnabled':
        return { fate: 'failed', reason: `no stream takes the subject ${subject}`, suspect: hasOwnSubject }
      case 'PermissionViolationError':
        return { fate: 'failed', reason: message, suspect: hasOwnSubject }
      case 'InvalidSubjectError':
        return { fate: 'refused', reason: `${subject} is no subject` }
      case 'JetStreamApiError':
        return typeof code === 'number' && REFUSING.has(code)
          ? { fate: 'refused', reason: message }
          : { fate: 'failed', reason: message, suspect: hasOwnSubject }
      default:
        return {
          fate: 'failed',
          reason: error instanceof NatsFailure ? message : natsFailure(error).message,
          suspect: false,
        }
    }
  }
}

type Publisher = Pick<import('@nats-io/jetstream').JetStreamClient, 'publish'>

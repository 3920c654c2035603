/**
 * A JetStream stream as output: each event with its decision is one message, acknowledged by the stream.
 *
 * 1. `Nats-Msg-Id` is the same for every try, so the stream stores no repetition within its duplicate window.
 * 2. A subject may contain fields of the event. Each field is one token: characters that would split it are replaced.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { DecidedEvent, Lasting, Outcome, OpenedParameters, Outgoing, Sink, Tools } from '../contract.js'
import { decidedDocument } from '../decided-document.js'
import { textAt } from '../http/http-kind.js'
import { fill } from '../template.js'
import { NatsFailure, NatsLine, natsFailure, natsLasting, natsStoppable } from './nats-line.js'
import { writeJson } from '../../domain/event/json.js'

const BATCH_MAX = 500
export const STANDARD_SUBJECT = 'decisions.{{job_id}}'
/** Error codes for a message that the stream will never accept: too large, or against its rules. */
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

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#line = new NatsLine(connection, tools)
    this.#subject = textAt(parameters, 'subject') ?? STANDARD_SUBJECT
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    try {
      const { jetstream } = await import('@nats-io/jetstream')
      const connection = await this.#line.connection(signal)
      const stream = jetstream(connection, { timeout: this.#line.timeoutMs })
      return await Promise.all(items.map((item) => this.#publish(stream, connection, item, signal)))
    } catch (error) {
      const { message } = natsFailure(error)
      const lasting = natsLasting(error)
      return items.map(() => failure(message, lasting))
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
  ): Promise<Outcome> {
    const subject = subjectOf(this.#subject, event)
    const payload = Buffer.from(writeJson(decidedDocument(event)))
    const bytesMax = info?.max_payload ?? Infinity
    if (payload.length + subject.length > bytesMax)
      return { outcome: 'refused', reason: `the server accepts at most ${bytesMax} bytes in a message` }
    try {
      await natsStoppable(stream.publish(subject, payload, { msgID: id, retries: 0 }), signal)
      return { outcome: 'delivered' }
    } catch (error) {
      return this.#outcomeOf(error, subject)
    }
  }

  #outcomeOf(error: unknown, subject: string): Outcome {
    const { name, message } = error as Error
    const { code } = error as { code?: unknown }
    // If each event has its own subject, another event may succeed.
    const hasOwnSubject = this.#subject.includes('{{')
    switch (name) {
      case 'TimeoutError':
        return { outcome: 'failed', reason: `no acknowledgement within ${this.#line.timeoutMs} ms`, suspect: false }
      case 'NoRespondersError':
      case 'JetStreamNotEnabled':
        return hasOwnSubject
          ? suspect(`no stream accepts the subject ${subject}`)
          : failure(`no stream accepts the subject ${subject}`, 'set_up')
      case 'PermissionViolationError':
        return hasOwnSubject ? suspect(message) : failure(message, 'set_up')
      case 'InvalidSubjectError':
        return { outcome: 'refused', reason: `${subject} is not a valid subject` }
      case 'JetStreamApiError':
        return typeof code === 'number' && REFUSING.has(code)
          ? { outcome: 'refused', reason: message }
          : hasOwnSubject
            ? suspect(message)
            : failure(message, natsLasting(error))
      default:
        return failure(error instanceof NatsFailure ? message : natsFailure(error).message, natsLasting(error))
    }
  }
}

/** A failure that any other event would have had. */
function failure(reason: string, lasting: Lasting | undefined): Outcome {
  return { outcome: 'failed', reason, suspect: false, ...(lasting === undefined ? {} : { lasting }) }
}

/** A failure that another event may not have. */
function suspect(reason: string): Outcome {
  return { outcome: 'failed', reason, suspect: true }
}

type Publisher = Pick<import('@nats-io/jetstream').JetStreamClient, 'publish'>

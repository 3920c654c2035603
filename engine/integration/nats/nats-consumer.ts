/**
 * The durable pull consumer that a NATS input reads through: created if missing, and updated to the parameters.
 *
 * Owns: the configuration of the consumer. Leaves out: reading messages (nats-input.ts).
 */
import type { ConsumerConfig, ConsumerInfo, JetStreamManager, StreamInfo } from '@nats-io/jetstream'
import type { OpenedParameters } from '../contract.js'
import { millisIn } from '../dates.js'
import { textAt } from '../http/http-kind.js'
import { NatsFailure } from './nats-line.js'

/** Unacknowledged messages are sent again after this time. */
const ACK_WAIT_MS = 30_000
export const NANOS_PER_MS = 1_000_000

export interface ConsumerOptions {
  readonly consumer: string
  readonly parameters: OpenedParameters
  /** Messages in one piece; twice as many may be unacknowledged. */
  readonly batch: number
}

/** Creates or updates the consumer. A new one begins behind the sequence `floor`, or for 0 as `start_at` says. */
export async function ensureConsumer(
  manager: JetStreamManager,
  { config: { name: stream }, created }: StreamInfo,
  { consumer, parameters, batch }: ConsumerOptions,
  floor: number,
): Promise<ConsumerInfo> {
  const subjects = (textAt(parameters, 'subjects') ?? '')
    .split(',')
    .map((subject) => subject.trim())
    .filter((subject) => subject !== '')
  const changeable: Partial<ConsumerConfig> = {
    max_ack_pending: 2 * batch,
    ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
    ...filterOf(subjects),
  }
  const known = await manager.consumers.info(stream, consumer).catch((error: Error) => {
    if (error.name === 'ConsumerNotFoundError' || /consumer not found/i.test(error.message)) return null
    throw error
  })
  if (known === null) {
    const wanted = { durable_name: consumer, ack_policy: 'explicit', ...changeable, ...startOf(parameters, floor) }
    return await manager.consumers.add(stream, wanted as Partial<ConsumerConfig>)
  }
  if (known.config.ack_policy !== 'explicit' || known.config.deliver_subject !== undefined) {
    throw new NatsFailure(
      `the consumer ${consumer} of the stream created ${created} is not a pull consumer with explicit acknowledgements`,
    )
  }
  const isAsWanted =
    known.config.max_ack_pending === changeable.max_ack_pending &&
    known.config.ack_wait === changeable.ack_wait &&
    JSON.stringify(subjectsOf(known.config)) === JSON.stringify(subjects)
  if (isAsWanted) return known
  return await manager.consumers.update(stream, consumer, {
    ...known.config,
    filter_subject: undefined,
    filter_subjects: undefined,
    ...changeable,
  } as Partial<ConsumerConfig>)
}

/** Where a new consumer begins. */
function startOf(parameters: OpenedParameters, floor: number): object {
  if (floor > 0) return { deliver_policy: 'by_start_sequence', opt_start_seq: floor + 1 }
  const value = textAt(parameters, 'start_value')
  switch (textAt(parameters, 'start_at')) {
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

function subjectsOf({ filter_subject: one, filter_subjects: more }: ConsumerConfig): readonly string[] {
  return more ?? (one === undefined || one === '' ? [] : [one])
}

/** Several subjects need NATS 2.10; a single one works with every version. */
function filterOf(subjects: readonly string[]): Partial<ConsumerConfig> {
  if (subjects.length === 0) return {}
  return subjects.length === 1 ? { filter_subject: subjects[0] as string } : { filter_subjects: [...subjects] }
}

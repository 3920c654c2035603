/** NATS JetStream: a stream as input, a stream as output. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import { idHeaderParameter } from '../broker/broker-parameters.js'
import type { OutsideKind } from '../contract.js'
import { millisIn } from '../dates.js'
import { ruleParameters } from '../rule.js'
import { BATCH_MAX, BATCH_STANDARD, NatsInput } from './nats-input.js'
import { natsConnection } from './nats-line.js'
import { NatsOutput, STANDARD_SUBJECT } from './nats-output.js'

const misfitName = (text: string): string | null =>
  /^[^\s.*>/\\]{1,255}$/.test(text) ? null : 'must be a name without spaces and . * > / \\'

function misfitSubjects(text: string): string | null {
  const fits = text.split(',').every((subject) => /^[^\s,]{0,255}$/.test(subject.trim()) && !subject.includes('..'))
  return fits ? null : 'must be subjects, separated by commas'
}

const entry: IntegrationKind = {
  id: 'nats',
  name: 'NATS JetStream',
  description: 'Reads events from a stream of NATS JetStream, and publishes events with their decisions to one.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: natsConnection,
  roles: [
    {
      role: 'input',
      parameters: [
        { name: 'stream', type: 'string', required: true, description: 'The stream to read.', check: misfitName },
        {
          name: 'consumer',
          type: 'string',
          required: true,
          check: misfitName,
          description: 'The durable pull consumer to read through; it is created if missing. Each job needs its own.',
        },
        {
          name: 'subjects',
          type: 'string',
          required: false,
          check: misfitSubjects,
          description:
            'Only messages with these subjects, separated by commas; * and > are wildcards. More than one needs NATS 2.10.',
        },
        {
          name: 'batch_size',
          type: 'number',
          required: false,
          minimum: 1,
          maximum: BATCH_MAX,
          default: BATCH_STANDARD,
          description: 'Messages in one batch. Twice as many are requested ahead.',
        },
        {
          name: 'start_at',
          type: 'string',
          required: false,
          allowed: ['all', 'new', 'sequence', 'time'],
          default: 'all',
          description: 'Where a new consumer begins.',
        },
        {
          name: 'start_value',
          type: 'string',
          required: false,
          description: 'The sequence or the time (ISO 8601) for start_at.',
          check: (text) =>
            text === '' || /^\d{1,15}$/.test(text) || millisIn(text) !== null ? null : 'must be a sequence or a time',
        },
        idHeaderParameter,
      ],
    },
    {
      role: 'output',
      parameters: [
        {
          name: 'subject',
          type: 'string',
          required: false,
          default: STANDARD_SUBJECT,
          check: misfitSubjects,
          description: 'The subject to publish to; {{path}} inserts a field of the event. A stream must accept it.',
        },
        ...ruleParameters('output'),
      ],
    },
  ],
  addedTo: [],
}

export const nats: OutsideKind = {
  entry,
  openSink: (_role, connection, parameters, tools) => new NatsOutput(connection, parameters, tools),
  openSource: (connection, parameters, tools) => new NatsInput(connection, parameters, tools),
}

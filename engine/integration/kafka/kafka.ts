/** Kafka: topics as input, a topic as output. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import { idHeaderParameter } from '../broker/broker-parameters.js'
import type { OutsideKind } from '../contract.js'
import { millisIn } from '../dates.js'
import { ruleParameters } from '../rule.js'
import { BATCH_MAX, BATCH_STANDARD, KafkaInput } from './kafka-input.js'
import { kafkaConnection, misfitTopic } from './kafka-line.js'
import { KafkaOutput, STANDARD_KEY } from './kafka-output.js'

const entry: IntegrationKind = {
  id: 'kafka',
  name: 'Kafka',
  description: 'Reads events from topics of Kafka, and writes events with their decisions to a topic.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: kafkaConnection,
  roles: [
    {
      role: 'input',
      parameters: [
        {
          name: 'topics',
          type: 'string',
          required: true,
          description: 'The topics to read, with all partitions, separated by commas.',
          check: (text) =>
            text
              .split(',')
              .map(misfitTopic)
              .find((misfit) => misfit !== null) ?? null,
        },
        {
          name: 'group',
          type: 'string',
          required: false,
          description:
            'A consumer group without members. The service begins at its committed offsets, and commits its progress to it.',
        },
        {
          name: 'batch_size',
          type: 'number',
          required: false,
          minimum: 1,
          maximum: BATCH_MAX,
          default: BATCH_STANDARD,
          description: 'The most records in one batch.',
        },
        {
          name: 'start_at',
          type: 'string',
          required: false,
          allowed: ['all', 'new', 'time'],
          default: 'all',
          description: 'Where a topic begins that was not read yet.',
        },
        {
          name: 'start_value',
          type: 'string',
          required: false,
          description: 'The time (ISO 8601) for start_at.',
          check: (text) => (text === '' || millisIn(text) !== null ? null : 'must be a time'),
        },
        idHeaderParameter,
      ],
    },
    {
      role: 'output',
      parameters: [
        {
          name: 'topic',
          type: 'string',
          required: true,
          description: 'The topic to write to. It must exist.',
          check: misfitTopic,
        },
        {
          name: 'key',
          type: 'string',
          required: false,
          default: STANDARD_KEY,
          description:
            'The key of a record; {{path}} inserts a field of the event. Records with the same key stay in order.',
        },
        ...ruleParameters('output'),
      ],
    },
  ],
  addedTo: [],
}

export const kafka: OutsideKind = {
  entry,
  openSink: (_role, connection, parameters, tools) => new KafkaOutput(connection, parameters, tools),
  openSource: (connection, parameters, tools) => new KafkaInput(connection, parameters, tools),
}

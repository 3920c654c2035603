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
  description: 'Reads events from topics of Kafka, and writes events with their decisions to one.',
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
          description: 'The topics to read, with commas between; all of their partitions.',
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
            'A consumer group without members that is told how far the service is. What it has committed is where the service begins.',
        },
        {
          name: 'batch_size',
          type: 'number',
          required: false,
          minimum: 1,
          maximum: BATCH_MAX,
          default: BATCH_STANDARD,
          description: 'The most records that are taken in at once.',
        },
        {
          name: 'start_at',
          type: 'string',
          required: false,
          allowed: ['all', 'new', 'time'],
          default: 'all',
          description: 'Where a topic begins that nothing was read of yet.',
        },
        {
          name: 'start_value',
          type: 'string',
          required: false,
          description: 'The time (ISO 8601) of start_at.',
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
          description: 'The topic to write to; it has to be there.',
          check: misfitTopic,
        },
        {
          name: 'key',
          type: 'string',
          required: false,
          default: STANDARD_KEY,
          description:
            'The key of a record, with {{path}} for a field of the event; records with the same key stay in order.',
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

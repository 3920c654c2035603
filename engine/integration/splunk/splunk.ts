/** Splunk: reads events with searches, sends decisions to the HTTP event collector, updates notable events. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { OutsideKind } from '../contract.js'
import { millisIn } from '../dates.js'
import { tlsParameters, urlParameter } from '../http/http-kind.js'
import { ruleParameters } from '../rule.js'
import { EventCollector } from './event-collector.js'
import { misfitTable, NotableUpdate, STANDARD_COMMENT, STANDARD_ID_FIELD } from './notable-update.js'
import { BATCH_MAX, BATCH_STANDARD, LOOKBACK_STANDARD_SECONDS, SplunkInput } from './splunk-input.js'

const inputParameters: readonly ParameterSpec[] = [
  {
    name: 'search',
    type: 'string',
    required: true,
    description: 'A search for events, such as index=notable. Commands after a | must return events.',
    check: (text) =>
      /^\s*\|/.test(text)
        ? 'must begin with search terms, not with |'
        : text.trim() === ''
          ? 'must not be empty'
          : null,
  },
  {
    name: 'id_field',
    type: 'string',
    required: false,
    description:
      'The field with the id of the event, such as event_id of notable events. Without it the id is made of the place where Splunk stores the event.',
  },
  {
    name: 'start_time',
    type: 'string',
    required: false,
    description: 'A date: events indexed since then are read. Default: when the step was first opened.',
    check: (text) => (text === '' || millisIn(text) !== null ? null : 'must be a date'),
  },
  {
    name: 'max_event_age_hours',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: 87_600,
    default: 24,
    description: 'Events that were older when they were indexed are not read.',
  },
  {
    name: 'batch_size',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: BATCH_MAX,
    default: BATCH_STANDARD,
    description: 'Events in one search.',
  },
  {
    name: 'poll_seconds',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: 3_600,
    default: 5,
    description: 'Seconds between two searches when nothing is new.',
  },
  {
    name: 'settle_seconds',
    type: 'number',
    required: false,
    minimum: 0,
    maximum: 600,
    default: 5,
    description: 'How long to wait after a second before its events are read.',
  },
  {
    name: 'lookback_seconds',
    type: 'number',
    required: false,
    minimum: 0,
    maximum: 3_600,
    default: LOOKBACK_STANDARD_SECONDS,
    description:
      'How late an event may become visible, or how far the clock of an indexer may be behind, for it to be read.',
  },
]

function table(name: string, description: string, values: RegExp): ParameterSpec {
  return { name, type: 'string', required: false, description, check: (text) => misfitTable(text, values) }
}

const notableParameters: readonly ParameterSpec[] = [
  {
    name: 'notable_id_field',
    type: 'string',
    required: false,
    default: STANDARD_ID_FIELD,
    description: "The field of the event with the id of its notable event. Without it the event's own id is used.",
  },
  table(
    'status_by_decision',
    'Status ids by decision, such as Drop: 5, Escalate: 2. Other decisions leave the status unchanged.',
    /^\d{1,9}$/,
  ),
  table(
    'urgency_by_decision',
    'Urgencies by decision, such as Escalate: critical.',
    /^(critical|high|medium|low|informational|unknown)$/,
  ),
  table('disposition_by_decision', 'Dispositions by decision, such as Drop: disposition:6.', /^[\w:.-]{1,64}$/),
  {
    name: 'owner',
    type: 'string',
    required: false,
    description: 'The new owner. Empty leaves the owner unchanged.',
  },
  {
    name: 'comment',
    type: 'string',
    required: false,
    description: `The comment; {{path}} inserts a field of the event. Default: ${STANDARD_COMMENT}`,
  },
]

const entry: IntegrationKind = {
  id: 'splunk',
  name: 'Splunk',
  description:
    'Reads events with searches, sends decisions to the HTTP event collector, and updates notable events. Based on the public documentation of Splunk.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: [
    {
      ...urlParameter('url', 'The REST API, usually https://splunk.example:8089. For input and post_decision.'),
      required: false,
    },
    { name: 'user', type: 'string', required: false, description: 'Its user. Without one the token is used.' },
    { name: 'password', type: 'string', required: false, secret: true, description: "The user's password." },
    {
      name: 'token',
      type: 'string',
      required: false,
      secret: true,
      description: 'An authentication token, instead of user and password.',
    },
    {
      ...urlParameter('hec_url', 'The HTTP event collector, usually https://splunk.example:8088. For output.'),
      required: false,
    },
    {
      name: 'hec_token',
      type: 'string',
      required: false,
      secret: true,
      description: 'A token of the HTTP event collector, without indexer acknowledgement.',
    },
    ...tlsParameters,
  ],
  roles: [
    { role: 'input', parameters: inputParameters },
    {
      role: 'output',
      parameters: [
        {
          name: 'index',
          type: 'string',
          required: false,
          description: 'The index to write to. Default: the index of the token.',
        },
        {
          name: 'sourcetype',
          type: 'string',
          required: false,
          description: 'The sourcetype. Default: decision:event.',
        },
        ...ruleParameters('output'),
      ],
    },
    { role: 'post_decision', parameters: [...notableParameters, ...ruleParameters('post_decision')] },
  ],
  addedTo: [],
}

export const splunk: OutsideKind = {
  entry,
  openSink: (role, connection, parameters, tools) => {
    return role === 'output'
      ? new EventCollector(connection, parameters, tools)
      : new NotableUpdate(connection, parameters, tools)
  },
  openSource: (connection, parameters, tools) => new SplunkInput(connection, parameters, tools),
}

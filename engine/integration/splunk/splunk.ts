/** Splunk: events read by searches, decisions sent to the HTTP event collector, notable events updated. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { OutsideKind } from '../contract.js'
import { millisIn } from '../dates.js'
import { tlsParameters, urlParameter } from '../http/http-kind.js'
import { ruleParameters } from '../rule.js'
import { EventCollector } from './event-collector.js'
import { misfitTable } from './label-table.js'
import { NotableUpdate, STANDARD_COMMENT, STANDARD_ID_FIELD } from './notable-update.js'
import { BATCH_MAX, BATCH_STANDARD, LOOKBACK_STANDARD_SECONDS, SplunkInput } from './splunk-input.js'

const inputParameters: readonly ParameterSpec[] = [
  {
    name: 'search',
    type: 'string',
    required: true,
    description: 'A search for events, such as index=notable; what is behind a | must leave them events.',
    check: (text) =>
      /^\s*\|/.test(text) ? 'must begin with terms of a search' : text.trim() === '' ? 'must not be empty' : null,
  },
  {
    name: 'id_field',
    type: 'string',
    required: false,
    description:
      'A field that names the event, such as event_id of notable events; without it the id follows from where Splunk keeps the event.',
  },
  {
    name: 'start_time',
    type: 'string',
    required: false,
    description: 'Events indexed since then are read, a date; without it since the step was first opened.',
    check: (text) => (text === '' || millisIn(text) !== null ? null : 'must be a date'),
  },
  {
    name: 'max_event_age_hours',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: 87_600,
    default: 24,
    description: 'Events that were older than that when they were indexed are not read.',
  },
  {
    name: 'batch_size',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: BATCH_MAX,
    default: BATCH_STANDARD,
    description: 'Events of one search.',
  },
  {
    name: 'poll_seconds',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: 3_600,
    default: 5,
    description: 'How often it is searched where there was nothing new.',
  },
  {
    name: 'settle_seconds',
    type: 'number',
    required: false,
    minimum: 0,
    maximum: 600,
    default: 5,
    description: 'How long a second is over before it is read.',
  },
  {
    name: 'lookback_seconds',
    type: 'number',
    required: false,
    minimum: 0,
    maximum: 3_600,
    default: LOOKBACK_STANDARD_SECONDS,
    description: 'How late an event may become visible and still be read.',
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
    description: "The field of the event that names its notable event; the event's id where it has none.",
  },
  table(
    'status_by_decision',
    'Ids of statuses by decision, such as Drop: 5, Escalate: 2; others keep theirs.',
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
    description: 'Who is to be the owner; without it nobody is named.',
  },
  {
    name: 'comment',
    type: 'string',
    required: false,
    description: `A comment, with {{path}} for a field of the event. By itself: ${STANDARD_COMMENT}`,
  },
]

const entry: IntegrationKind = {
  id: 'splunk',
  name: 'Splunk',
  description:
    'Reads events by searches, sends decisions to the HTTP event collector, and updates notable events. Made after the public documentation of Splunk.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: [
    {
      ...urlParameter('url', 'The REST API, https://splunk.example:8089 usually; for input and post_decision.'),
      required: false,
    },
    { name: 'user', type: 'string', required: false, description: 'Its user; without one the token says who asks.' },
    { name: 'password', type: 'string', required: false, secret: true, description: "The user's password." },
    {
      name: 'token',
      type: 'string',
      required: false,
      secret: true,
      description: 'An authentication token, instead of user and password.',
    },
    {
      ...urlParameter('hec_url', 'The HTTP event collector, https://splunk.example:8088 usually; for output.'),
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
          description: "The index to write to; without it the token's own.",
        },
        {
          name: 'sourcetype',
          type: 'string',
          required: false,
          description: 'The sourcetype; decision:event by itself.',
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

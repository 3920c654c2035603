/** Search engine: Elasticsearch, OpenSearch and what speaks like them, as input, as enrichment and as output. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { OutsideKind } from '../contract.js'
import { enrichmentParameters } from '../enrichment/enrichment-parameters.js'
import { ruleParameters } from '../rule.js'
import { searchConnection } from './search-client.js'
import {
  BATCH_MAX,
  BATCH_STANDARD,
  LOOKBACK_SECONDS_MAX,
  LOOKBACK_STANDARD_SECONDS,
  SearchInput,
} from './search-input.js'
import { SearchEnrichment, searchEnrichmentParameters } from './search-enrichment.js'
import { SearchOutput, STANDARD_INDEX } from './search-output.js'

/** Of the role input. */
export const inputParameters: readonly ParameterSpec[] = [
  {
    name: 'index_pattern',
    type: 'string',
    required: true,
    description: 'Indexes to read, with commas and * in it.',
    check: (text) => (/^[^\s\\/?"<>|#]+$/.test(text) ? null : 'must be names of indexes, with commas between'),
  },
  {
    name: 'preserve_id',
    type: 'boolean',
    required: true,
    description: "True: an event's id is the document's _id. False: it is one of the service's own.",
  },
  {
    name: 'datetime',
    type: 'string',
    required: false,
    default: '@timestamp',
    description: 'The date field; documents without it are not read.',
  },
  {
    name: 'start_time',
    type: 'string',
    required: false,
    description: 'Only documents newer than this; a date, or date mathematics such as now-1d.',
  },
  { name: 'end_time', type: 'string', required: false, description: 'Only documents older than this.' },
  { name: 'filter', type: 'string', required: false, description: 'A query string; case counts.' },
  {
    name: 'batch_size',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: BATCH_MAX,
    default: BATCH_STANDARD,
    description: 'Documents of one request.',
  },
  {
    name: '_source',
    type: 'string',
    required: false,
    description: 'Fields to read, with commas between; empty for all.',
  },
  {
    name: 'lookback_seconds',
    type: 'number',
    required: false,
    minimum: 0,
    maximum: LOOKBACK_SECONDS_MAX,
    default: LOOKBACK_STANDARD_SECONDS,
    description: 'How late a document may be written, by its date, and still be read.',
  },
]

const entry: IntegrationKind = {
  id: 'search_engine',
  name: 'Search engine',
  otherNames: ['OpenSearch', 'Elasticsearch'],
  description:
    'Reads documents from Elasticsearch or OpenSearch, looks up what they say about events, and writes events with their decisions to it.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: searchConnection,
  roles: [
    {
      role: 'input',
      parameters: inputParameters,
    },
    { role: 'enrichment', parameters: [...searchEnrichmentParameters, ...enrichmentParameters] },
    {
      role: 'output',
      parameters: [
        {
          name: 'index',
          type: 'string',
          required: false,
          default: STANDARD_INDEX,
          description: 'The index to write to, with {{job_id}} and {{date}} for the job and the day.',
        },
        ...ruleParameters('output'),
      ],
    },
  ],
  addedTo: [],
}

export const searchEngine: OutsideKind = {
  entry,
  openSink: (_role, connection, parameters, tools) => new SearchOutput(connection, parameters, tools),
  openSource: (connection, parameters, tools) => new SearchInput(connection, parameters, tools),
  openEnrichment: (connection, parameters, tools) => new SearchEnrichment(connection, parameters, tools),
}

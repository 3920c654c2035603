/** Search engine: Elasticsearch, OpenSearch and compatible engines, as input, as enrichment and as output. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { OutsideKind } from '../contract.js'
import { enrichmentParameters } from '../enrichment/enrichment-parameters.js'
import { ruleParameters } from '../rule.js'
import { searchConnection } from './search-client.js'
import {
  BATCH_MAX,
  BATCH_STANDARD,
  INDEXED_FIELD,
  LOOKBACK_SECONDS_MAX,
  LOOKBACK_STANDARD_SECONDS,
  SearchInput,
} from './search-input.js'
import { SearchEnrichment, searchEnrichmentParameters } from './search-enrichment.js'
import { SearchOutput, STANDARD_INDEX } from './search-output.js'

/** Parameters of the role input. */
export const inputParameters: readonly ParameterSpec[] = [
  {
    name: 'index_pattern',
    type: 'string',
    required: true,
    description: 'Indexes to read, separated by commas; * is allowed.',
    check: (text) => (/^[^\s\\/?"<>|#]+$/.test(text) ? null : 'must be names of indexes, separated by commas'),
  },
  {
    name: 'preserve_id',
    type: 'boolean',
    required: true,
    description: 'True: the id of an event is the _id of its document. False: the service makes an id.',
  },
  {
    name: 'datetime',
    type: 'string',
    required: false,
    default: '@timestamp',
    description: 'The date field. Documents without it are not read.',
  },
  {
    name: 'start_time',
    type: 'string',
    required: false,
    description: 'Only documents newer than this: a date, or date math such as now-1d.',
  },
  { name: 'end_time', type: 'string', required: false, description: 'Only documents older than this.' },
  {
    name: 'filter',
    type: 'string',
    required: false,
    description: 'Only documents that match this query string. Case-sensitive.',
  },
  {
    name: 'batch_size',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: BATCH_MAX,
    default: BATCH_STANDARD,
    description: 'Documents in one request.',
  },
  {
    name: '_source',
    type: 'string',
    required: false,
    description: 'Fields to read, separated by commas; empty for all.',
  },
  {
    name: 'lookback_seconds',
    type: 'number',
    required: false,
    minimum: 0,
    maximum: LOOKBACK_SECONDS_MAX,
    default: LOOKBACK_STANDARD_SECONDS,
    description:
      'How long after its date a document may become visible and still be read. Later ones need indexed_field.',
  },
  {
    name: 'indexed_field',
    type: 'string',
    required: false,
    default: INDEXED_FIELD,
    description:
      'The date field with the time of indexing. Documents with it are read however late they come. Empty: none.',
  },
]

const entry: IntegrationKind = {
  id: 'search_engine',
  name: 'Search engine',
  family: 'search_engine',
  description:
    'Reads documents from Elasticsearch or OpenSearch, enriches events with them, and writes events with their decisions.',
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
          description: 'The index to write to. {{job_id}} inserts the job, {{date}} the day.',
        },
        ...ruleParameters('output'),
      ],
    },
  ],
  addedTo: [],
}

const opening: Omit<OutsideKind, 'entry'> = {
  openSink: (_role, connection, parameters, tools) => new SearchOutput(connection, parameters, tools),
  openSource: (connection, parameters, tools) => new SearchInput(connection, parameters, tools),
  openEnrichment: (connection, parameters, tools) => new SearchEnrichment(connection, parameters, tools),
}

export const searchEngine: OutsideKind = { entry, ...opening }

function product(id: string, name: string): OutsideKind {
  const description = `Reads documents from ${name}, enriches events with them, and writes events with their decisions.`
  return { entry: { ...entry, id, name, description }, ...opening }
}

/** The same under the names of the two products, because clients look for them. */
export const openSearch = product('opensearch', 'OpenSearch')
export const elasticsearch = product('elasticsearch', 'Elasticsearch')

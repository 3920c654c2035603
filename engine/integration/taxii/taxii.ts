/** Threat intelligence from a TAXII 2.1 server, as enrichment: which indicators match an event. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { OutsideKind } from '../contract.js'
import { tlsParameters, urlParameter } from '../http/http-kind.js'
import { enrichmentParameters } from '../enrichment/enrichment-parameters.js'
import { ThreatEnrichment } from './threat-enrichment.js'

/** Answers come from memory, so the cache is off by default. */
const commonParameters = enrichmentParameters.map((spec) =>
  spec.name === 'cache_seconds' ? { ...spec, default: 0 } : spec,
)

const entry: IntegrationKind = {
  id: 'taxii',
  name: 'Threat intelligence (TAXII)',
  description: 'Reads STIX indicators from a TAXII 2.1 server, and adds those that match an event.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: [
    urlParameter('url', 'The URL of its discovery, such as https://taxii.example/taxii2/, or of one of its API roots.'),
    {
      name: 'user',
      type: 'string',
      required: false,
      description: 'Its user. Without one the API key is used, or no credentials.',
    },
    { name: 'password', type: 'string', required: false, secret: true, description: "The user's password." },
    {
      name: 'api_key',
      type: 'string',
      required: false,
      secret: true,
      description: 'A key that is sent as Authorization: Bearer.',
    },
    ...tlsParameters,
  ],
  roles: [
    {
      role: 'enrichment',
      parameters: [
        {
          name: 'collections',
          type: 'string',
          required: false,
          description: 'Ids, aliases or titles of collections, separated by commas. Empty for all readable ones.',
        },
        {
          name: 'event_fields',
          type: 'string',
          required: false,
          description:
            'Fields of the event to check, separated by commas. Empty for the fields in which common formats have addresses, domain names, URLs and hashes.',
        },
        {
          name: 'min_confidence',
          type: 'number',
          required: false,
          minimum: 0,
          maximum: 100,
          description: 'Indicators with a lower confidence, 0 to 100, do not match.',
        },
        {
          name: 'poll_seconds',
          type: 'number',
          required: false,
          minimum: 10,
          maximum: 86_400,
          default: 300,
          description: 'How often new indicators are read.',
        },
        {
          name: 'indicators_max',
          type: 'number',
          required: false,
          minimum: 1,
          maximum: 1_000_000,
          default: 200_000,
          description: 'The most indicators in memory.',
        },
        ...commonParameters,
      ],
    },
  ],
  addedTo: [],
}

export const taxii: OutsideKind = {
  entry,
  openEnrichment: (connection, parameters, tools) => new ThreatEnrichment(connection, parameters, tools),
}

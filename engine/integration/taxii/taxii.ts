/** Threat intelligence from a TAXII 2.1 server, as enrichment: events that match indicators say which. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { OutsideKind } from '../contract.js'
import { tlsParameters, urlParameter } from '../http/http-kind.js'
import { enrichmentParameters } from '../enrichment/enrichment-parameters.js'
import { ThreatEnrichment } from './threat-enrichment.js'

/** What is in memory need not be remembered. */
const standing = enrichmentParameters.map((spec) => (spec.name === 'cache_seconds' ? { ...spec, default: 0 } : spec))

const entry: IntegrationKind = {
  id: 'taxii',
  name: 'Threat intelligence (TAXII)',
  description: 'Reads STIX indicators from a TAXII 2.1 server, and says which of them match an event.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: [
    urlParameter('url', 'Where its discovery is, such as https://taxii.example/taxii2/, or one of its API roots.'),
    {
      name: 'user',
      type: 'string',
      required: false,
      description: 'Its user; without one it is asked by the API key, or as nobody.',
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
          description: 'Ids, aliases or titles of collections, with commas between; empty for all that may be read.',
        },
        {
          name: 'event_fields',
          type: 'string',
          required: false,
          description:
            'Fields of the event whose values are looked for, with commas between; empty for those where the usual formats have addresses, names, links and hashes.',
        },
        {
          name: 'min_confidence',
          type: 'number',
          required: false,
          minimum: 0,
          maximum: 100,
          description: 'Indicators that say less of themselves do not match.',
        },
        {
          name: 'poll_seconds',
          type: 'number',
          required: false,
          minimum: 10,
          maximum: 86_400,
          default: 300,
          description: 'How often it is asked for what was added.',
        },
        {
          name: 'indicators_max',
          type: 'number',
          required: false,
          minimum: 1,
          maximum: 1_000_000,
          default: 200_000,
          description: 'The most indicators that are kept in memory.',
        },
        ...standing,
      ],
    },
  ],
  addedTo: [],
}

export const taxii: OutsideKind = {
  entry,
  openEnrichment: (connection, parameters, tools) => new ThreatEnrichment(connection, parameters, tools),
}

/** IBM QRadar, as enrichment: its reference sets, reference maps and offenses. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { OutsideKind } from '../contract.js'
import { enrichmentParameters } from '../enrichment/enrichment-parameters.js'
import { eventFieldParameter } from '../enrichment/event-values.js'
import { tlsParameters, urlParameter } from '../http/http-kind.js'
import { dataKinds, OFFENSES_MAX, QRadarEnrichment } from './qradar-enrichment.js'

const entry: IntegrationKind = {
  id: 'qradar',
  name: 'QRadar',
  description: 'Adds to an event what a reference set, a reference map or the offenses of QRadar have on its value.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: [
    urlParameter('url', 'The URL of its console, such as https://qradar.example.'),
    {
      name: 'token',
      type: 'string',
      required: true,
      secret: true,
      description: 'The token of an authorized service, sent as SEC.',
    },
    {
      name: 'api_version',
      type: 'string',
      required: false,
      check: (text) => (/^(\d{1,3}\.\d{1,3})?$/.test(text) ? null : 'must be a version, such as 19.0'),
      description: 'The version of its API; empty for the latest.',
    },
    ...tlsParameters,
  ],
  roles: [
    {
      role: 'enrichment',
      parameters: [
        {
          name: 'data',
          type: 'string',
          required: false,
          allowed: dataKinds,
          default: 'reference_set',
          description: 'Which data are queried.',
        },
        {
          name: 'reference',
          type: 'string',
          required: false,
          description: 'The name of the reference set or map. Offenses need none.',
        },
        eventFieldParameter,
        {
          name: 'filter',
          type: 'string',
          required: false,
          description: 'A filter that offenses must also match, such as status = "OPEN".',
        },
        {
          name: 'size',
          type: 'number',
          required: false,
          minimum: 1,
          maximum: OFFENSES_MAX,
          default: 5,
          description: 'The most offenses to use, newest first.',
        },
        ...enrichmentParameters,
      ],
    },
  ],
  addedTo: [],
}

export const qRadar: OutsideKind = {
  entry,
  openEnrichment: (connection, parameters, tools) => new QRadarEnrichment(connection, parameters, tools),
}

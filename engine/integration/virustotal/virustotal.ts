/** VirusTotal (API v3), as enrichment: what its engines say of an address, a domain name, a URL or a file. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { OutsideKind } from '../contract.js'
import { enrichmentParameters } from '../enrichment/enrichment-parameters.js'
import { eventFieldParameter } from '../enrichment/event-values.js'
import { tlsParameters, urlParameter } from '../http/http-kind.js'
import { STANDARD_URL, VirusTotalEnrichment } from './virustotal-enrichment.js'

/** Its quotas are small, so answers are kept for an hour. */
const commonParameters = enrichmentParameters.map((spec) =>
  spec.name === 'cache_seconds' ? { ...spec, default: 3_600 } : spec,
)

const entry: IntegrationKind = {
  id: 'virustotal',
  name: 'VirusTotal',
  description: 'Adds to an event how many engines of VirusTotal find its address, domain name, URL or file malicious.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: [
    { ...urlParameter('url', 'The URL of its API.'), required: false, default: STANDARD_URL },
    { name: 'api_key', type: 'string', required: true, secret: true, description: 'A key, sent as x-apikey.' },
    ...tlsParameters,
  ],
  roles: [{ role: 'enrichment', parameters: [eventFieldParameter, ...commonParameters] }],
  addedTo: [],
}

export const virusTotal: OutsideKind = {
  entry,
  openEnrichment: (connection, parameters, tools) => new VirusTotalEnrichment(connection, parameters, tools),
}

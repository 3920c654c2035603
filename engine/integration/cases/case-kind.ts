/** Makes the kind of a case system: its metadata, and the sink that uses its requests. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { OutsideKind } from '../contract.js'
import { tlsParameters, urlParameter } from '../http/http-kind.js'
import { ruleParameters } from '../rule.js'
import { CaseSink } from './case-sink.js'
import { STANDARD_TITLE, type CaseSystem } from './case-system.js'

export function caseKind(system: CaseSystem): OutsideKind {
  const entry: IntegrationKind = {
    id: system.id,
    name: system.name,
    description: system.description,
    builtIn: false,
    outside: true,
    takesPosts: false,
    connection: [
      urlParameter('url', `The URL of ${system.name}, without the path of its API.`),
      ...system.connection,
      ...tlsParameters,
    ],
    roles: [
      {
        role: 'case_creation',
        parameters: [
          ...system.parameters,
          {
            name: 'once_per',
            type: 'string',
            required: false,
            allowed: ['bucket', 'event'],
            default: 'bucket',
            description:
              'One case for all events of a bucket, or one for each event. Jobs without buckets have one for each event.',
          },
          {
            name: 'title',
            type: 'string',
            required: false,
            description: `The title; {{path}} inserts a field of the event. Default: ${STANDARD_TITLE}`,
          },
          {
            name: 'description',
            type: 'string',
            required: false,
            description: 'The text of the case; {{path}} inserts a field of the event.',
          },
          ...ruleParameters('case_creation'),
        ],
      },
    ],
    addedTo: [],
  }
  return {
    entry,
    openSink: (_role, connection, parameters, tools) => new CaseSink(system, connection, parameters, tools),
  }
}

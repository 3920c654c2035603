/** Makes the kind of a case system: its metadata, and the sink that uses its requests. */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { OutsideKind } from '../contract.js'
import { tlsParameters, urlParameter } from '../http/http-kind.js'
import { ruleParameters } from '../rule.js'
import { CaseSink, NEW_AFTER_DAYS } from './case-sink.js'
import { STANDARD_TITLE, type CaseSystem } from './case-system.js'

/** Days after which nothing is old. */
const NEW_AFTER_DAYS_MAX = 3_650

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
            name: 'when_closed',
            type: 'string',
            required: false,
            allowed: ['reopen', 'comment', 'new'],
            default: 'reopen',
            description:
              'What happens when the alert comes again and its case was closed: the case is reopened, gets a comment ' +
              'and stays closed, or a new case is created. A case that cannot be reopened is followed by a new one.',
          },
          {
            name: 'new_after_days',
            type: 'number',
            required: false,
            minimum: 0,
            maximum: NEW_AFTER_DAYS_MAX,
            default: NEW_AFTER_DAYS,
            description:
              'A case that was closed for longer than so many days is not reopened or commented on: a new case is ' +
              'created. 0: never.',
          },
          {
            name: 'comment_repeats',
            type: 'boolean',
            required: false,
            default: true,
            description:
              'Comment on an open case when its alert comes again, with a count: at the 2nd, 3rd, 5th, 10th, 20th, ' +
              '50th event and so on, and once a day.',
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

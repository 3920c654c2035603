/**
 * Wazuh: reads alerts from its indexer, and writes decisions back to them. The indexer is an OpenSearch.
 *
 * The written decision is never read: an alert that is read again because of it must be the same event (S6).
 */
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { OutsideKind } from '../contract.js'
import { ruleParameters } from '../rule.js'
import { textAt } from '../http/http-kind.js'
import { searchConnection } from '../search-engine/search-client.js'
import { inputParameters } from '../search-engine/search-engine.js'
import { SearchInput } from '../search-engine/search-input.js'
import { WriteBack } from '../search-engine/write-back.js'

const INDEXES = 'wazuh-alerts-*'
/** The defaults for Wazuh; other parameters are those of any search engine. */
const usual: Readonly<Record<string, string | boolean>> = {
  index_pattern: INDEXES,
  preserve_id: true,
  datetime: 'timestamp',
}

const input = inputParameters.map((spec): ParameterSpec => {
  const value = usual[spec.name]
  return value === undefined ? spec : { ...spec, required: false, default: value }
})
const indexPattern = input
  .filter(({ name }) => name === 'index_pattern')
  .map((spec): ParameterSpec => ({ ...spec, description: 'Indexes that contain the alerts.' }))

export const wazuh: OutsideKind = {
  entry: {
    id: 'wazuh',
    name: 'Wazuh',
    description: "Reads alerts from Wazuh's indexer, and writes the decision back to them.",
    builtIn: false,
    outside: true,
    takesPosts: false,
    connection: searchConnection,
    roles: [
      { role: 'input', parameters: input },
      { role: 'output', parameters: [...indexPattern, ...ruleParameters('output')] },
    ],
    addedTo: [],
  },
  openSink: (_role, connection, parameters, tools) =>
    new WriteBack(connection, textAt(parameters, 'index_pattern') ?? INDEXES, tools),
  openSource: (connection, parameters, tools) =>
    new SearchInput(connection, { ...usual, ...parameters }, tools, [tools.serviceName]),
}

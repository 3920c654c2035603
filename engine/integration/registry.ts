/** Every kind with a counterpart outside the service, and the complete integration registry. */
import { builtInKinds } from '../resource/registry/registry-entries.js'
import { IntegrationRegistry } from '../resource/registry/integration-registry.js'
import { jira } from './cases/jira.js'
import { redmine } from './cases/redmine.js'
import { serviceNow } from './cases/servicenow.js'
import { theHive } from './cases/thehive.js'
import type { OutsideKind } from './contract.js'
import { kafka } from './kafka/kafka.js'
import { nats } from './nats/nats.js'
import { qRadar } from './qradar/qradar.js'
import { elasticsearch, openSearch, searchEngine } from './search-engine/search-engine.js'
import { slack } from './slack/slack.js'
import { splunk } from './splunk/splunk.js'
import { syslog } from './syslog/syslog.js'
import { taxii } from './taxii/taxii.js'
import { virusTotal } from './virustotal/virustotal.js'
import { wazuh } from './wazuh/wazuh.js'
import { webhook } from './webhook/webhook.js'

export const outsideKinds: readonly OutsideKind[] = [
  searchEngine,
  openSearch,
  elasticsearch,
  wazuh,
  splunk,
  taxii,
  virusTotal,
  qRadar,
  webhook,
  slack,
  syslog,
  theHive,
  jira,
  serviceNow,
  redmine,
  nats,
  kafka,
]

/** Every kind that an integration can be of. */
export const allKinds = new IntegrationRegistry([...builtInKinds.all, ...outsideKinds.map(({ entry }) => entry)])

/** The kind with this id, or null if it has no counterpart outside. */
export function outsideKind(id: string): OutsideKind | null {
  return outsideKinds.find(({ entry }) => entry.id === id) ?? null
}

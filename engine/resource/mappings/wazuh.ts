/** Alerts of Wazuh, version 4, as its manager writes them (`alerts.json`) and as its indexer keeps them (`wazuh-alerts-*`). */
import type { Mapping } from './mapping.js'

export const wazuh: Mapping = {
  id: 'wazuh',
  name: 'Wazuh',
  description:
    'Alerts of Wazuh; read from its indexer by the search engine integration, index_pattern wazuh-alerts-*, datetime timestamp.',
  documentation: 'https://documentation.wazuh.com/current/user-manual/manager/alert-management.html',
  timeField: 'timestamp',
  titleField: 'rule.description',
  severityField: 'rule.level',
  points: [
    { path: 'rule.id', meaning: 'The rule that found it.' },
    { path: 'rule.level', meaning: 'How grave it is: 0 to 16.' },
    { path: 'rule.groups', meaning: 'What the rule is about.' },
    { path: 'rule.mitre.id', meaning: 'Techniques of ATT&CK.' },
    { path: 'decoder.name', meaning: 'What kind of log it was found in.' },
    { path: 'location', meaning: 'The log that it was found in.' },
    { path: 'agent.name', meaning: 'The host, where there are not too many.' },
    { path: 'data.dstuser', meaning: 'The account that it was about.' },
  ],
  avoid: [
    { path: 'id', meaning: 'Another one for each alert.' },
    { path: 'rule.firedtimes', meaning: 'A counter.' },
    { path: 'full_log', meaning: 'Has times and numbers in it, so it is never the same twice.' },
    { path: 'data.srcip', meaning: 'Too many values.' },
  ],
}

/** Alerts of Wazuh 4, as its manager writes them (`alerts.json`) and its indexer stores them (`wazuh-alerts-*`). */
import type { Mapping } from './mapping.js'

export const wazuh: Mapping = {
  id: 'wazuh',
  name: 'Wazuh',
  description:
    'Alerts of Wazuh. The search engine integration reads them from its indexer: index_pattern wazuh-alerts-*, ' +
    'datetime timestamp.',
  documentation: 'https://documentation.wazuh.com/current/user-manual/manager/alert-management.html',
  timeField: 'timestamp',
  titleField: 'rule.description',
  severityField: 'rule.level',
  points: [
    { path: 'rule.id', meaning: 'The rule that found it.' },
    { path: 'rule.level', meaning: 'How severe it is: 0 to 16.' },
    { path: 'rule.groups', meaning: 'What the rule is about.' },
    { path: 'rule.mitre.id', meaning: 'Techniques of ATT&CK.' },
    { path: 'decoder.name', meaning: 'The kind of log that it was found in.' },
    { path: 'location', meaning: 'The log that it was found in.' },
    { path: 'agent.name', meaning: 'The host, if there are few.' },
    { path: 'data.dstuser', meaning: 'The account that was affected.' },
  ],
  avoid: [
    { path: 'id', meaning: 'Different for each alert.' },
    { path: 'rule.firedtimes', meaning: 'A counter.' },
    { path: 'full_log', meaning: 'Contains times and numbers, so it is always different.' },
    { path: 'data.srcip', meaning: 'Too many values.' },
  ],
}

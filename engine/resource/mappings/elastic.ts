/** Alerts of Elastic Security and of other rules of Kibana, as its webhook connector sends them. */
import type { Mapping } from './mapping.js'

export const elastic: Mapping = {
  id: 'elastic_security',
  name: 'Elastic Security alerts',
  description: 'Alerts that a rule of Kibana sends with {{context.alerts}}; names with dots are nested.',
  documentation: 'https://www.elastic.co/docs/reference/security/fields-and-object-schemas/alert-schema',
  timeField: '@timestamp',
  titleField: 'kibana.alert.rule.name',
  severityField: 'kibana.alert.severity',
  points: [
    { path: 'kibana.alert.rule.name', meaning: 'The rule that found it.' },
    { path: 'kibana.alert.severity', meaning: 'The severity that the rule gives.' },
    { path: 'kibana.alert.rule.category', meaning: 'The kind of the rule.' },
    { path: 'event.category', meaning: 'The subject: authentication, process, network and so on.' },
    { path: 'event.action', meaning: 'What was done.' },
    { path: 'host.os.type', meaning: 'The operating system of the host.' },
    { path: 'process.name', meaning: 'The program.' },
    { path: 'user.name', meaning: 'The account, if there are few.' },
  ],
  avoid: [
    { path: 'kibana.alert.uuid', meaning: 'Different for each alert.' },
    { path: 'kibana.alert.reason', meaning: 'A sentence with names and times.' },
    { path: 'source.ip', meaning: 'Too many values.' },
    { path: '@timestamp', meaning: 'Always different.' },
  ],
}

/** The Elastic Common Schema, version 8. */
import type { Mapping } from './mapping.js'

export const ecs: Mapping = {
  id: 'ecs',
  name: 'Elastic Common Schema (ECS)',
  description: 'Events of Elastic Agent, Beats and others that write ECS, and alerts of Elastic Security.',
  documentation: 'https://www.elastic.co/guide/en/ecs/current/ecs-field-reference.html',
  timeField: '@timestamp',
  titleField: 'rule.name',
  severityField: 'event.severity',
  points: [
    { path: 'rule.name', meaning: 'The rule that found it.' },
    { path: 'event.dataset', meaning: 'The product and the kind of its log.' },
    { path: 'event.category', meaning: 'The subject: authentication, process, network and so on.' },
    { path: 'event.action', meaning: 'What was done.' },
    { path: 'event.outcome', meaning: 'Whether it succeeded.' },
    { path: 'event.severity', meaning: 'The severity that the product gives.' },
    { path: 'threat.technique.id', meaning: 'Techniques of ATT&CK.' },
    { path: 'host.os.type', meaning: 'The operating system of the host.' },
    { path: 'process.name', meaning: 'The program.' },
    { path: 'source.geo.country_iso_code', meaning: 'The country of the source.' },
  ],
  avoid: [
    { path: 'event.id', meaning: 'Different for each event.' },
    { path: 'source.ip', meaning: 'Too many values; use its country or its zone.' },
    { path: 'process.command_line', meaning: 'Almost always different.' },
  ],
}

/** The Open Cybersecurity Schema Framework, version 1: findings, and the events that security products write. */
import type { Mapping } from './mapping.js'

export const ocsf: Mapping = {
  id: 'ocsf',
  name: 'Open Cybersecurity Schema Framework (OCSF)',
  description: 'Findings and events in OCSF, as Amazon Security Lake and others keep them.',
  documentation: 'https://schema.ocsf.io',
  timeField: 'time',
  titleField: 'finding_info.title',
  severityField: 'severity_id',
  points: [
    { path: 'class_uid', meaning: 'The class of the event.' },
    { path: 'activity_id', meaning: 'What was done, within its class.' },
    { path: 'severity_id', meaning: 'How severe it is: 1 informational to 6 fatal.' },
    { path: 'status_id', meaning: 'Whether it succeeded, or the state of its handling.' },
    { path: 'metadata.product.name', meaning: 'The product that found it.' },
    { path: 'finding_info.analytic.uid', meaning: 'The rule or model that found it.' },
    { path: 'finding_info.types', meaning: 'The kinds of the finding.' },
    { path: 'attacks.technique.uid', meaning: 'Techniques of ATT&CK.' },
    { path: 'resources.type', meaning: 'The kinds of the affected resources.' },
  ],
  avoid: [
    { path: 'metadata.uid', meaning: 'Different for each event.' },
    { path: 'finding_info.uid', meaning: 'Different for each finding.' },
    { path: 'time', meaning: 'Always different.' },
  ],
}

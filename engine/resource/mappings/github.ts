/** Security alerts of GitHub, as its webhooks send them. */
import type { Mapping } from './mapping.js'

export const github: Mapping = {
  id: 'github',
  name: 'GitHub security alerts',
  description: 'Webhooks of Dependabot, code scanning and secret scanning. github_event is the name of the webhook.',
  documentation: 'https://docs.github.com/en/webhooks/webhook-events-and-payloads',
  timeField: 'alert.updated_at',
  titleField: 'alert.security_advisory.summary',
  severityField: 'alert.security_advisory.severity',
  points: [
    { path: 'github_event', meaning: 'The kind of alert.' },
    { path: 'action', meaning: 'What happened to the alert.' },
    { path: 'alert.security_advisory.severity', meaning: 'The severity of a vulnerability.' },
    { path: 'alert.dependency.package.ecosystem', meaning: 'The kind of package.' },
    { path: 'alert.dependency.scope', meaning: 'Whether it is used at run time.' },
    { path: 'alert.rule.id', meaning: 'The rule of code scanning.' },
    { path: 'alert.secret_type', meaning: 'The kind of secret.' },
    { path: 'repository.full_name', meaning: 'The repository, if there are few.' },
  ],
  avoid: [
    { path: 'alert.number', meaning: 'A counter.' },
    { path: 'alert.html_url', meaning: 'Different for each alert.' },
    { path: 'sender.login', meaning: 'Says who acted, not what was found.' },
  ],
}

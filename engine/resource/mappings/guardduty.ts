/** Findings of Amazon GuardDuty, as EventBridge sends them: the finding is in `detail`. */
import type { Mapping } from './mapping.js'

export const guardduty: Mapping = {
  id: 'amazon_guardduty',
  name: 'Amazon GuardDuty findings',
  description: 'Findings of GuardDuty as events of EventBridge, directly or through a topic of SNS.',
  documentation: 'https://docs.aws.amazon.com/guardduty/latest/ug/guardduty_findings_eventbridge.html',
  timeField: 'detail.service.eventLastSeen',
  titleField: 'detail.title',
  severityField: 'detail.severity',
  points: [
    { path: 'detail.type', meaning: 'The kind of the finding.' },
    { path: 'detail.severity', meaning: 'How severe it is: 1 to 10.' },
    { path: 'detail.resource.resourceType', meaning: 'The kind of resource.' },
    { path: 'detail.service.action.actionType', meaning: 'What was done.' },
    { path: 'detail.service.resourceRole', meaning: 'Whether the resource was the target or the actor.' },
    { path: 'account', meaning: 'The account.' },
    { path: 'region', meaning: 'The region.' },
  ],
  avoid: [
    { path: 'detail.id', meaning: 'Different for each finding.' },
    { path: 'detail.service.count', meaning: 'Grows while the finding lasts.' },
    { path: 'detail.title', meaning: 'Often has the id of a resource.' },
    { path: 'time', meaning: 'Always different.' },
  ],
}

/** Incidents of Microsoft Sentinel, and alerts of Microsoft Defender as Microsoft Graph shows them (alerts_v2). */
import type { Mapping } from './mapping.js'

export const sentinel: Mapping = {
  id: 'microsoft_sentinel',
  name: 'Microsoft Sentinel incidents',
  description: 'Incidents of Sentinel, as a playbook gets them from an automation rule.',
  documentation: 'https://learn.microsoft.com/en-us/rest/api/securityinsights/incidents/get',
  timeField: 'properties.createdTimeUtc',
  titleField: 'properties.title',
  severityField: 'properties.severity',
  points: [
    { path: 'properties.title', meaning: 'What it is about; mostly the name of the rule.' },
    { path: 'properties.severity', meaning: 'The severity that its rule gives.' },
    { path: 'properties.additionalData.alertProductNames', meaning: 'The products that found it.' },
    { path: 'properties.additionalData.tactics', meaning: 'Tactics of ATT&CK.' },
    { path: 'properties.additionalData.techniques', meaning: 'Techniques of ATT&CK.' },
    { path: 'properties.relatedAnalyticRuleIds', meaning: 'The rules that found it.' },
  ],
  avoid: [
    { path: 'properties.incidentNumber', meaning: 'A counter.' },
    { path: 'properties.status', meaning: 'Changes with the work on the incident.' },
    { path: 'properties.additionalData.alertsCount', meaning: 'Grows while the incident lasts.' },
    { path: 'properties.lastModifiedTimeUtc', meaning: 'Always different.' },
  ],
}

export const defender: Mapping = {
  id: 'microsoft_defender',
  name: 'Microsoft Defender alerts',
  description: 'Alerts of the Defender products and of Sentinel, in the form of Microsoft Graph security (alerts_v2).',
  documentation: 'https://learn.microsoft.com/en-us/graph/api/resources/security-alert',
  timeField: 'createdDateTime',
  titleField: 'title',
  severityField: 'severity',
  points: [
    { path: 'title', meaning: 'What was found.' },
    { path: 'serviceSource', meaning: 'The product.' },
    { path: 'detectionSource', meaning: 'The part of the product that found it.' },
    { path: 'category', meaning: 'The stage of an attack.' },
    { path: 'severity', meaning: 'How severe it is: informational to high.' },
    { path: 'mitreTechniques', meaning: 'Techniques of ATT&CK.' },
    { path: 'evidence.deviceDnsName', meaning: 'The hosts, if there are few.' },
  ],
  avoid: [
    { path: 'id', meaning: 'Different for each alert.' },
    { path: 'incidentId', meaning: 'Different for each incident.' },
    { path: 'status', meaning: 'Changes with the work on the alert.' },
    { path: 'description', meaning: 'Often has names and times.' },
  ],
}

/** Documents of the formats that products send by webhooks, each with all fields that its mapping names. */
import {
  crowdstrikeEvent,
  defenderAlert,
  dependabotAlert,
  guarddutyEvent,
  sentinelIncident,
  splunkAlert,
} from '../../services/inbound/samples.js'

export const webhookBodies: Readonly<Record<string, Record<string, unknown>>> = {
  splunk: {
    ...splunkAlert,
    result: {
      ...splunkAlert.result,
      _time: '2026-01-05T06:00:00.000+00:00',
      _raw: 'x',
      signature: 's',
      action: 'blocked',
      dest: 'web-1',
      user: 'ann',
    },
  },
  microsoft_sentinel: {
    ...sentinelIncident,
    properties: {
      ...sentinelIncident.properties,
      relatedAnalyticRuleIds: ['r-1'],
      additionalData: {
        alertsCount: 1,
        alertProductNames: ['Defender'],
        tactics: ['Execution'],
        techniques: ['T1059'],
      },
    },
  },
  microsoft_defender: {
    ...defenderAlert,
    description: 'A hidden file was executed.',
    evidence: [{ '@odata.type': '#microsoft.graph.security.deviceEvidence', deviceDnsName: 'web-1' }],
  },
  elastic_security: {
    '@timestamp': '2026-01-31T09:05:00.123Z',
    kibana: {
      alert: {
        uuid: 'u',
        severity: 'medium',
        reason: 'ann signed in',
        rule: { name: 'Unusual login', category: 'Custom Query Rule' },
      },
    },
    event: { category: ['authentication'], action: 'ssh_login' },
    host: { os: { type: 'linux' } },
    process: { name: 'sshd' },
    user: { name: 'ann' },
    source: { ip: '192.0.2.1' },
  },
  crowdstrike_falcon: {
    ...crowdstrikeEvent,
    event: { ...crowdstrikeEvent.event, PatternDispositionDescription: 'Prevention, process killed.', ProcessId: 17 },
  },
  amazon_guardduty: {
    ...guarddutyEvent,
    detail: {
      ...guarddutyEvent.detail,
      service: { ...guarddutyEvent.detail.service, eventLastSeen: '2026-01-05T06:00:00.000Z' },
    },
  },
  github: {
    ...dependabotAlert,
    github_event: 'dependabot_alert',
    alert: {
      ...dependabotAlert.alert,
      updated_at: '2026-01-05T06:00:00Z',
      rule: { id: 'js/xss' },
      secret_type: 'token',
    },
    sender: { login: 'octocat' },
  },
}

/**
 * Webhooks and lines as products send them, after the public documentation that is named at each. Fields that nothing
 * reads are left out of the longer ones.
 */

/** https://docs.splunk.com/Documentation/Splunk/latest/Alert/Webhooks */
export const splunkAlert = {
  result: { sourcetype: 'mongod', count: '8', severity: 'high' },
  sid: 'scheduler_admin_search_W2_at_14232356_132',
  results_link: 'http://web.example.local:8000/app/search/@go?sid=scheduler_admin_search_W2_at_14232356_132',
  search_name: 'Errors of mongod',
  owner: 'admin',
  app: 'search',
}

/** https://learn.microsoft.com/en-us/rest/api/securityinsights/incidents/get */
export const sentinelIncident = {
  id:
    '/subscriptions/d0cfe6b2/resourceGroups/myRg/providers/Microsoft.OperationalInsights/workspaces/myWorkspace' +
    '/providers/Microsoft.SecurityInsights/incidents/73e01a99-5cd7-4139-a149-9f2736ff2ab5',
  name: '73e01a99-5cd7-4139-a149-9f2736ff2ab5',
  type: 'Microsoft.SecurityInsights/incidents',
  etag: '"0300bf09-0000-0000-0000-5c37296e0000"',
  properties: {
    lastModifiedTimeUtc: '2019-01-01T13:15:30Z',
    createdTimeUtc: '2019-01-01T13:15:30Z',
    description: 'This is a demo incident',
    title: 'My incident',
    severity: 'High',
    status: 'Closed',
    incidentNumber: 3177,
    additionalData: { alertsCount: 0, alertProductNames: [], tactics: ['InitialAccess', 'Persistence'] },
    relatedAnalyticRuleIds: [],
  },
}

/** https://learn.microsoft.com/en-us/graph/api/resources/security-alert */
export const defenderAlert = {
  '@odata.type': '#microsoft.graph.security.alert',
  id: 'da637551227677560813_-961444813',
  providerAlertId: 'da637551227677560813_-961444813',
  incidentId: '28282',
  status: 'new',
  severity: 'low',
  serviceSource: 'microsoftDefenderForEndpoint',
  detectionSource: 'antivirus',
  title: 'Suspicious execution of hidden file',
  category: 'DefenseEvasion',
  mitreTechniques: ['T1564.001'],
  createdDateTime: '2021-04-27T12:19:27.7211305Z',
}

/** https://learn.microsoft.com/en-us/azure/azure-monitor/alerts/alerts-common-schema */
export const azureMonitorAlert = {
  schemaId: 'azureMonitorCommonAlertSchema',
  data: {
    essentials: {
      alertId:
        '/subscriptions/11111111/providers/Microsoft.AlertsManagement/alerts/b9569717-bc32-442f-add5-83a997729330',
      alertRule: 'WCUS-R2-Gen2',
      severity: 'Sev3',
      signalType: 'Metric',
      monitorCondition: 'Resolved',
      firedDateTime: '2019-03-22T13:58:24.3713213Z',
    },
    alertContext: {},
  },
}

/** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
export const alertmanagerWebhook = {
  version: '4',
  groupKey: '{}:{alertname="DiskFull"}',
  status: 'firing',
  receiver: 'decisions',
  externalURL: 'http://alertmanager:9093',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'DiskFull', severity: 'critical', job: 'node' },
      annotations: { summary: 'The disk is full.' },
      startsAt: '2026-01-31T09:05:00.123Z',
      endsAt: '0001-01-01T00:00:00Z',
      fingerprint: 'c1d2e3f405162738',
    },
    {
      status: 'resolved',
      labels: { alertname: 'DiskFull', severity: 'critical' },
      annotations: {},
      startsAt: '2026-01-31T08:05:00.123Z',
      endsAt: '2026-01-31T09:00:00.123Z',
      fingerprint: 'ffd2e3f405162738',
    },
  ],
}

/** https://documentation.wazuh.com/current/user-manual/manager/alert-management.html */
export const wazuhAlert = {
  timestamp: '2020-01-27T20:22:07.350+0000',
  rule: {
    level: 5,
    description: 'sshd: Attempt to login using a non-existent user',
    id: '5710',
    firedtimes: 1,
    mail: false,
    groups: ['syslog', 'sshd', 'invalid_login', 'authentication_failed'],
  },
  agent: { id: '001', name: 'ip-10-0-1-242' },
  manager: { name: 'ip-10-0-1-248' },
  id: '1580156527.2160211',
  full_log: 'Jan 27 20:22:06 ip-10-0-1-242 sshd[12412]: Invalid user test from 203.0.113.7 port 43124',
  decoder: { parent: 'sshd', name: 'sshd' },
  data: { srcip: '203.0.113.7', srcuser: 'test' },
  location: '/var/log/auth.log',
}

/** https://www.elastic.co/docs/reference/security/fields-and-object-schemas/alert-schema, by a webhook connector */
export const elasticAlerts = {
  rule: { id: 'd4b1', name: 'Unusual login' },
  alerts: [
    {
      _id: '0f1e2d3c',
      _index: '.internal.alerts-security.alerts-default-000001',
      '@timestamp': '2026-01-31T09:05:00.123Z',
      'kibana.alert.uuid': '0f1e2d3c',
      'kibana.alert.rule.name': 'Unusual login',
      'kibana.alert.severity': 'medium',
      'kibana.alert.risk_score': 47,
      'host.name': 'web-1',
      host: { os: { type: 'linux' } },
      event: { category: ['authentication'], action: 'ssh_login' },
    },
  ],
}

/** https://www.elastic.co/guide/en/ecs/current/ecs-event.html */
export const ecsDocument = {
  '@timestamp': '2016-05-23T08:05:34.853Z',
  'ecs.version': '8.11.0',
  'event.id': '8a4f500d',
  'event.category': ['authentication'],
  'event.severity': 7,
  message: 'Hello World',
  'host.os.type': 'linux',
}

/** https://github.com/CrowdStrike/falcon-integration-gateway, an event of the stream */
export const crowdstrikeEvent = {
  metadata: {
    customerIDString: '8693deb4bf134cfb8855ee118d9a0243',
    offset: 1213,
    eventType: 'EppDetectionSummaryEvent',
    eventCreationTime: 1700000000000,
    version: '1.0',
  },
  event: {
    CompositeId: '8693deb4bf134cfb8855ee118d9a0243:ind:2ce412d17b334ad4adc8c1c54dbfec4b:41104129',
    Name: 'Malicious PowerShell',
    SeverityName: 'High',
    Severity: 70,
    Tactic: 'Execution',
    Technique: 'PowerShell',
    FileName: 'powershell.exe',
    CommandLine: 'powershell.exe -enc AAAA',
  },
}

/** https://docs.aws.amazon.com/guardduty/latest/ug/guardduty_findings_eventbridge.html */
export const guarddutyEvent = {
  version: '0',
  id: 'cd2d702e-ab31-411b-9344-793ce56b1bc7',
  'detail-type': 'GuardDuty Finding',
  source: 'aws.guardduty',
  account: '111122223333',
  time: '1970-01-01T00:00:00Z',
  region: 'us-east-1',
  resources: [],
  detail: {
    schemaVersion: '2.0',
    accountId: '111122223333',
    id: '16afba5c5c43e07c9e3e5e2e544e95df',
    type: 'Recon:EC2/PortProbeUnprotectedPort',
    resource: { resourceType: 'Instance' },
    service: { serviceName: 'guardduty', action: { actionType: 'PORT_PROBE' }, resourceRole: 'TARGET', count: 1 },
    severity: 2,
    title: 'Unprotected port on EC2 instance i-99999999 is being probed.',
  },
}

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads#dependabot_alert */
export const dependabotAlert = {
  action: 'created',
  alert: {
    number: 2,
    state: 'open',
    dependency: { package: { ecosystem: 'pip', name: 'django' }, manifest_path: 'requirements.txt', scope: 'runtime' },
    security_advisory: { ghsa_id: 'GHSA-rf4j-j272-fj86', severity: 'high', summary: 'Django allows data leakage' },
    html_url: 'https://github.com/octocat/hello-world/security/dependabot/2',
  },
  repository: { full_name: 'octocat/hello-world' },
}

/** https://schema.ocsf.io/1.3.0/classes/detection_finding */
export const ocsfFinding = {
  class_uid: 2004,
  class_name: 'Detection Finding',
  activity_id: 1,
  severity_id: 4,
  time: 1767592800000,
  metadata: { uid: 'a5f1c4', version: '1.3.0', product: { name: 'Guard', vendor_name: 'Example' } },
  finding_info: { uid: 'f-1', title: 'Brute force', analytic: { uid: 'r-1', type_id: 1 } },
}

/** ArcSight Common Event Format, revision 26, the example of the introduction and of escaping */
export const cefLines = [
  'Sep 19 08:26:10 host CEF:0|Security|threatmanager|1.0|100|worm successfully stopped|10|' +
    'src=10.0.0.1 dst=2.1.2.2 spt=1232',
  'CEF:0|security|threat\\|manager\\\\x|1.0|100|detected a \\| in message|10|' +
    'src=10.0.0.1 act=blocked a \\= dst=1.1.1.1 msg=Detected a threat.\\nNo action needed. cs1Label=Rule cs1=a b',
]

/** https://www.ibm.com/docs/en/dsm?topic=overview-leef-event-components */
export const leefLines = [
  'Jan 18 11:07:53 192.168.1.1 LEEF:1.0|Microsoft|MSExchange|4.0 SP1|15345|' +
    'src=192.0.2.0\tdst=172.50.123.1\tsev=5\tcat=anomaly\tsrcPort=81',
  'LEEF:2.0|Lancope|StealthWatch|1.0|41|^|src=192.0.2.0^dst=172.50.123.1^sev=5^cat=anomaly^srcPort=81',
  'LEEF:2.0|Vendor|Product|1|7|x09|src=192.0.2.0\tsev=3',
]

/** Each mapping against a document of its format, made by hand after the documentation that the mapping names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecisionPoints } from '../../../../engine/domain/event/decision-points.js'
import { mappings } from '../../../../engine/resource/mappings/mappings.js'
import { webhookBodies } from './webhook-bodies.js'

type Body = Record<string, unknown>

const bodies: Record<string, Body> = {
  ...webhookBodies,
  ecs: {
    '@timestamp': '2026-01-05T06:00:00.000Z',
    message: 'x',
    rule: { name: 'Logon from a new country' },
    process: { name: 'sshd', command_line: 'sshd: a' },
    event: {
      id: '1',
      dataset: 'system.auth',
      category: ['authentication'],
      action: 'ssh_login',
      outcome: 'success',
      severity: 47,
    },
    threat: { technique: [{ id: ['T1078'] }] },
    host: { os: { type: 'linux' } },
    source: { ip: '192.0.2.1', geo: { country_iso_code: 'NL' } },
  },
  ocsf: {
    class_uid: 2004,
    activity_id: 1,
    severity_id: 4,
    status_id: 1,
    time: 1767592800000,
    metadata: { uid: 'u', version: '1.3.0', product: { name: 'Guard' } },
    finding_info: { uid: 'f', title: 'Brute force', types: ['TTPs'], analytic: { uid: 'r-1', type_id: 1 } },
    attacks: [{ technique: { uid: 'T1110' } }],
    resources: [{ type: 'Instance', uid: 'i-1' }],
  },
  wazuh: {
    timestamp: '2026-01-05T06:00:00.000+0000',
    id: '1767592800.1',
    full_log: 'Jan 5 sshd',
    location: '/var/log/auth.log',
    decoder: { name: 'sshd' },
    agent: { id: '001', name: 'web-1' },
    data: { srcip: '192.0.2.1', dstuser: 'root' },
    rule: {
      id: '5710',
      level: 5,
      description: 'sshd: attempt to login',
      groups: ['syslog', 'sshd'],
      firedtimes: 3,
      mitre: { id: ['T1110.001'] },
    },
  },
  suricata_eve: {
    timestamp: '2026-01-05T06:00:00.000000+0000',
    flow_id: 1,
    in_iface: 'eth0',
    event_type: 'alert',
    src_ip: '192.0.2.1',
    src_port: 4000,
    dest_ip: '198.51.100.1',
    dest_port: 80,
    proto: 'TCP',
    app_proto: 'http',
    payload: 'AA==',
    alert: {
      action: 'allowed',
      gid: 1,
      signature_id: 2100498,
      rev: 7,
      signature: 'id check returned root',
      category: 'Potentially Bad Traffic',
      severity: 2,
    },
  },
  windows_event_log: {
    '@timestamp': '2026-01-05T06:00:00.000Z',
    message: 'An account failed to log on.',
    log: { level: 'information' },
    event: { action: 'logon-failed', outcome: 'failure' },
    winlog: {
      event_id: '4625',
      channel: 'Security',
      provider_name: 'Microsoft-Windows-Security-Auditing',
      record_id: 7,
      activity_id: '{1}',
      event_data: {
        LogonType: '3',
        SubStatus: '0xc000006a',
        AuthenticationPackageName: 'NTLM',
        TargetDomainName: 'CORP',
        ProcessName: '-',
        TargetLogonId: '0x1',
      },
    },
  },
  cef: {
    '@timestamp': '2026-01-05T06:00:00.000Z',
    cef: {
      version: '0',
      name: 'connection stopped',
      severity: '10',
      device: { vendor: 'SomeVendor', product: 'TheProduct', version: '1.0', event_class_id: '100' },
      extensions: {
        deviceAction: 'block',
        deviceEventCategory: 'c2',
        eventOutcome: 'success',
        applicationProtocol: 'https',
        destinationPort: 443,
        sourcePort: 4000,
        externalId: '9',
        message: 'm',
      },
    },
  },
  leef: {
    leef_version: '2.0',
    vendor: 'Lancope',
    product_name: 'StealthWatch',
    product_version: '1.0',
    event_class_id: '41',
    attributes: {
      devTime: '2026-01-05T06:00:00.000Z',
      cat: 'anomaly',
      sev: 5,
      src: '192.0.2.1',
      dst: '198.51.100.1',
      srcPort: 81,
      dstPort: 21,
      proto: 'TCP',
      usrName: 'joe.black',
      role: 'Administrator',
      policy: 'Outbound',
      srcBytes: 4_711,
      dstBytes: 12,
    },
  },
  alertmanager: {
    status: 'firing',
    startsAt: '2026-01-05T06:00:00.000Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://p/graph',
    fingerprint: 'c1',
    labels: {
      alertname: 'DiskFull',
      severity: 'critical',
      job: 'node',
      cluster: 'eu',
      namespace: 'db',
      service: 'postgres',
      instance: 'a:9100',
    },
    annotations: { summary: 'The disk is full.' },
  },
  sigma: {
    Timestamp: '2026-01-05 06:00:00.000 +00:00',
    RuleTitle: 'Possible Timestomping',
    Level: 'low',
    Computer: 'PC',
    Channel: 'Sysmon',
    EventID: 2,
    MitreTactics: ['Evas'],
    MitreTags: ['T1070.006'],
    OtherTags: ['sysmon'],
    RecordID: 1,
    RuleFile: 'r.yml',
    EvtxFile: 's.evtx',
  },
}

test('every field that a mapping names is in a document of its format', () => {
  assert.deepEqual(mappings.map(({ id }) => id).sort(), Object.keys(bodies).sort())
  for (const { id, timeField, titleField, severityField, points, avoid } of mappings) {
    const paths = [timeField, titleField, severityField, ...[...points, ...avoid].map(({ path }) => path)].filter(
      (path) => path !== null,
    )
    const values = new DecisionPoints(paths).valuesOf(bodies[id] as Body)
    assert.deepEqual(
      paths.filter((_, at) => values[at] === null),
      [],
      id,
    )
  }
})

test('a suggested point is suggested once, and is none of those to be avoided', () => {
  for (const { id, points, avoid } of mappings) {
    const paths = [...points, ...avoid].map(({ path }) => path)
    assert.equal(new Set(paths).size, paths.length, id)
    assert.ok(points.length >= 5, id)
  }
})

/** Each format against a webhook as its product sends it (samples.ts). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueAt } from '../../../../engine/domain/event/path.js'
import { mappings } from '../../../../engine/resource/mappings/mappings.js'
import { documentsOf, objectOf } from '../../../../engine/services/inbound/documents.js'
import type { InboundEvent, DocumentJson } from '../../../../engine/services/inbound/formats/format.js'
import { formatOf } from '../../../../engine/services/inbound/formats/formats.js'
import * as samples from './samples.js'

type Headers = Readonly<Record<string, string>>

/** The format that a body shows, and its events. */
function read(body: unknown, headers: Headers = {}): { readonly names: string[]; readonly events: InboundEvent[] } {
  const header = (name: string): string => headers[name] ?? ''
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const names: string[] = []
  const events = documentsOf(Buffer.from(text)).documents.flatMap(({ value }) => {
    const document = objectOf(value)
    const format = formatOf('auto', document, header)
    names.push(format.name)
    return (format.items?.(document) ?? [document]).map((item) => format.event(item as DocumentJson, document, header))
  })
  return { names, events }
}

const cases: readonly {
  readonly format: string
  readonly body: unknown
  readonly headers?: Headers
  readonly ids: readonly (string | null)[]
  readonly title?: string
  readonly severity?: unknown
}[] = [
  {
    format: 'splunk',
    body: samples.splunkAlert,
    ids: ['scheduler_admin_search_W2_at_14232356_132-5f47fea8b3ceab51'],
    title: 'Errors of mongod',
    severity: 'high',
  },
  {
    format: 'sentinel',
    body: samples.sentinelIncident,
    ids: ['73e01a99-5cd7-4139-a149-9f2736ff2ab5'],
    title: 'My incident',
    severity: 'High',
  },
  {
    format: 'sentinel',
    body: { eventUniqueId: 'x', object: samples.sentinelIncident },
    ids: ['73e01a99-5cd7-4139-a149-9f2736ff2ab5'],
  },
  {
    format: 'sentinel',
    body: { value: [samples.defenderAlert, { ...samples.defenderAlert, id: 'second' }] },
    ids: ['da637551227677560813_-961444813', 'second'],
    title: 'Suspicious execution of hidden file',
    severity: 'low',
  },
  {
    format: 'sentinel',
    body: samples.azureMonitorAlert,
    ids: ['b9569717-bc32-442f-add5-83a997729330'],
    title: 'WCUS-R2-Gen2',
    severity: 'Sev3',
  },
  {
    format: 'alertmanager',
    body: samples.alertmanagerWebhook,
    ids: ['c1d2e3f405162738-1769850300123', 'ffd2e3f405162738-1769846700123'],
    title: 'The disk is full.',
    severity: 'critical',
  },
  {
    format: 'wazuh',
    body: samples.wazuhAlert,
    ids: ['1580156527.2160211'],
    title: 'sshd: Attempt to login using a non-existent user',
    severity: 5,
  },
  {
    format: 'wazuh',
    body: { severity: 1, title: 'x', id: '1580156527.2160211', all_fields: samples.wazuhAlert },
    ids: ['1580156527.2160211'],
  },
  { format: 'elastic', body: samples.elasticAlerts, ids: ['0f1e2d3c'], title: 'Unusual login', severity: 'medium' },
  {
    format: 'elastic',
    body: { hits: { hits: [{ _id: 'h-1', _index: 'logs', _source: { 'rule.name': 'R', a: 1 } }] } },
    ids: ['h-1'],
    title: 'R',
  },
  { format: 'ecs', body: samples.ecsDocument, ids: ['8a4f500d'], title: 'Hello World', severity: 7 },
  {
    format: 'crowdstrike',
    body: samples.crowdstrikeEvent,
    ids: [samples.crowdstrikeEvent.event.CompositeId],
    title: 'Malicious PowerShell',
    severity: 'High',
  },
  {
    format: 'crowdstrike',
    body: {
      meta: { trigger_name: 'Alert > EPP', workflow_id: 'w', timestamp: 1 },
      data: { 'detections.severity': 70, 'detections.composite_id': 'c-1', 'detections.name': 'N' },
    },
    ids: ['c-1'],
    title: 'N',
    severity: 70,
  },
  {
    format: 'guardduty',
    body: samples.guarddutyEvent,
    ids: ['16afba5c5c43e07c9e3e5e2e544e95df'],
    title: 'Unprotected port on EC2 instance i-99999999 is being probed.',
    severity: 2,
  },
  {
    format: 'github',
    body: samples.dependabotAlert,
    headers: { 'x-github-event': 'dependabot_alert', 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    ids: ['72d3162e-cc78-11e3-81ab-4c9367dc0958'],
    title: 'Django allows data leakage',
    severity: 'high',
  },
  {
    format: 'github',
    body: { zen: 'Design for failure.', hook_id: 1, hook: {} },
    headers: { 'x-github-event': 'ping' },
    ids: [],
  },
  { format: 'ocsf', body: [samples.ocsfFinding], ids: ['a5f1c4'], title: 'Brute force', severity: 4 },
  {
    format: 'cef',
    body: samples.cefLines.join('\n'),
    ids: [null, null],
    title: 'worm successfully stopped',
    severity: '10',
  },
  { format: 'leef', body: samples.leefLines.join('\r\n'), ids: [null, null, null], title: '15345', severity: '5' },
  { format: 'json', body: { anything: true }, ids: [null] },
]

for (const { format, body, headers, ids, title, severity } of cases) {
  test(`${format} is recognized, with its ids: ${JSON.stringify(body).slice(0, 40)}`, () => {
    const { names, events } = read(body, headers)
    assert.deepEqual([...new Set(names)], [format])
    assert.deepEqual(
      events.map(({ id }) => id),
      ids,
    )
    if (title !== undefined) assert.equal(events[0]!.title, title)
    if (severity !== undefined) assert.deepEqual(events[0]!.severity, severity)
  })
}

test('suggested decision points have values in the webhooks of their format', () => {
  const bodies: Readonly<Record<string, readonly [body: unknown, headers?: Headers]>> = {
    splunk: [samples.splunkAlert],
    microsoft_sentinel: [samples.sentinelIncident],
    microsoft_defender: [samples.defenderAlert],
    alertmanager: [samples.alertmanagerWebhook],
    wazuh: [samples.wazuhAlert],
    elastic_security: [samples.elasticAlerts],
    ecs: [samples.ecsDocument],
    crowdstrike_falcon: [samples.crowdstrikeEvent],
    amazon_guardduty: [samples.guarddutyEvent],
    github: [samples.dependabotAlert, { 'x-github-event': 'dependabot_alert' }],
    ocsf: [samples.ocsfFinding],
    cef: [samples.cefLines.join('\n')],
    leef: [samples.leefLines.join('\n')],
  }
  for (const [id, [body, headers]] of Object.entries(bodies)) {
    const mapping = mappings.find((one) => one.id === id)
    assert.ok(mapping !== undefined, id)
    const [first] = read(body, headers).events
    const direct = mapping.points.filter(({ path }) => valueAt(first!.body, path) !== undefined)
    assert.ok(direct.length >= 3, `${id}: ${direct.map(({ path }) => path).join(', ')}`)
  }
})

test('a line of CEF has the fields of its header and extension, unescaped', () => {
  const [first, second] = read(samples.cefLines.join('\n')).events.map(({ body }) => body.cef as Record<string, any>)
  assert.deepEqual(first!.device, {
    vendor: 'Security',
    product: 'threatmanager',
    version: '1.0',
    event_class_id: '100',
  })
  assert.deepEqual(first!.extensions, { sourceAddress: '10.0.0.1', destinationAddress: '2.1.2.2', sourcePort: 1232 })
  assert.equal(second!.device.product, 'threat|manager\\x')
  assert.equal(second!.name, 'detected a | in message')
  assert.equal(second!.extensions.deviceAction, 'blocked a =')
  assert.equal(second!.extensions.message, 'Detected a threat.\nNo action needed.')
  assert.equal(second!.extensions.deviceCustomString1Label, 'Rule')
  assert.equal(second!.extensions.deviceCustomString1, 'a b')
})

test('a line of LEEF has its attributes, whatever divides them', () => {
  const bodies = read(samples.leefLines.join('\n')).events.map(({ body }) => body as Record<string, any>)
  assert.deepEqual(
    bodies.map(({ vendor, attributes }) => [vendor, attributes.src, attributes.sev]),
    [
      ['Microsoft', '192.0.2.0', '5'],
      ['Lancope', '192.0.2.0', '5'],
      ['Vendor', '192.0.2.0', '3'],
    ],
  )
  assert.equal(bodies[1]!.attributes.cat, 'anomaly')
})

test('names with dots stay as they came, and are read', () => {
  const [{ body }] = read(samples.elasticAlerts).events as [InboundEvent]
  const { _id: _, _index: __, ...alert } = samples.elasticAlerts.alerts[0]!
  assert.deepEqual(body, alert)
  assert.equal(valueAt(body, 'host.os.type'), 'linux')
  assert.equal(valueAt(body, 'host.name'), 'web-1')
  assert.equal(valueAt(body, 'kibana.alert.rule.name'), 'Unusual login')
  const odd = { 'ecs.version': '8', a: 1, 'a.b': 2, '.c': 3, '__proto__.x': 4, 'event.kind': 'alert' }
  const [one] = read(JSON.stringify(odd)).events
  assert.deepEqual({ ...one!.body }, odd)
  assert.equal(({} as { x?: unknown }).x, undefined)
})

for (const [name, event] of [
  ['nested', { id: 'a1', dataset: 'zeek.conn', severity: 7 }],
  ['with dots', null],
] as const)
  test(`a document of ECS has its id, title and severity: names ${name}`, () => {
    const dotted = { 'event.id': 'a1', 'event.dataset': 'zeek.conn', 'event.severity': 7, 'rule.name': 'Scan' }
    const fields = event === null ? dotted : { event, rule: { name: 'Scan' } }
    const { names, events } = read({ '@timestamp': '2026-01-01T00:00:00Z', ...fields })
    const [{ id, title, severity }] = events as [InboundEvent]
    assert.deepEqual([names, title, severity], [['ecs'], 'Scan', 7])
    assert.match(id!, /a1.*zeek\.conn/)
  })

test('a list, lines of JSON, a form and a byte order mark are read', () => {
  const one = { a: 1 }
  const bodies = [
    JSON.stringify([one, one]),
    `${JSON.stringify(one)}\n\n${JSON.stringify(one)}\n`,
    `payload=${encodeURIComponent(JSON.stringify([one, one]))}`,
    `\ufeff${JSON.stringify([one, one])}`,
    'one\ntwo',
  ]
  for (const body of bodies) assert.equal(read(body).events.length, 2, body)
  assert.deepEqual(
    read('one\ntwo').events.map(({ body }) => body),
    [{ message: 'one' }, { message: 'two' }],
  )
  assert.deepEqual(read('').events, [])
})

test('what cannot be events is refused with a sentence', () => {
  for (const [body, expected] of [
    ['{"a": 1', /nothing of the body can be read. Line 1: it has no end/],
    [`[${'{},'.repeat(10_001)}{}]`, /at most 10000 events/],
    [`{"a": [${'1,'.repeat(300_000)}1]}`, /at most 262144 values/],
  ] as const)
    assert.throws(() => read(body), expected)
  assert.throws(() => documentsOf(Uint8Array.of(0x7b, 0xff, 0x7d)), /it is not JSON \(character 2\)/)
})

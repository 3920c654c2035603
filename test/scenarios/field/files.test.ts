/** Files as people have them (S40): through `decide ingest`, through the reader of the console, and back again. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeJson } from '../../../engine/domain/event/json.js'
import { eventsIn, readFile } from '../../../server/console/pages/new-job/read-events.js'
import { decide, type Ran } from '../../support/cli/decide.js'
import { makeJob } from '../../support/client.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.close())

function ingest(jobId: number, input: string | Buffer, ...args: string[]): Promise<Ran> {
  const env = { DECIDE_URL: service.baseUrl, DECIDE_KEY: MANAGEMENT_KEY }
  return decide(['ingest', '--job', String(jobId), '--run', 'r', ...args], { input, env })
}

interface Listed {
  readonly event_id: string
  readonly '@timestamp': string
  readonly raw_body: Record<string, unknown>
  readonly bucket_id: string
  readonly decision_points: unknown
}

async function eventsOf(jobId: number): Promise<Listed[]> {
  const { text } = await service.client.get(`/api/v2/jobs/${jobId}/events-file?format=ndjson&raw_body=true`)
  const events = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Listed)
  return events.sort((a, b) => (a.event_id < b.event_id ? -1 : 1))
}

const cases: readonly (readonly [string, string | Buffer, readonly unknown[], RegExp?])[] = [
  [
    'a separator in the first line',
    'sep=;\r\nrule.id;host;note\r\n4625;web-1;"a;b"\r\n',
    [{ rule: { id: 4625 }, host: 'web-1', note: 'a;b' }],
  ],
  ['blanks before quotes', 'rule, note\n4625, "too many, again"\n', [{ rule: 4625, note: 'too many, again' }]],
  ['a mark before a quoted name', '\uFEFF"rule, id",n\n1,2\n', [{ 'rule, id': 1, n: 2 }]],
  ['CR alone', 'rule\r1\r2\r', [{ rule: 1 }, { rule: 2 }]],
  [
    'Windows-1252',
    Buffer.from('rule,user\n1,M\u00fcller \x80\n', 'latin1'),
    [{ rule: 1, user: 'M\u00fcller \u20ac' }],
    /Windows-1252/,
  ],
  ['UTF-16', Buffer.from('\uFEFFrule\tuser\r\n1\tM\u00fcller\r\n', 'utf16le'), [{ rule: 1, user: 'M\u00fcller' }]],
  ['two columns of one name', 'rule,rule\n1,2\n', [{ rule: 1, rule_2: 2 }], /1 column had the name of another one/],
  [
    'a broken line',
    'a,b\n1,2\n3,"4\n5,6\n7,8,9\n',
    [
      { a: 1, b: 2 },
      { a: 5, b: 6 },
    ],
    /^line 3: a quote .*\nline 5: it has 3 values/m,
  ],
  ['a list over lines', '[\n  {"rule": 1},\n  {"rule": 1e3}\n]\n', [{ rule: 1 }, { rule: 1000 }]],
  ['documents of several lines', '{\n "rule": 1\n}{"rule":2}', [{ rule: 1 }, { rule: 2 }]],
  ['a document that holds a list', '{"alerts":[{"rule":1},{"rule":2}]}', [{ rule: 1 }, { rule: 2 }]],
  [
    'lines of CEF, one of them after a header of syslog',
    'CEF:0|V|P|1|100|Deny all|5|src=192.0.2.7 spt=22\r\n\r\nMar  1 10:00:00 fw CEF:0|V|P|1|101|Allow|3|\r\n',
    [
      {
        cef: {
          version: '0',
          device: { vendor: 'V', product: 'P', version: '1', event_class_id: '100' },
          name: 'Deny all',
          severity: '5',
          extensions: { sourceAddress: '192.0.2.7', sourcePort: 22 },
        },
        message: 'CEF:0|V|P|1|100|Deny all|5|src=192.0.2.7 spt=22',
      },
      {
        cef: {
          version: '0',
          device: { vendor: 'V', product: 'P', version: '1', event_class_id: '101' },
          name: 'Allow',
          severity: '3',
        },
        message: 'Mar  1 10:00:00 fw CEF:0|V|P|1|101|Allow|3|',
      },
    ],
    /2 events came as lines of CEF/,
  ],
  [
    'a line of LEEF in UTF-16, longer than what is looked at',
    Buffer.from(`\uFEFFLEEF:2.0|V|P|1|7|^|src=192.0.2.0^sev=3^note=${'x'.repeat(5_000)}\n`, 'utf16le'),
    [
      {
        leef_version: '2.0',
        vendor: 'V',
        product_name: 'P',
        product_version: '1',
        event_class_id: '7',
        attributes: { src: '192.0.2.0', sev: '3', note: 'x'.repeat(5_000) },
        message: `LEEF:2.0|V|P|1|7|^|src=192.0.2.0^sev=3^note=${'x'.repeat(5_000)}`,
      },
    ],
    /1 event came as lines of LEEF/,
  ],
  [
    'lines of syslog, and another one below',
    '<34>Oct 11 22:14:15 web-1 su[77]: failed, for "ann"\n' +
      '<165>1 2026-03-01T10:00:00.003Z web-2 app - ID47 - ready\n' +
      `Mar  1 10:00:00 web-3 cron: ${'x'.repeat(5_000)}\nno line of syslog\n`,
    [
      {
        '@timestamp': 'Oct 11 22:14:15',
        host: { name: 'web-1' },
        process: { name: 'su', pid: '77' },
        log: { syslog: { facility: { code: 4 }, severity: { code: 2 } } },
        message: 'failed, for "ann"',
      },
      {
        '@timestamp': '2026-03-01T10:00:00.003Z',
        host: { name: 'web-2' },
        process: { name: 'app' },
        log: { syslog: { facility: { code: 20 }, severity: { code: 5 } } },
        message: 'ready',
      },
      {
        '@timestamp': 'Mar  1 10:00:00',
        host: { name: 'web-3' },
        process: { name: 'cron' },
        message: 'x'.repeat(5_000),
      },
      { message: 'no line of syslog' },
    ],
    /3 events came as lines of syslog[\s\S]*1 event came as lines that are not in syslog/,
  ],
  [
    'a table with CEF in a column',
    'time,line\n1,CEF:0|V|P|1|100|Deny|5|src=192.0.2.7\n',
    [{ time: 1, line: 'CEF:0|V|P|1|100|Deny|5|src=192.0.2.7' }],
  ],
  [
    'a byte that is not UTF-8 in JSON',
    Buffer.from('{"rule":"M\u00fcller"}\n', 'latin1'),
    [{ rule: 'M\ufffdller' }],
    /1 event had bytes/,
  ],
]

for (const [name, input, expected, says] of cases)
  test(`${name}: the same events by the command line and by the console`, async () => {
    const { jobId } = await makeJob(service.client)
    const ran = await ingest(jobId, input)
    assert.equal(ran.code, says !== undefined && /\^line/.test(says.source) ? 1 : 0, ran.err)
    if (says !== undefined) assert.match(ran.err, says)
    else assert.doesNotMatch(ran.err, /Warning/)
    const stored = await eventsOf(jobId)
    assert.deepEqual(
      stored.map(({ raw_body: body }) => body),
      expected,
    )
    const read = await readFile(new Blob([input as string]))
    assert.deepEqual(
      read.events.map((event) => JSON.parse(writeJson(event))),
      expected,
    )
    for (const { msg } of read.warnings) assert.ok(ran.err.includes(msg), msg)
  })

test('an export comes back as the same events, as NDJSON and as CSV', async () => {
  const points = ['rule', 'host.name', 'tags']
  const { jobId } = await makeJob(service.client, { decision_points: points })
  const bodies = [
    { '@timestamp': '2026-01-02T03:04:05.000Z', rule: '=HYPERLINK("x")', host: { name: 'a "b"; c' }, id: 7 },
    { '@timestamp': '2026-01-02T03:04:06.000Z', rule: "'=1", host: { name: 'l1\r\nl2' }, tags: ['x', 'y'] },
    { '@timestamp': '2026-01-02T03:04:07.000Z', rule: -5, host: { name: '\u200b+1' } },
  ]
  const lines = bodies.map((body, n) => JSON.stringify({ job_id: jobId, event_id: `e${n}`, raw_body: body }))
  await service.client.bulk(lines.join('\n'))
  const before = await eventsOf(jobId)
  assert.equal(before.length, bodies.length)
  for (const query of ['format=ndjson&raw_body=true', 'format=ndjson', 'format=csv']) {
    const file = await service.client.get(`/api/v2/jobs/${jobId}/events-file?${query}`)
    const other = await makeJob(service.client, { decision_points: points })
    const ran = await ingest(other.jobId, file.text)
    assert.equal(ran.code, 0, ran.err)
    const back = await eventsOf(other.jobId)
    const sameOf = (events: readonly Listed[]) =>
      events.map((event) => [event.event_id, event['@timestamp'], event.decision_points])
    assert.deepEqual(sameOf(back), sameOf(before), query)
    if (query.endsWith('raw_body=true'))
      assert.deepEqual(
        back.map((event) => event.raw_body),
        bodies,
      )
    assert.equal(/decision points only/.test(ran.err), !query.endsWith('raw_body=true'), ran.err)
    assert.deepEqual(
      eventsIn(file.text)
        .beside.map(({ id }) => id)
        .sort(),
      ['e0', 'e1', 'e2'],
    )
  }
})

test('what the job warns of is said at the end, with a count and the first example', async () => {
  const { jobId } = await makeJob(service.client)
  const input = '{"id":"x","rule":1}\n{"id":"x","rule":2}\n{"id":"y","rule":3}\n'
  const ran = await ingest(jobId, input, '--id-field', 'id', '--json')
  assert.equal(ran.code, 0, ran.err)
  assert.match(ran.err, /^Warning: 1 event .*the id of another event of the same request.* The first: /m)
  const { stored, warnings } = JSON.parse(ran.out)
  assert.equal(stored, 3)
  assert.deepEqual(
    warnings.map(({ type, count }: { type: string; count: number }) => [type, count]),
    [['repeated_id', 1]],
  )
  const again = await ingest(jobId, input, '--id-field', 'id')
  assert.match(again.out, /^0 events stored, 3 were there already/)
})

test('the job keeps what the reader of its file has warned of', async () => {
  const { jobId } = await makeJob(service.client)
  const input = Buffer.from('rule,rule,\n1,M\u00fcller,x\n2,b\n3,b,,,y\n', 'latin1')
  const kept = async (): Promise<unknown[][]> => {
    const { body } = await service.client.get(`/api/v2/jobs/${jobId}`)
    const { warnings } = body as { warnings: { type: string; count?: number; example?: string }[] }
    return warnings
      .filter(({ count }) => count !== undefined)
      .map(({ type, count, example }) => [type, count, example])
      .sort()
  }
  const found = [
    ['broken_part', 1, 'line 4: 3,b,,,y'],
    ['charset', 1, '1,M\u00fcller,x'],
    ['no_name', 1, 'x'],
    ['same_name', 1, 'rule_2'],
  ]
  const ran = await ingest(jobId, input)
  assert.equal(ran.code, 1, ran.err)
  assert.equal(ran.err.match(/^Warning: /gm)?.length, found.length, 'each is told once')
  assert.deepEqual(await kept(), found)
  await ingest(jobId, input)
  assert.deepEqual(await kept(), found, 'a file that stores nothing is not counted again')
  const json = Buffer.from('{"rule":"M\u00fcller"}\n{"rule":2}\n', 'latin1')
  assert.match((await ingest(jobId, json)).err, /1 event had bytes that are not UTF-8/)
  assert.deepEqual(
    (await kept()).find(([type]) => type === 'invalid_utf8')?.[1],
    1,
    'what the reader counts is not counted by the service again',
  )
})

test('warnings of a file are refused where they are none', async () => {
  const { jobId } = await makeJob(service.client)
  const one = { type: 'charset', count: 1, example: 'a' }
  const path = `/api/v2/jobs/${jobId}/file-warnings`
  for (const warnings of [
    [],
    undefined,
    [{ ...one, type: 'replaced_event' }],
    [{ ...one, count: 0 }],
    [{ ...one, count: 1.5 }],
    [{ ...one, example: 'x'.repeat(10_001) }],
    [{ ...one, field: 'a' }],
    Array.from({ length: 20 }, () => one),
  ])
    assert.equal((await service.client.post(path, { warnings })).status, 422, JSON.stringify(warnings)?.slice(0, 80))
  assert.equal((await service.client.post('/api/v2/jobs/999/file-warnings', { warnings: [one] })).status, 404)
  assert.equal((await service.client.post(path, { warnings: [one, one] })).status, 200)
})

/** Searches: a query finds what it reads like, on every way in, or is refused with its place (S42). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { SeededRandom } from '../../../engine/rng.js'
import { conditionText, nameText, valueText } from '../../../engine/domain/query/query-text.js'
import { choiceOf, conditionOf } from '../../../server/console/pages/events/query.js'
import { decide } from '../../support/cli/decide.js'
import { eventually, makeJob, type Answer } from '../../support/client.js'
import { connectAgent } from '../../support/mcp/agent.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'

const paths = {
  events: '/api/v2/events/query',
  list: '/api/v2/events/list',
  facets: '/api/v2/events/facets',
  search: '/api/v2/events/raw_es_query',
} as const

const bodies: Readonly<Record<string, Record<string, unknown>>> = {
  a: { host: 'web-1', path: 'C:\\Windows\\System32\\cmd.exe', ip: '2001:db8::1', status: 'failed', n: 5 },
  b: { host: 'web-2', path: 'C:\\Temp\\cmd.exe', ip: '2001:db8::2', status: 'ok', n: 50, user: { name: 'ann lee' } },
  c: { host: 'db-1', path: '/usr/bin/id', ip: '10.0.0.7', status: 'failed', n: -5, state: 'firing', label: 'evil' },
  d: {
    host: 'db-2',
    url: 'http://shop.example/a?b=1&c=2',
    at: '10:00:00',
    status: 'ok',
    rule: 'Rule 003: brute force',
  },
  e: { host: 'and', path: '*', status: '', note: 'a\\*b', rule: 'Rule 003b', tags: ['x', 'not'] },
}

let service: TestService
let jobId: number
const dir = mkdtempSync(join(tmpdir(), 'search-'))

before(async () => {
  service = await startService()
  ;({ jobId } = await makeJob(service.client, { decision_points: ['host', 'status'] }))
  for (const [id, raw_body] of Object.entries(bodies))
    assert.equal((await service.client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body })).status, 201)
})
after(async () => {
  await service.close()
  rmSync(dir, { recursive: true })
})

function idsOf({ body, status, text }: Answer): string {
  assert.equal(status, 200, text)
  const ids = body.events?.map((event: any) => event.event_id) ?? body.hits.hits.map((hit: any) => hit._id)
  return ids
    .filter((id: string) => id.length === 1)
    .sort()
    .join('')
}

function ask(query: string): Promise<Answer> {
  return service.client.post(paths.events, { job_ids: [jobId], query, size: 100 })
}

function search(query: string, more: object = {}): Promise<Answer> {
  const query_body = { query: { query_string: { query, ...more } }, size: 100 }
  return service.client.post(paths.search, { job_ids: [jobId], query_body })
}

/** What is refused, and where. */
function refusalOf({ status, body, text }: Answer): string {
  assert.equal(status, 422, text)
  const [{ loc, msg }] = body.detail
  return `${loc.join('.')}: ${msg}`
}

test('case 18: a query string of a search engine never means the opposite', async () => {
  for (const [query, ids] of [
    ['not host:web-1', 'bcde'],
    ['NOT host:web-1', 'bcde'],
    ['! host:web-1', 'bcde'],
    ['!host:web-1', 'bcde'],
    ['host:web-1 and path:*cmd.exe', 'a'],
    ['host:web-1 & path:*cmd.exe', 'a'],
    ['host:web-1 or host:web-2', 'ab'],
    ['host:web-1 | host:web-2', 'ab'],
    ['status:failed and not host:web-1', 'c'],
    ['host:web-1 OR host:web-2 AND status:failed', 'a'],
    ['host:web-1 OR status:ok AND host:web-2', 'ab'],
    ['ip:2001:db8::1', 'a'],
    ['2001:db8::2', 'b'],
    ['path:C\\:\\\\Windows\\\\*\\\\cmd.exe', 'a'],
    ['path:C:\\Temp\\cmd.exe', 'b'],
    ['url:http://shop.example/a?b=1&c=2', 'd'],
    ['at:10:00:00', 'd'],
    ['10:00:00', 'd'],
    ['n:-5', 'c'],
    ['host:"and"', 'e'],
    ['path:"*"', 'e'],
    ['', ''],
  ] as const)
    assert.equal(idsOf(await search(query)), ids, query)
  for (const [query, column] of [
    ['host:!web-1', 6],
    ['host:not web-1', 6],
    ['host:-web-1', 6],
    ['host:web-1|web-2', 11],
    ['host:web-1 - status:ok', 12],
    ['–host:web-1', 1],
    ['path:C:\\Windows\\*', 16],
  ] as const)
    assert.match(
      refusalOf(await search(query)),
      new RegExp(`^body\\.query_body\\.query\\.query_string\\.query: column ${column}: `),
      query,
    )
})

const found: readonly (readonly [query: string, ids: string])[] = [
  ['not host:web-1', 'bcde'],
  ['host:web-1 and path:*cmd.exe', 'a'],
  ['host:web-1 OR host:db-1', 'ac'],
  ['host:(web-1 OR db-1)', 'ac'],
  ['host:web-1,db-1', 'ac'],
  ['(host:web-1 OR host:web-2) status:ok', 'b'],
  ['host:web-1 OR host:web-2 status:ok', 'ab'],
  ['host:web-* -status:ok', 'a'],
  ['-host:(web-1 OR web-2)', 'cde'],
  ['host!=web-1', 'bcde'],
  ['ip:2001:db8::1', 'a'],
  ['path:C\\:\\\\Windows\\\\*\\\\cmd.exe', 'a'],
  ['path:"C:\\Temp\\cmd.exe"', 'b'],
  ['path:/usr/*', 'c'],
  ['rule:"Rule 003*"', 'de'],
  ['rule:"Rule 003:"*', 'd'],
  ['rule:"Rule 003\\*"', ''],
  ['"note":a\\\\\\*b', 'e'],
  ['path:\\*', 'e'],
  ['path:*', 'abce'],
  ['-path:*', 'd'],
  ['status:""', 'e'],
  ['n:[-10 TO 5]', 'ac'],
  ['n:{-5 TO 50}', 'a'],
  ['n>5', 'b'],
  ['n:(>-10 AND <10)', 'ac'],
  ['n:-5', 'c'],
  ['user.name:"ann lee"', 'b'],
  ['user.name:ann*', 'b'],
  ['tags:not', ''],
  ['"state":firing', 'c'],
  ['"label":evil', 'c'],
  ['BRUTE', 'd'],
  ['"brute force"', 'd'],
  ['rule*brute', 'd'],
  ['10.0.0.7', 'c'],
  ['state:new', 'abcde'],
  ['-label:*', 'abcde'],
  ['label:escalate', ''],
  ['confidence_score<60', 'abcde'],
  ['confidence:[0 TO 10]', 'abcde'],
  ['outlier:false', 'abcde'],
  ['*:web-1', 'a'],
  ['', 'abcde'],
]

test('the language finds the same in queries, lists, facets, files, the command line and for agents', async () => {
  const { client } = service
  for (const [query, ids] of found) {
    if (query === 'tags:not') continue
    const body = { job_ids: [jobId], query }
    assert.equal(idsOf(await client.post(paths.events, { ...body, size: 100 })), ids, query)
    assert.equal(idsOf(await client.post(paths.list, { ...body, within_ms: 2_000 })), ids, query)
    const counted = await client.post(paths.facets, { ...body, fields: ['host'], within_ms: 2_000 })
    assert.equal(counted.body.counted, ids.length, query)
    const file = await client.get(`/api/v2/jobs/${jobId}/events-file?format=ndjson&query=${encodeURIComponent(query)}`)
    assert.equal(file.text.split('\n').length - 1, ids.length, query)
  }
  const env = { DECIDE_CONFIG: join(dir, 'none'), DECIDE_URL: service.baseUrl, DECIDE_KEY: MANAGEMENT_KEY }
  const agent = await connectAgent(service)
  for (const [query, ids] of found.filter(([query]) => query.includes('OR') || query.includes('label'))) {
    const ran = await decide(['query', query, '--job', String(jobId), '--json'], { env })
    const lines = ran.out.split('\n').filter((line) => line !== '')
    assert.equal(
      lines
        .map((line) => JSON.parse(line).event_id)
        .sort()
        .join(''),
      ids,
      `${query}: ${ran.err}`,
    )
    const { structuredContent } = await agent.result('search_events', { job_id: jobId, query })
    assert.equal((structuredContent as any).total, ids.length, query)
  }
  await agent.close()
})

test('what cannot be read, and what the job does not have, is refused by its column', async () => {
  for (const [query, sentence] of [
    ['host:(web-1 db-1)', 'column 13: write AND or OR between two values of one field'],
    ['label:Nope', 'column 7: there is no label Nope; there is Escalate, Drop, Investigate'],
    ['-label:Nope', 'column 8: there is no label Nope'],
    ['consensus:Nope', 'column 11: there is no label Nope'],
    ['confidence<zz', 'column 12: confidence is a number'],
    ['confidence_score<zz', 'column 18: confidence_score is a number'],
    ['outlier:yes', 'column 9: outlier is true or false'],
    [
      'state:firing',
      'column 7: state is one of new, pending, in_knowledge_base, retrain. The field of the event is written "state"',
    ],
    ['label<Drop', 'column 7: label has no order'],
    ['@timestamp>soon', 'column 12: Input should be a date'],
    ['host:(web-1', 'column 6: the bracket that is opened here is not closed'],
  ] as const) {
    const refusal = refusalOf(await ask(query))
    assert.ok(refusal.startsWith(`body.query: ${sentence}`), `${query}: ${refusal}`)
    assert.equal(refusalOf(await service.client.post(paths.list, { job_ids: [jobId], query })), refusal)
  }
  assert.equal(idsOf(await ask('consensus:undecided')), '')
})

test('a filter of the command line that has a sign which there is not sends nothing', async () => {
  const env = { DECIDE_CONFIG: join(dir, 'none'), DECIDE_URL: service.baseUrl, DECIDE_KEY: MANAGEMENT_KEY }
  const run = (...args: string[]) => decide(['query', '--job', String(jobId), ...args], { env })
  for (const filter of ['host==web-1', 'host=~web', 'host<>web-1', 'host=>1']) {
    const ran = await run('-f', filter)
    assert.equal(ran.code, 2, filter)
    assert.match(ran.err, /which there is not/, filter)
  }
  const number = await run('-f', 'confidence_score<zz')
  assert.equal(number.code, 1)
  assert.match(number.err, /confidence_score is a number/)
  for (const [args, ids] of [
    [['-f', 'host=web-1'], 'a'],
    [['-f', 'host!=web-1', '-f', 'status=failed'], 'c'],
    [['-f', 'host=web-*'], 'ab'],
    [['-f', 'rule~brute'], 'd'],
    [['-f', 'host in web-1,db-1'], 'ac'],
    [['-f', 'confidence_score>=0', 'n<0'], 'c'],
    [['-f', 'path=C:\\Temp\\cmd.exe'], 'b'],
  ] as const) {
    const ran = await run(...args, '--json')
    const lines = ran.out.split('\n').filter((line) => line !== '')
    assert.equal(
      lines
        .map((line) => JSON.parse(line).event_id)
        .sort()
        .join(''),
      ids,
      `${args.join(' ')}: ${ran.err}`,
    )
  }
})

test('any value that is written as a condition is found, and no other', async () => {
  const random = new SeededRandom(42)
  const pieces = [
    'a',
    'B',
    '1',
    ' ',
    '"',
    '\\',
    '*',
    '?',
    ':',
    '(',
    ')',
    '-',
    '!',
    ',',
    '|',
    '&',
    '<',
    '=',
    '\n',
    '\t',
    'é',
    '😀',
    '\u00a0',
    'OR',
    'me',
    '::1',
    '#10;',
    '/',
    '.',
    '%',
  ] // prettier-ignore
  const values = new Set<string>(['', '0', 'true', '2001:db8::1', 'C:\\Windows\\*', '-5', 'now-1d', 'AND'])
  while (values.size < 150) values.add(Array.from({ length: 1 + random.below(5) }, () => random.pick(pieces)).join(''))
  const names = ['state', 'title', 'f', 'weird name', 'a:b', 'k8s.io/name', 'label', 'x*']
  const lines = [...values].map((value, at) => {
    return JSON.stringify({
      job_id: jobId,
      event_id: `value-${at}`,
      raw_body: Object.fromEntries(names.map((name) => [name, value])),
    })
  })
  await service.client.bulk(lines.join('\n'))
  await eventually(
    () =>
      service.client.post(paths.events, {
        job_ids: [jobId],
        query: 'weird:x OR "weird name":*',
        count_results_only: true,
      }),
    ({ body }) => body.total_count === values.size,
  )
  for (const [at, value] of [...values].entries()) {
    const query = conditionText(nameText(names[at % names.length] as string, 'service'), [valueText(value)])
    const { body, status, text } = await ask(query)
    assert.equal(status, 200, `${query}: ${text}`)
    assert.deepEqual(
      body.events.map((event: any) => event.event_id),
      [`value-${at}`],
      query,
    )
  }
})

test('what the console writes for a value of a facet finds the events that were counted with it', async () => {
  const random = new SeededRandom(7)
  const pieces = [...'aB1 "\\*?:()-!,|&<=\n\té😀\u00a0[]{}~^@#;/.%+', 'OR', 'and', 'me', '::1', '//', 'x'.repeat(300)]
  const text = (): string => Array.from({ length: random.below(5) }, () => random.pick(pieces)).join('')
  const numbers = [0, -5, 1e21, 2.5, 12345678901234567890n, true, false]
  const value = (): unknown => {
    const kind = random.below(12)
    if (kind === 0) return random.pick(numbers)
    if (kind === 1) return [text(), text()]
    if (kind === 2) return random.pick([null, [], {}, { x: 1 }, [null]])
    return random.pick([...common, text()])
  }
  const common = [
    '',
    'me',
    'AND',
    '10.0.0.7',
    'C:\\Windows\\*',
    '"quoted"',
    'a,b',
    '-1',
    `${'y'.repeat(255)}1`,
    `${'y'.repeat(255)}2`,
  ]
  const names = ['f', 'label', 'voter', 'a:b', 'k8s.io/name', 'http', 'C']
  const json = (one: unknown): string =>
    JSON.stringify(one, (_, inner) => (typeof inner === 'bigint' ? `big ${inner}` : inner)).replace(
      /"big (\d+)"/g,
      '$1',
    )
  const { jobId: own } = await makeJob(service.client, { decision_points: ['f'] })
  const lines = Array.from({ length: 400 }, (_, at) => {
    const body = Object.fromEntries(names.flatMap((name) => (random.below(5) === 0 ? [] : [[name, value()]])))
    return json({ job_id: own, event_id: `e${at}`, raw_body: body })
  })
  await service.client.bulk(lines.join('\n'))
  const count = async (query: string): Promise<number> => {
    const { status, body, text } = await service.client.post(paths.list, {
      job_ids: [own],
      query,
      count: true,
      size: 1,
    })
    assert.equal(status, 200, `${query}: ${text}`)
    return body.total_count
  }
  await eventually(
    () => count(''),
    (n) => n === 400,
  )
  for (const field of names) {
    const body = { job_ids: [own], fields: [field], size: 200, within_ms: 2_000 }
    const { body: answer } = await service.client.post(paths.facets, body)
    const [facet] = answer.facets
    assert.ok(facet.values.length > 20)
    for (const { value, count: expected, is_cut: isCut } of facet.values) {
      const query = conditionOf(field, [choiceOf(String(value), isCut)], 'service')
      assert.equal(await count(query), expected, `${field} ${JSON.stringify(value)}: ${query}`)
    }
    const missing = conditionOf(field, [null], 'service')
    assert.equal(await count(missing), facet.missing, missing)
  }
})

test('votes by filter understand queries as lists do', async () => {
  const { client } = service
  for (const [query, ids] of found) {
    if (query === '' || query === 'tags:not') continue
    const { status, body, text } = await client.post(`/api/v2/jobs/${jobId}/vote-tasks`, {
      feedback: 'Drop',
      query: `(${query}) event_id:?`,
      dry_run: true,
    })
    assert.equal(status, 200, `${query}: ${text}`)
    assert.equal(body.count, ids.length, query)
  }
})

test('who has an event is a field of it, however many are assigned', async () => {
  const { client } = service
  for (const id of ['a', 'c'])
    assert.equal(
      (await client.put(`/api/v2/events/${jobId}/${id}/assignment`, { assignee: id === 'a' ? 'ann' : 'bob' })).status,
      200,
    )
  for (const [query, ids] of [
    ['assigned:ann', 'a'],
    ['assigned:*', 'ac'],
    ['-assigned:* host:*', 'bde'],
    ['assigned:(ann OR bob) status:failed', 'ac'],
    ['assigned:"me"', ''],
  ] as const) {
    assert.equal(idsOf(await ask(query)), ids, query)
    assert.equal(
      idsOf(await client.post(paths.list, { job_ids: [jobId], query, within_ms: 2_000, size: 500 })),
      ids,
      query,
    )
  }
  const { body: own } = await client.get('/api/v2/session')
  assert.equal(idsOf(await ask('assigned:me')), '', JSON.stringify(own))
})

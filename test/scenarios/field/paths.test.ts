/**
 * Paths and values over every way in: keys with dots (S30), numbers as written (S31), equal values (S33), pairs (S34).
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Client } from '../../support/client.js'
import { makeInput, oddTypes, sendWebhook, storedEvents, warningsOf, type Input } from '../../support/inputs.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let admin: Client

before(async () => {
  service = await startService()
  admin = service.client
})
after(() => service.close())

interface Case {
  readonly name: string
  readonly points: readonly string[]
  readonly strict?: true
  /** JSON texts of events, by bucket. */
  readonly buckets: readonly (readonly string[])[]
}

const windows = (subject: string, target: string): string =>
  `{"Event":{"EventData":{"Data":[{"@Name":"SubjectUserName","#text":"${subject}"},` +
  `{"@Name":"TargetUserName","#text":"${target}"}]}}}`

const cases: readonly Case[] = [
  {
    name: 'keys with dots below the top',
    points: ['output_fields.proc.name', 'output_fields.k8s.ns.name'],
    buckets: [
      [
        '{"output_fields":{"proc.name":"sh","k8s.ns.name":"shop"}}',
        '{"output_fields":{"proc":{"name":"sh"},"k8s.ns":{"name":"shop"}}}',
      ],
      ['{"output_fields":{"proc.name":"nc","k8s.ns.name":"shop"}}'],
    ],
  },
  {
    name: 'a key with dots that holds an object',
    points: ['alert.rule.parameters.severity'],
    buckets: [
      ['{"alert.rule.parameters":{"severity":"high"}}', '{"alert":{"rule":{"parameters":{"severity":"high"}}}}'],
      ['{"alert.rule.parameters":{"severity":"low"}}'],
    ],
  },
  {
    name: 'a key without a value beside one with a value',
    points: ['a.b'],
    buckets: [
      ['{"a.b":null,"a":{"b":"x"}}', '{"a":{"b":"x"}}', '{"a.b":[null],"a":{"b":["x"]}}', '{"a.b":"x"}'],
      ['{"a.b":"y","a":{"b":"x"}}'],
    ],
  },
  {
    name: 'objects in another order',
    points: ['actor'],
    buckets: [
      ['{"actor":{"name":"ann","role":"admin"}}', '{"actor":{"role":"admin","name":"ann"}}'],
      ['{"actor":{"name":"ann","role":"user"}}'],
    ],
  },
  {
    name: 'a list of names and values',
    points: ['Event.EventData.Data.TargetUserName'],
    buckets: [[windows('svc', 'ann'), windows('eve', 'ann')], [windows('ann', 'svc')]],
  },
  {
    name: 'attributes of OpenTelemetry',
    points: ['resource.attributes.host.name'],
    buckets: [
      [
        '{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"web-1"}}]}}',
        '{"resource":{"attributes":[{"key":"a"},{"key":"host.name","value":{"stringValue":"web-1"}}]}}',
        '{"resource":{"attributes":{"host.name":"web-1"}}}',
      ],
      ['{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"web-2"}}]}}'],
    ],
  },
  {
    name: 'a number and its text',
    points: ['rule.id'],
    buckets: [
      ['{"rule":{"id":"4625"}}', '{"rule":{"id":4625}}', '{"rule":{"id":4625.0}}', '{"rule.id":[4625]}'],
      ['{"rule":{"id":"04625"}}'],
    ],
  },
  {
    name: 'a number and its text with strict types',
    points: ['rule.id'],
    strict: true,
    buckets: [['{"rule":{"id":"4625"}}'], ['{"rule":{"id":4625}}', '{"rule":{"id":4.625e3}}']],
  },
  {
    name: 'long whole numbers',
    points: ['id'],
    buckets: [
      ['{"id":9007199254740993}', '{"id":"9007199254740993"}', '{"id":9007199254740993.0}'],
      ['{"id":9007199254740992}'],
      ['{"id":18446744073709551615}'],
      ['{"id":18446744073709551614}'],
    ],
  },
  {
    name: 'no value and an empty text beside another point',
    points: ['a', 'b'],
    buckets: [
      ['{"b":1}', '{"a":"","b":1}', '{"a":{},"b":1}', '{"a":[null],"b":1}', '{"a":{"x":[]},"b":1}'],
      ['{"a":0,"b":1}'],
    ],
  },
  {
    name: 'a key that is given twice, the last of which counts',
    points: ['a'],
    buckets: [['{"a":1,"a":2}', '{"a":2}'], ['{"a":1}']],
  },
]

/** Sends JSON texts as events, one after the other. */
const ways: Readonly<Record<string, (input: Input, texts: readonly string[]) => Promise<void>>> = {
  async 'a single event'(input, texts) {
    for (const text of texts) {
      const answer = await admin.post('/api/v1/events/', `{"job_id":${input.jobs[0]},"raw_body":${text}}`, {
        key: input.key,
      })
      assert.equal(answer.status, 201, answer.text)
    }
  },
  async _bulk(input, texts) {
    const lines = texts.map((text) => `{"job_id":${input.jobs[0]},"raw_body":${text}}`)
    for (const { status } of await admin.withKey(input.key).bulk(lines.join('\n'))) assert.equal(status, 'OK')
  },
  async 'historic events'(input, texts) {
    const list = texts.map((text) => `{"raw_body":${text}}`).join(',')
    const answer = await admin.post(`/api/v1/bulk/${input.jobs[0]}`, `{"events":[${list}]}`, { key: input.key })
    assert.equal(answer.status, 201, answer.text)
  },
  async 'a webhook'(input, texts) {
    const answer = await sendWebhook(admin, input, texts.join('\n'))
    assert.equal(answer.status, 200, answer.text)
  },
}

async function inputFor({ points, strict }: Case): Promise<Input> {
  return makeInput(admin, {}, { points, settings: strict === true ? { strict_types: true } : {} })
}

/** The bucket of each event of a job, in the order of their arrival. */
async function bucketsOf(jobId: number): Promise<string[]> {
  const answer = await admin.post('/api/v2/events/query', {
    job_ids: jobId,
    size: 500,
    sort_by_column: 'ingest_timestamp',
    sort_order: 'asc',
  })
  assert.equal(answer.status, 200, answer.text)
  return (answer.body.events as { bucket_id: string }[]).map(({ bucket_id: bucket }) => bucket)
}

for (const [way, send] of Object.entries(ways))
  describe(way, () => {
    for (const one of cases)
      test(`puts events into buckets by ${one.name}`, async () => {
        const input = await inputFor(one)
        // Twice: the second time the shapes of the events are known, and they are read in the fast way.
        const texts = [...one.buckets.flat(), ...one.buckets.flat()]
        await send(input, texts)
        const wanted = one.buckets.flatMap((bucket, n) => bucket.map(() => n))
        const found = await bucketsOf(input.jobs[0]!)
        const order = [...new Set(found)]
        assert.deepEqual(
          found.map((bucket) => order.indexOf(bucket)),
          [...wanted, ...wanted],
        )
      })

    test('keeps numbers as they were written', async () => {
      const input = await makeInput(admin)
      const text = '{"id":9007199254740993,"a":1.0,"b":1e3,"c":[0.10,-0],"d":{"e":12345678901234567890.5},"f":0.5}'
      await send(input, [text, text])
      const [jobId] = input.jobs
      const shown = await admin.post('/api/v2/events/query', { job_ids: jobId })
      assert.equal(shown.text.split(`"raw_body":${text}`).length, 3, shown.text)
      const [first] = shown.body.events as { event_id: string }[]
      const exported = await admin.get(`/api/v1/events/${jobId}/${first!.event_id}/export`)
      assert.ok(exported.text.includes(text.slice(1, -1)), exported.text)
      const file = await admin.get(`/api/v2/jobs/${jobId}/events-file?format=ndjson&raw_body=true`)
      assert.ok(file.text.includes(text.slice(1, -1)), file.text)
    })
  })

for (const [way, send] of Object.entries(ways))
  describe(`${way} is told`, () => {
    test('that a key was given twice, if that changes what is read', async () => {
      const input = await makeInput(admin)
      await send(input, ['{"a":{"b":1,"b":1},"rule":"x"}'])
      assert.deepEqual(await oddTypes(admin, input.jobs[0]!), [])
      await send(input, ['{"a":{"b":1,"b":"two"},"rule":"x"}'])
      const [warning] = await warningsOf(admin, input.jobs[0]!, 'repeated_key')
      assert.deepEqual([warning!.count, warning!.example], [1, '1, "two"'])
      assert.match(warning!.msg, /`a\.b`/)
      const last = (await storedEvents(admin, input.jobs[0]!)).at(-1)
      assert.deepEqual(last?.raw_body, { a: { b: 'two' }, rule: 'x' })
    })

    for (const category of [
      'Decision intelligence',
      'Event centric decision intelligence',
      'Automated root cause analysis',
    ])
      test(`that a decision point comes as a number and as a text: ${category}`, async () => {
        const input = await makeInput(admin, {}, { points: ['rule.id', 'host'], category })
        await send(input, ['{"rule":{"id":4625},"host":"a"}', '{"rule":{"id":4625.0},"host":"b"}'])
        const { warnings } = (await admin.get(`/api/v1/jobs/${input.jobs[0]}`)).body
        assert.ok(!warnings.some(({ type }: { type: string }) => type === 'mixed_types'))
        await send(input, ['{"rule":{"id":"4625"},"host":"a"}'])
        const found = await warningsOf(admin, input.jobs[0]!, 'mixed_types')
        assert.equal(found.length, 1)
        assert.match(found[0]!.msg, /`rule\.id`/)
      })
  })

test('a number of a filter is compared by its digits', async () => {
  const input = await makeInput(admin)
  const [jobId] = input.jobs
  await ways._bulk!(input, ['{"id":9007199254740992}', '{"id":9007199254740993}', '{"id":"9007199254740994"}'])
  const found = async (path: string, body: string): Promise<number> => {
    const answer = await admin.post(path, `{"job_ids":${jobId},${body}}`)
    assert.equal(answer.status, 200, answer.text)
    return (answer.body.events ?? answer.body.hits.hits).length
  }
  for (const numeral of ['9007199254740992', '9007199254740993', '9007199254740994', '9007199254740993.0']) {
    const filter = `"filters":[{"field":"id","operator":"is","value":${numeral}}]`
    const list = `"filters":[{"field":"id","operator":"is one of","value":[1,${numeral}]}]`
    for (const body of [filter, list]) {
      assert.equal(await found('/api/v2/events/list', body), 1, body)
      assert.equal(await found('/api/v2/events/query', body), 1, body)
    }
    const term = `"query_body":{"query":{"term":{"id":${numeral}}}}`
    assert.equal(await found('/api/v2/events/raw_es_query', term), 1, term)
    const listed = encodeURIComponent(filter.slice('"filters":'.length))
    const file = await admin.get(`/api/v2/jobs/${jobId}/events-file?format=ndjson&filters=${listed}`)
    assert.equal(file.text.trim().split('\n').length, 1, file.text)
  }
  const above = '"filters":[{"field":"id","operator":"gt","value":9007199254740000}]'
  assert.equal(await found('/api/v2/events/query', above), 3)
})

describe('a number beyond the largest double', () => {
  for (const numeral of ['1e999', '-1e999', `1${'0'.repeat(400)}`])
    test(`is refused on every way in: ${numeral.slice(0, 6)}`, async () => {
      const input = await makeInput(admin)
      const [jobId] = input.jobs
      const body = `{"a":{"v":[0,${numeral}]}}`
      const answers = {
        single: await admin.post('/api/v1/events/', `{"job_id":${jobId},"raw_body":${body}}`, { key: input.key }),
        historic: await admin.post(`/api/v1/bulk/${jobId}`, `{"events":[{"raw_body":${body}}]}`, { key: input.key }),
        webhook: await sendWebhook(admin, input, body),
        whatIf: await admin.post(`/api/v2/jobs/${jobId}/decide`, `{"raw_body":${body}}`),
      }
      for (const [way, { status, text }] of Object.entries(answers)) {
        if (status === 404) continue
        assert.ok(status === 400 || status === 422, `${way}: ${status} ${text}`)
        if (way !== 'whatIf') assert.match(text, /v\W+1\b/, way)
      }
      const [line] = await admin.withKey(input.key).bulk(`{"job_id":${jobId},"raw_body":${body}}`)
      assert.equal(line.status, 'ERROR')
      assert.match(line.error, /1\.8e308.*v\.1/)
      assert.equal((await storedEvents(admin, jobId!)).length, 0)
    })
})

test('an event with two different job ids is for neither of the jobs', async () => {
  const input = await makeInput(admin, {}, { jobs: 2 })
  const [first, second] = input.jobs
  const event = (a: unknown, b: unknown): string => `{"job_id":${a},"job_id":${b},"raw_body":{"rule":"x"}}`
  const single = await admin.post('/api/v1/events/', event(first, second), { key: input.key })
  assert.equal(single.status, 422, single.text)
  assert.match(single.text, /two that differ/)
  const lines = await admin.withKey(input.key).bulk([event(second, first), event(first, first)].join('\n'))
  assert.deepEqual(
    lines.map(({ status }) => status),
    ['ERROR', 'OK'],
  )
  assert.deepEqual([(await storedEvents(admin, first!)).length, (await storedEvents(admin, second!)).length], [1, 0])
})

interface Offered {
  readonly name: string
  readonly path: string
  /** JSON texts of events, by the value that the path leads to; null for none. */
  readonly events: readonly (readonly [text: string, value: string | null])[]
  /** Paths that are not offered. */
  readonly never?: readonly string[]
}

const falco = (name: string): string => `{"output_fields":{"proc.name":${name}}}`

const offered: readonly Offered[] = [
  {
    name: 'keys with dots',
    path: 'output_fields.proc.name',
    events: [
      [falco('"sh"'), 'sh'],
      ['{"output_fields":{"proc":{"name":"sh"}}}', 'sh'],
      ['{"output_fields.proc":{"name":["nc"]}}', 'nc'],
      ['{"output_fields.proc.name":null,"output_fields":{"proc.name":"nc"}}', 'nc'],
      [falco('null'), null],
      [falco('{}'), null],
      [falco('[null]'), null],
    ],
  },
  {
    name: 'names of a list of pairs',
    path: 'Event.EventData.Data.TargetUserName',
    events: [
      [windows('svc', 'ann'), 'ann'],
      [windows('eve', 'bob'), 'bob'],
      ['{"Event":{"EventData":{"Data":[]}}}', null],
    ],
    never: ['Event.EventData.Data.@Name', 'Event.EventData.Data.#text'],
  },
  {
    name: 'long numbers',
    path: 'id',
    events: [
      ['{"id":9007199254740993}', '9007199254740993'],
      ['{"id":9007199254740992}', '9007199254740992'],
      ['{"id":"9007199254740993"}', '9007199254740993'],
    ],
  },
  {
    name: 'an empty text',
    path: 'a.b',
    events: [
      ['{"a":{"b":""}}', ''],
      ['{"a":{"b":"x"}}', 'x'],
      ['{"a":{}}', null],
    ],
  },
]

/** How many events of a job pass a filter, as lists and queries say. */
async function countOf(jobId: number, filter: object): Promise<number> {
  const query = { job_ids: jobId, size: 100, filters: [filter] }
  const list = await admin.post('/api/v2/events/list', query)
  assert.equal(list.status, 200, list.text)
  const found = await admin.post('/api/v2/events/query', query)
  assert.equal(list.body.events.length, found.body.events.length, found.text)
  return found.body.events.length
}

async function facetOf(jobId: number, path: string): Promise<Map<string, number>> {
  const { body } = await admin.post('/api/v2/events/facets', { job_ids: jobId, fields: [path] })
  return new Map(
    (body.facets[0].values as { value: unknown; count: number }[]).map((one) => [String(one.value), one.count]),
  )
}

async function fieldNames(): Promise<string[]> {
  const { body } = await admin.post('/api/v2/filters/fields', {})
  return (body as { field_name: string }[]).map(({ field_name: name }) => name)
}

const counted = (values: readonly (string | null)[], value: string | null): number =>
  values.filter((one) => one === value).length

/** Lists, queries and facets find each value of a field, and what has none. */
async function checkQueries(jobId: number, path: string, values: readonly (string | null)[]): Promise<void> {
  const facet = await facetOf(jobId, path)
  for (const value of new Set(values)) {
    if (value === null) continue
    assert.equal(await countOf(jobId, { field: path, operator: 'is', value }), counted(values, value), value)
    if (value !== '') assert.equal(facet.get(value), counted(values, value), value)
  }
  const present = values.length - counted(values, null)
  assert.equal(await countOf(jobId, { field: path, operator: 'exists' }), present)
}

/** The fields that the statistics of a sample list. They count values and buckets as a job does. */
async function sampledFields(path: string, { events }: Offered, buckets: number): Promise<string[]> {
  const query = `/api/v2/field-statistics?points=${encodeURIComponent(path)}`
  const { status, text, body } = await admin.post(query, events.map(([event]) => event).join('\n'))
  assert.equal(status, 200, text)
  const fields = body.fields as { field: string; events: number }[]
  const present = events.filter(([, value]) => value !== null && value !== '').length
  assert.equal(fields.find(({ field }) => field === path)?.events, present)
  assert.equal(body.buckets, buckets)
  return fields.map(({ field }) => field)
}

describe('every reader of paths', () => {
  for (const asPoint of [true, false])
    for (const one of offered)
      test(`finds ${one.name}${asPoint ? ', at a decision point, too' : ''}`, async () => {
        const { path, events, never = [] } = one
        const input = await makeInput(admin, {}, { points: [asPoint ? path : 'rule'] })
        const jobId = input.jobs[0]!
        await ways._bulk!(
          input,
          events.map(([text]) => text),
        )
        const values = events.map(([, value]) => value)
        await checkQueries(jobId, path, values)
        const buckets = new Set(values.map((value) => (value === '' ? null : value))).size
        if (asPoint) assert.equal(new Set(await bucketsOf(jobId)).size, buckets)
        const [names, sampled] = [await fieldNames(), await sampledFields(path, one, buckets)]
        assert.ok(names.includes(path))
        for (const name of never) assert.ok(![...names, ...sampled].includes(name), name)
      })
})

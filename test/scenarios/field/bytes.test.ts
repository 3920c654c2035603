/** Bytes over every way in (S38, S46): the same bytes are the same events, and what is odd in them is told. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { makeJob, type Answer, type Client } from '../../support/client.js'
import { makeInput, oddTypes, sendWebhook, storedEvents, warningsOf } from '../../support/inputs.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let admin: Client

before(async () => {
  service = await startService()
  admin = service.client
})
after(() => service.close())

interface Sent {
  readonly answer: Answer
  readonly jobId: number
}

type Headers = Record<string, string>

interface Way {
  readonly name: string
  /** The request around the JSON text of one event. */
  around(jobId: number, event: string): string
  send(jobId: number, key: string, body: Uint8Array, headers?: Headers): Promise<Answer>
}

const ways: readonly Way[] = [
  {
    name: 'a single POST',
    around: (jobId, event) => `{"job_id": ${jobId}, "raw_body": ${event}}`,
    send: (_jobId, key, body, headers = {}) => admin.post('/api/v1/events/', body, { key, headers }),
  },
  {
    name: 'a stream',
    around: (jobId, event) => `{"job_id": ${jobId}, "raw_body": ${event}}\n`,
    send: (_jobId, key, body, headers = {}) => admin.post('/api/v1/events/_bulk', body, { key, headers }),
  },
  {
    name: 'historic events',
    around: (_jobId, event) => `{"events": [{"raw_body": ${event}}]}`,
    send: (jobId, key, body, headers = {}) => admin.post(`/api/v1/bulk/${jobId}`, body, { key, headers }),
  },
  {
    name: 'a webhook',
    around: (_jobId, event) => event,
    send: (jobId, key, body, headers = {}) => admin.post(`/api/v1/ingest/${inputs.get(jobId)}`, body, { key, headers }),
  },
  {
    name: 'a webhook of Alertmanager',
    around: (_jobId, event) =>
      `{"alerts": [${event.replace(/}$/, ', "fingerprint": "f0", "startsAt": "2026-01-31T10:00:00Z"}')}]}`,
    send: (jobId, key, body, headers = {}) => admin.post(`/api/v1/alertmanager/${jobId}`, body, { key, headers }),
  },
]

const inputs = new Map<number, number>()

async function made(): Promise<{ readonly jobId: number; readonly key: string }> {
  const input = await makeInput(admin)
  const [jobId] = input.jobs as [number]
  inputs.set(jobId, input.id)
  return { jobId, key: input.key }
}

const event = '{"rule": "Zugriff für Müller", "user": "€uro"}'
const latin = '{"rule": "Zugriff für Müller", "user": "uro"}'
const utf16 = (text: string, mark: boolean): Buffer => Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le')

for (const way of ways) {
  describe(way.name, () => {
    const send = async (bytes: (text: string) => Uint8Array, text = event, headers: Headers = {}): Promise<Sent> => {
      const { jobId, key } = await made()
      return { answer: await way.send(jobId, key, bytes(way.around(jobId, text)), headers), jobId }
    }
    const bodiesOf = async ({ jobId }: Sent) => (await storedEvents(admin, jobId)).map(({ raw_body: body }) => body)

    for (const [name, bytes, text, headers] of [
      ['UTF-8', (each) => Buffer.from(each), event, {}],
      ['UTF-8 with a byte order mark', (each) => Buffer.from(`\ufeff${each}`), event, {}],
      ['UTF-8 in gzip', (each) => gzipSync(each), event, {}],
      ['lines that end with CR LF', (each) => Buffer.from(`${each.trim()}\r\n`), event, {}],
      ['a text that ends with NUL', (each) => Buffer.from(`${each.trim()}\0`), event, {}],
      ['UTF-16 with a byte order mark', (each) => utf16(each, true), event, {}],
      ['UTF-16 without one', (each) => utf16(each, false), event, {}],
      [
        'UTF-16, the other byte order',
        (each) => utf16(each, true).swap16(),
        event,
        { 'content-type': 'application/json' },
      ],
      [
        'UTF-16 in gzip, as its header says',
        (each) => gzipSync(utf16(each, false)),
        event,
        { 'content-type': 'application/json; charset=UTF-16LE' },
      ],
      [
        'latin1, as its header says',
        (each) => Buffer.from(each, 'latin1'),
        latin,
        { 'content-type': 'application/json; charset=ISO-8859-1' },
      ],
      [
        'windows-1252, as its header says',
        (each) => Buffer.from(each.replace('€', '\x80'), 'latin1'),
        event,
        { 'content-type': 'text/plain;charset="windows-1252"' },
      ],
      [
        'UTF-8 that a header calls ASCII',
        (each) => Buffer.from(each),
        event,
        { 'content-type': 'application/json; charset=us-ascii' },
      ],
      [
        'UTF-8 that a header spells otherwise',
        (each) => Buffer.from(each),
        event,
        { 'content-type': 'application/json; charset=UTF_8' },
      ],
    ] as [string, (text: string) => Uint8Array, string, Headers][])
      test(`takes ${name}`, async () => {
        const sent = await send(bytes, text, headers)
        assert.ok([200, 201].includes(sent.answer.status), sent.answer.text)
        const [body] = await bodiesOf(sent)
        const { rule, user } = JSON.parse(text)
        assert.deepEqual([body!.rule, body!.user], [rule, user])
        assert.deepEqual(await oddTypes(admin, sent.jobId), [])
      })

    test('takes a byte that is not UTF-8 as U+FFFD, and warns', async () => {
      const sent = await send((text) => Buffer.from(text, 'latin1'), '{"rule": "r", "user": "M\xfcller"}')
      assert.ok([200, 201].includes(sent.answer.status), sent.answer.text)
      assert.equal((await bodiesOf(sent))[0]!.user, 'M\ufffdller')
      const [warning] = await warningsOf(admin, sent.jobId, 'invalid_utf8')
      assert.equal(warning!.count, 1)
      assert.match(warning!.example!, /M\ufffdller/)
    })

    test('answers 415 with a sentence to a charset or a coding that it does not read', async () => {
      for (const [headers, expected] of [
        [{ 'content-type': 'application/json; charset=klingon' }, /the charset klingon is not known/],
        [{ 'content-type': 'application/json; charset=utf-32' }, /utf-32 is not known/],
        [{ 'content-encoding': 'br' }, /gzip/],
        [{ 'content-encoding': 'deflate' }, /gzip/],
      ] as [Headers, RegExp][]) {
        const { answer, jobId } = await send((text) => Buffer.from(text), event, headers)
        assert.equal(answer.status, 415, answer.text)
        assert.match(answer.body.error, expected)
        assert.deepEqual(await storedEvents(admin, jobId), [])
      }
    })

    test('refuses an infinity and a NaN, and stores nothing of the event', async () => {
      for (const value of ['1e999', '-1e999', 'NaN', 'Infinity']) {
        const { answer, jobId } = await send((text) => Buffer.from(text), `{"rule": "r", "deep": {"v": [1, ${value}]}}`)
        const status = way.name === 'a stream' ? JSON.parse(answer.text.split('\n')[0]!).status_code : answer.status
        assert.ok(status >= 400 && status < 500, `${value}: ${answer.text}`)
        if (value.endsWith('999')) assert.match(answer.text, /deep.v.1|1\.8e308/)
        assert.deepEqual(await storedEvents(admin, jobId), [], value)
      }
    })
  })
}

describe('documents in a webhook', () => {
  const [a, b, c] = [{ rule: 'a' }, { rule: 'b', list: [1, { x: '}' }] }, { rule: 'c' }]
  const [ta, tb, tc] = [a, b, c].map((each) => JSON.stringify(each)) as [string, string, string]

  for (const [name, body] of [
    ['one behind the other', ta + tb + tc],
    ['with a blank between', `${ta} ${tb} ${tc}`],
    ['on lines', `${ta}\n\n${tb}\r\n${tc}`],
    ['on lines of CR', `${ta}\r${tb}\r${tc}\r`],
    ['with NUL between', `${ta}\0${tb}\0${tc}\0`],
    ['pretty-printed', [a, b, c].map((each) => JSON.stringify(each, null, 2)).join('\n')],
    ['in a list', JSON.stringify([a, b, c])],
    ['in lists in a list', JSON.stringify([[a, b], [c]])],
    ['in a form', `payload=${encodeURIComponent(JSON.stringify([a, b, c]))}`],
  ] as const)
    test(`are all taken ${name}`, async () => {
      const input = await makeInput(admin)
      const answer = await sendWebhook(admin, input, body)
      assert.deepEqual([answer.status, answer.body.events, answer.body.new], [200, 3, 3], answer.text)
      assert.deepEqual(
        (await storedEvents(admin, input.jobs[0]!)).map(({ raw_body: raw }) => raw),
        [a, b, c],
      )
    })

  test('keep the digits of their numbers', async () => {
    const input = await makeInput(admin, { webhook_event_id: 'n' })
    const body = '[{"rule":"a","n":9007199254740992},{"rule":"a","n":9007199254740993},{"rule":"a","n":1.0}]'
    const answer = await sendWebhook(admin, input, body)
    assert.deepEqual(answer.body.event_ids, ['9007199254740992', '9007199254740993', '1.0'])
  })

  test('have ids by their bytes, also where these are not UTF-8', async () => {
    const input = await makeInput(admin, { webhook_event_id: 'user' })
    const body = Buffer.from('{"user":"M\xfcller"}\n{"user":"M\xf6ller"}\n{"user":"ann"}', 'latin1')
    const first = await sendWebhook(admin, input, body)
    assert.equal(first.body.new, 3, first.text)
    assert.equal(new Set(first.body.event_ids).size, 3)
    const again = await sendWebhook(admin, input, body)
    assert.deepEqual([again.body.event_ids, again.body.same], [first.body.event_ids, 3])
  })

  test('are refused by their place if they are broken, beside the others', async () => {
    const input = await makeInput(admin)
    const answer = await sendWebhook(admin, input, `${ta}\n{"rule": 1e999}\n${tb}\n{"rule": "x\n${tc}\noops`)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual([answer.body.events, answer.body.refused_count], [3, 3])
    assert.deepEqual(
      answer.body.refused.map(({ loc, msg }: { loc: string[]; msg: string }) => [loc, msg]),
      [
        [['body', '1'], 'line 2: there is a number beyond 1.8e308, the largest of 64 bits at `rule`'],
        [['body', '3'], 'line 4: a text has no end in its line (character 10)'],
        [['body', '5'], 'line 6: it is not JSON'],
      ],
    )
    const [warning] = await warningsOf(admin, input.jobs[0]!, 'refused_part')
    assert.deepEqual([warning!.count, warning!.example], [3, '{"rule": 1e999}'])
    assert.match(warning!.msg, /^3 parts of requests from `integration sender/)
  })

  test('are 400 with the place if nothing can be read', async () => {
    const input = await makeInput(admin)
    const answer = await sendWebhook(admin, input, '{"v": 1e999}')
    assert.equal(answer.status, 400)
    assert.match(answer.body.error, /Line 1: there is a number beyond 1.8e308, the largest of 64 bits at `v`/)
    assert.deepEqual(await storedEvents(admin, input.jobs[0]!), [])
  })
})

test('lines of a stream end with LF, CR LF, NUL, or CR alone', async () => {
  for (const end of ['\n', '\r\n', '\0', '\r', '\r\r\n']) {
    const { jobId, key } = await makeJob(admin)
    const line = (n: number): string => JSON.stringify({ job_id: jobId, event_id: `e${n}`, raw_body: { rule: 'r' } })
    const results = await admin.withKey(key).bulk([1, 2, 3].map(line).join(end) + end)
    assert.deepEqual(
      results.map(({ event_id: id }) => id),
      ['e1', 'e2', 'e3'],
      JSON.stringify(end),
    )
  }
})

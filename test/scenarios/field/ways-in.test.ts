/**
 * One table of events for every way in: numbers as they were written (S31), odd items beside good ones (S36), keys that
 * are given twice, and numbers that no double is near to (S46).
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually, type Client } from '../../support/client.js'
import { makeInput, oddTypes, sendWebhook, warningsOf, type Input } from '../../support/inputs.js'
import { sendRecords } from '../../support/servers/kafka-records.js'
import { KafkaServer } from '../../support/servers/kafka-server.js'
import { NatsServer } from '../../support/servers/nats-server.js'
import { FURTHER } from '../../support/servers/receiver.js'
import { SearchServer } from '../../support/servers/search-server.js'
import { SplunkServer } from '../../support/servers/splunk-server.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let admin: Client
let kafka: KafkaServer
let nats: NatsServer
let search: SearchServer
let splunk: SplunkServer

before(async () => {
  ;[kafka, nats, search, splunk] = await Promise.all([
    KafkaServer.open(),
    NatsServer.open(),
    SearchServer.open(),
    SplunkServer.open(),
  ])
  service = await startService({ privateHosts: ['127.0.0.1'] })
  admin = service.client
})
after(async () => {
  await service.close()
  await Promise.all([kafka, nats, search, splunk].map((one) => one.close()))
})

/** What came of events: the job that has those that were stored, and what was said of the others. */
interface Sent {
  readonly jobId: number
  readonly refused: string
}

/** Sends the JSON texts of objects as events to a job of its own. */
type Way = (texts: readonly string[]) => Promise<Sent>

async function toInput(send: (input: Input, jobId: number) => Promise<string>): Promise<Sent> {
  const input = await makeInput(admin)
  const [jobId] = input.jobs as [number]
  return { jobId, refused: await send(input, jobId) }
}

let inputs = 0

/** A job that reads from a counterpart, once it has read so many events. */
async function fromCounterpart(count: number, kind: string, connection: object, parameters: object): Promise<Sent> {
  const number = ++inputs
  const answer = await admin.post('/api/v2/resources', {
    source: {
      type: 'integration',
      properties: { title: `${kind} ${number}`, integration_type: kind, parameters: connection },
    },
    job: {
      type: 'job',
      properties: {
        title: `Job ${number}`,
        decision_points: ['rule'],
        pipeline_integrations: [{ resource: 'source', integration_type: 'input', parameters }],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  const jobId = answer.body.created.find((one: { type: string }) => one.type === 'job').internal_id
  const input = async (): Promise<Record<string, any>> =>
    (await admin.get('/api/v2/integrations/inputs')).body.find((one: { job_id: number }) => one.job_id === jobId)
  const { reason } = await eventually(input, (one) => one.taken_count + one.refused_count === count)
  return { jobId, refused: reason }
}

const ways: Readonly<Record<string, Way>> = {
  'single events': (texts) =>
    toInput(async ({ key }, jobId) => {
      const said: string[] = []
      for (const text of texts) {
        const answer = await admin.post('/api/v1/events/', `{"job_id":${jobId},"raw_body":${text}}`, { key })
        if (answer.status !== 201) said.push(`${answer.status} ${answer.text}`)
      }
      return said.join('\n')
    }),
  _bulk: (texts) =>
    toInput(async ({ key }, jobId) => {
      const lines = texts.map((text) => `{"job_id":${jobId},"raw_body":${text}}`)
      const answers = await admin.withKey(key).bulk(lines.join('\n'))
      return answers.map(({ error }: { error?: string }) => error ?? '').join('\n')
    }),
  'a webhook of documents': (texts) =>
    toInput(async (input) => {
      const { body } = await sendWebhook(admin, input, texts.join('\n'))
      return JSON.stringify(body.refused ?? '')
    }),
  'a webhook of a list': (texts) =>
    toInput(async (input) => {
      const { body } = await sendWebhook(admin, input, `[${texts.join(',')}]`)
      return JSON.stringify(body.refused ?? '')
    }),
  async 'records of Kafka'(texts) {
    const topic = `t${++inputs}`
    kafka.make(topic, 1)
    await sendRecords(
      kafka,
      topic,
      texts.map((value) => ({ value })),
    )
    return fromKafka(texts.length, topic)
  },
  async 'a record of Kafka'(texts) {
    const topic = `t${++inputs}`
    kafka.make(topic, 1)
    await sendRecords(kafka, topic, [{ value: texts.join('') }])
    return fromKafka(texts.length, topic)
  },
  async 'messages of NATS'(texts) {
    const subject = `s${++inputs}`
    for (const text of texts) nats.store(subject, Buffer.from(text))
    return fromNats(texts.length, subject)
  },
  async 'a message of NATS'(texts) {
    const subject = `s${++inputs}`
    nats.store(subject, Buffer.from(`[${texts.join(',')}]`))
    return fromNats(texts.length, subject)
  },
  async 'a search engine'(texts) {
    const index = `i${++inputs}`
    for (const [at, text] of texts.entries())
      search.put(index, `d${at}`, {
        '@timestamp': new Date(Date.now() - 60_000 + at).toISOString(),
        [FURTHER]: text.slice(1, -1),
      })
    return fromCounterpart(texts.length, 'search engine', search.connection, {
      index_pattern: index,
      preserve_id: true,
    })
  },
  async Splunk(texts) {
    const index = `i${++inputs}`
    const now = Math.floor(Date.now() / 1_000)
    for (const text of texts) splunk.index(now - 60, { index, [FURTHER]: text.slice(1, -1) })
    const { url, token } = splunk.connection
    const start = new Date((now - 100) * 1_000).toISOString()
    return fromCounterpart(texts.length, 'Splunk', { url, token }, { search: `index=${index}`, start_time: start })
  },
}

function fromKafka(count: number, topics: string): Promise<Sent> {
  return fromCounterpart(count, 'Kafka', { servers: `127.0.0.1:${kafka.port}`, protocol: 'plain' }, { topics })
}

function fromNats(count: number, subjects: string): Promise<Sent> {
  const connection = { servers: nats.address, protocol: 'plain' }
  return fromCounterpart(count, 'nats jetstream', connection, { stream: 's', consumer: subjects, subjects })
}

interface Case {
  readonly name: string
  readonly texts: readonly string[]
  /** Places of those that are refused, and what is said of each. */
  readonly refused?: readonly number[]
  readonly says?: readonly RegExp[]
  /** What the job warns of: type, count, example. */
  readonly warns?: readonly [type: string, count: number, example: string, place: RegExp]
}

const good = ['{"rule":"first"}', '{"rule":"last"}'] as const
const between = (text: string): string[] => [good[0], text, good[1]]

const cases: readonly Case[] = [
  ...['1e999', '-1e999', `1${'0'.repeat(400)}`, '-2.5E+310'].map((numeral) => ({
    name: `a number beyond the largest double: ${numeral.slice(0, 9)}`,
    texts: between(`{"a":{"v":[0,${numeral}]}}`),
    refused: [1],
    says: [/1\.8e308/, /v\W+1\b/],
  })),
  {
    name: 'a number at the end of what a double holds',
    texts: between('{"max":1.7976931348623157e308,"min":5e-324,"less":1e-999}'),
  },
  {
    name: 'numbers that a double does not write back',
    texts: between('{"id":9007199254740993,"a":1.0,"b":1e3,"c":[0.10,-0],"d":{"e":12345678901234567890.5},"f":0.5}'),
  },
  {
    name: 'an event that is nested too deep',
    texts: between(`{"a":${'['.repeat(70)}1${']'.repeat(70)}}`),
    refused: [1],
    says: [/deep|levels/],
  },
  {
    name: 'a key that is given twice',
    texts: [good[0], '{"rule":"x","a":{"b":1,"b":"two"}}'],
    warns: ['repeated_key', 1, '1, "two"', /`a\.b`/],
  },
  { name: 'a key that is given twice with one value', texts: [good[0], '{"rule":"x","a":{"b":1,"b":1}}'] },
]

for (const [way, send] of Object.entries(ways))
  describe(`${way} with`, () => {
    for (const { name, texts, refused = [], says = [], warns } of cases)
      test(name, async () => {
        const { jobId, refused: said } = await send(texts)
        const stored = texts.length - refused.length
        assert.equal((await admin.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count, stored)
        const { text } = await admin.get(`/api/v2/jobs/${jobId}/events-file?format=ndjson&raw_body=true`)
        for (const [at, one] of texts.entries()) {
          const isKept = !refused.includes(at) && warns === undefined && !/"b":1,"b":1/.test(one)
          if (isKept) assert.ok(text.includes(one.slice(1, -1)), `${one}: ${text}`)
        }
        for (const wanted of says) assert.match(said, wanted)
        const types = await oddTypes(admin, jobId)
        if (warns === undefined) return assert.ok(!types.includes('repeated_key'), types.join())
        const [type, count, example, place] = warns
        const [warning] = await warningsOf(admin, jobId, type)
        assert.deepEqual([warning!.count, warning!.example], [count, example])
        assert.match(warning!.msg, place)
        assert.ok(text.includes('"a":{"b":"two"}'), text)
      })
  })

test('headers of Kafka that are bytes are ids, whatever the bytes are', async () => {
  const topic = `t${++inputs}`
  kafka.make(topic, 1)
  // Of these no two are the same text: most are not UTF-8 and would be one text of U+FFFD.
  const ids = [0x80, 0x90, 0xa0, 0xff].map((first) => Buffer.from(Array.from({ length: 16 }, (_, at) => first ^ at)))
  const records = [...ids, ...ids].map((id) => ({ value: '{"rule":"x"}', headers: { id, other: Buffer.from([0xff]) } }))
  await sendRecords(kafka, topic, records)
  const connection = { servers: `127.0.0.1:${kafka.port}`, protocol: 'plain' }
  const { jobId } = await fromCounterpart(ids.length, 'Kafka', connection, { topics: topic, id_header: 'id' })
  const { body } = await admin.post('/api/v2/events/query', { job_ids: jobId, size: 100 })
  const stored: string[] = body.events.map(({ event_id: id }: { event_id: string }) => id)
  assert.deepEqual([stored.length, new Set(stored).size], [ids.length, ids.length])
  for (const id of stored) assert.doesNotMatch(id, /\ufffd/)
})

interface OddMessage {
  readonly name: string
  readonly bytes: Buffer
  /** Events of it that are stored. */
  readonly stored: number
  /** What is said of it, if it is refused. */
  readonly says?: RegExp
  /** A warning of the job. */
  readonly warns?: string
}

const odd: readonly OddMessage[] = [
  { name: 'without any byte', bytes: Buffer.alloc(0), stored: 0, says: /it is not JSON/ },
  { name: 'of blanks', bytes: Buffer.from(' \r\n\0'), stored: 0, says: /it is not JSON/ },
  { name: 'of text', bytes: Buffer.from('plain text'), stored: 0, says: /it is not JSON/ },
  { name: 'that is cut off', bytes: Buffer.from('{"rule":"x","a":['), stored: 0, says: /no end|not JSON/ },
  {
    name: 'with bytes that are not UTF-8',
    bytes: Buffer.from('{"rule":"M\xfcller"}', 'latin1'),
    stored: 1,
    warns: 'invalid_utf8',
  },
  {
    name: 'with bytes that are not UTF-8 in one of its events',
    bytes: Buffer.from('[{"rule":"a"},{"rule":"M\xfcller"}]', 'latin1'),
    stored: 2,
    warns: 'invalid_utf8',
  },
  { name: 'of 20 MB', bytes: Buffer.from(`{"rule":"${'x'.repeat(20e6)}"}`), stored: 0, says: /more than \d+ bytes/ },
  {
    name: 'of 200,000 levels',
    bytes: Buffer.from(`{"rule":${'['.repeat(2e5)}${']'.repeat(2e5)}}`),
    stored: 0,
    says: /deep|levels/,
  },
  {
    name: 'of 100,000 names',
    bytes: Buffer.from(`{${Array.from({ length: 1e5 }, (_, at) => `"n${at}":1`)}}`),
    stored: 0,
    says: /names|values|fields/,
  },
]

/** Brokers, by how a message and one after it are sent and read. */
const brokers: Readonly<Record<string, (messages: readonly Buffer[], count: number) => Promise<Sent>>> = {
  async Kafka(messages, count) {
    const topic = `t${++inputs}`
    kafka.make(topic, 1)
    for (const value of messages) await sendRecords(kafka, topic, [{ value }])
    return fromKafka(count, topic)
  },
  async NATS(messages, count) {
    const subject = `s${++inputs}`
    for (const bytes of messages) nats.store(subject, bytes)
    return fromNats(count, subject)
  },
}

for (const [broker, send] of Object.entries(brokers))
  describe(`a message of ${broker}`, () => {
    for (const { name, bytes, stored, says, warns } of odd)
      test(`${name} does not keep the next one away`, async () => {
        const count = stored + (says === undefined ? 0 : 1)
        const first = await send([bytes], count)
        if (says !== undefined) assert.match(first.refused, says)
        const { jobId } = await send([bytes, Buffer.from(good[1])], count + 1)
        assert.equal((await admin.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count, stored + 1)
        if (warns !== undefined) assert.equal((await warningsOf(admin, jobId, warns))[0]!.count, 1)
      })
  })

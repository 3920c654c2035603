import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  envelopeFor,
  envelopeOf as envelopeOfLine,
  type EnvelopeOptions,
} from '../../../../server/cli/input/envelopes.js'

function envelopeOf(text: string, number: number, how: EnvelopeOptions): string | null {
  const input = Buffer.from(text)
  const envelope = envelopeOfLine(input, [0, input.length], number, how)
  if (envelope === null || typeof envelope === 'string') return envelope
  const { before, start, end, after } = envelope
  return `${before}${input.toString('utf8', start, end)}${after}`
}

const options = { jobId: 7, idField: undefined, run: 'run-1' }

test('an event becomes a line with its job, and an id of the run', () => {
  assert.equal(envelopeOf('{"a":1}', 3, options), '{"job_id":7,"event_id":"run-1-3","raw_body":{"a":1}}')
  assert.equal(envelopeFor({ a: 1 }, 4, options), '{"job_id":7,"event_id":"run-1-4","raw_body":{"a":1}}')
})

test('a line that is no JSON object is not sent: it could reach into the fields beside it', () => {
  for (const line of ['{},"job_id":1,"raw_body":{}', '{"a":1', '[1]', 'null', '"x"', '{}}']) {
    assert.equal(envelopeOf(line, 1, options), null, line)
    assert.equal(envelopeOf(line, 1, { ...options, jobId: undefined }), null, line)
  }
})

test('the id comes from a field, by its path or by a name with dots', () => {
  const by = { ...options, idField: 'alert.id' }
  const idOf = (line: string): unknown => JSON.parse(envelopeOf(line, 1, by)!).event_id
  assert.equal(idOf('{"alert":{"id":"x"}}'), 'x')
  assert.equal(idOf('{"alert.id":5}'), '5')
  for (const line of ['{"alert":{"id":""}}', '{"alert":{}}', '{"alert":null}', '{"alert":{"id":{}}}'])
    assert.throws(() => idOf(line), { name: 'UsageError', message: 'line 1 has no id at alert.id' })
})

test('without a job, lines are as the API takes them, and get an id where they have none', () => {
  const own = { ...options, jobId: undefined }
  const line = '{"job_id":1,"event_id":"mine","raw_body":{}}'
  assert.equal(envelopeOf(line, 9, own), line)
  const made = (text: string): unknown => JSON.parse(envelopeOf(text, 9, own)!)
  const withId = { job_id: 1, raw_body: {}, event_id: 'run-1-9' }
  assert.deepEqual(made('{"job_id":1,"raw_body":{}}'), withId)
  assert.deepEqual(made('{"job_id":1,"raw_body":{},"event_id":null}'), withId)
  assert.deepEqual(made('{ }'), { event_id: 'run-1-9' })
  const inner = '{"job_id":1,"raw_body":{"event_id":"mine","x":"event_id"}}'
  assert.equal((made(inner) as { event_id: string }).event_id, 'run-1-9')
  const escaped = '{"job_id":1,"raw_body":{},"event\\u005fid":"mine"}'
  assert.equal(envelopeOf(escaped, 9, own), escaped)
})

test('an id with letters of any script is sent as ASCII', () => {
  const sent = envelopeOf('{"id":"zwölf 🙂"}', 1, { ...options, idField: 'id' })!
  assert.match(sent, /"event_id":"zw\\u00f6lf \\ud83d\\ude42"/)
  assert.equal(JSON.parse(sent).event_id, 'zwölf 🙂')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  envelopeFor,
  envelopeOf as envelopeOfLine,
  type EnvelopeOptions,
} from '../../../../server/cli/input/envelopes.js'
import { isOneObject } from '../../../../server/cli/input/one-object.js'

function envelopeOf(text: string, number: number, how: EnvelopeOptions): string | null {
  const bytes = Buffer.from(text)
  return envelopeOfLine({ text, isObject: isOneObject(bytes, 0, bytes.length) }, number, how)
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
  const by = { ...options, idField: ['alert', 'id'] }
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
  assert.equal(envelopeOf('{"job_id":1,"raw_body":{}}', 9, own), '{"job_id":1,"raw_body":{},"event_id":"run-1-9"}')
})

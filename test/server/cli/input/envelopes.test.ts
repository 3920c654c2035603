import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOfFile } from '../../../../engine/domain/event/input/event-file.js'
import { envelopeOf as envelopeOfEvent, type EnvelopeOptions } from '../../../../server/cli/input/envelopes.js'

function envelopeOf(text: string, number: number, how: EnvelopeOptions): string {
  const [event] = eventsOfFile(Buffer.from(text), 10, { areLines: how.jobId === undefined }).events
  const envelope = envelopeOfEvent({ ...event!, number }, how)
  if (typeof envelope === 'string') return envelope
  const { bytes, before, start, end, after } = envelope
  return `${before}${Buffer.from(bytes.subarray(start, end)).toString()}${after}`
}

const options = { jobId: 7, idField: undefined, run: 'run-1' }

test('an event becomes a line with its job, and an id of the run', () => {
  assert.equal(envelopeOf('{"a":1}', 3, options), '{"job_id":7,"event_id":"run-1-3","raw_body":{"a":1}}')
})

test('what an event is in is taken away, and its id is kept', () => {
  const listed = '"ingest_timestamp":"2026-01-01T00:00:00Z","@timestamp":"2026-01-01T00:00:00Z"'
  for (const [given, sent] of [
    ['{"job_id":1,"event_id":"x","title":"T","raw_body":{"a":1}}', '"event_id":"x","title":"T","raw_body":{"a":1}}'],
    ['{"raw_body":{"a":9007199254740993}}', '"event_id":"run-1-1","raw_body":{"a":9007199254740993}}'],
    [`{"event_id":"x",${listed},"raw_body":{"a":1},"decision_points":{}}`, '"event_id":"x","raw_body":{"a":1}}'],
    ['["a",1]', '"event_id":"run-1-1","raw_body":{"message":"a"}}'],
  ] as const)
    assert.equal(envelopeOf(given, 1, options), `{"job_id":7,${sent}`)
})

test('without a job, what says none is refused', () => {
  for (const line of ['[7]', '{"events":[{"a":1}]}'])
    assert.throws(() => envelopeOf(line, 1, { ...options, jobId: undefined }), { name: 'RefusedLine' })
})

test('the id comes from a field, by its path or by a name with dots', () => {
  const by = { ...options, idField: 'alert.id' }
  const idOf = (line: string): unknown => JSON.parse(envelopeOf(line, 1, by)!).event_id
  assert.equal(idOf('{"alert":{"id":"x"}}'), 'x')
  assert.equal(idOf('{"alert.id":5}'), '5')
  for (const line of ['{"alert":{"id":""}}', '{"alert":{}}', '{"alert":null}', '{"alert":{"id":{}}}'])
    assert.throws(() => idOf(line), { name: 'RefusedLine', message: 'it has no id at alert.id' })
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

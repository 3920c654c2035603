import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import { eventsIn, readFile } from '../../../../../server/console/pages/new-job/read-events.js'

const events = [{ rule: 'a', n: 1 }, { rule: 'b' }]

test('events are found in JSON, lines of JSON and answers of search engines', () => {
  assert.deepEqual(eventsIn(JSON.stringify(events)), events)
  assert.deepEqual(eventsIn(`\uFEFF${JSON.stringify(events[0])}\n\nno event\n${JSON.stringify(events[1])}\n`), events)
  assert.deepEqual(eventsIn(JSON.stringify({ alerts: events })), events)
  assert.deepEqual(eventsIn(JSON.stringify({ hits: { hits: events.map((_source) => ({ _source })) } })), events)
  assert.deepEqual(eventsIn(JSON.stringify({ job_id: 7, raw_body: events[0] })), [events[0]])
})

test('CSV has quoted cells, other delimiters, numbers and empty cells', () => {
  const text = 'rule;n;note\r\n"a; b";1;"he said ""no"""\r\n\r\nc;;true\r\n'
  assert.deepEqual(eventsIn(text), [
    { rule: 'a; b', n: 1, note: 'he said "no"' },
    { rule: 'c', note: true },
  ])
})

test('what has no events is refused', () => {
  for (const text of ['', '[]', '[1, 2]', 'only names']) assert.throws(() => eventsIn(text), /no_events/)
})

test('a file may be gzip', async () => {
  const lines = events.map((event) => JSON.stringify(event)).join('\n')
  assert.deepEqual(await readFile(new Blob([gzipSync(lines)])), events)
  assert.deepEqual(await readFile(new Blob([lines])), events)
})

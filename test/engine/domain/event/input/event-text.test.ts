import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CsvError, CsvReader, separatorOf } from '../../../../../engine/domain/event/input/csv.js'
import { eventsOfText } from '../../../../../engine/domain/event/input/event-text.js'
import { csvCases, csvOfOneNameTwice, plain } from '../../../../support/csv-cases.js'

const events = [{ rule: 'a', n: 1 }, { rule: 'b' }]

for (const { name, text, events: expected, bad = 0 } of csvCases)
  test(`CSV of a sample: ${name}`, () => {
    const found = eventsOfText(text, 100)
    assert.deepEqual([found.format, found.skipped, found.isCut], ['csv', bad, false])
    assert.deepEqual(plain(found.events), plain(expected))
    assert.equal(({} as { x?: unknown }).x, undefined)
  })

test('two columns of one name are a fault of the whole text', () => {
  assert.throws(
    () => eventsOfText(csvOfOneNameTwice, 100),
    (error: unknown) => error instanceof CsvError && error.problem === 'same_name' && error.what === 'rule',
  )
})

test('the separator is the one that the header has most of', () => {
  assert.equal(separatorOf('a,b,c'), ',')
  assert.equal(separatorOf('a;"b,c,d,e";f'), ';')
  assert.equal(separatorOf('a\tb\tc,d'), '\t')
  assert.equal(separatorOf('a|b|c,d'), '|')
  assert.equal(separatorOf('alone'), ',')
})

test('a quote that nobody closes ends after a bound, and what follows is read', () => {
  const reader = new CsvReader()
  reader.take('a,b')
  assert.equal(reader.take('"open'), null)
  const line = 'x'.repeat(1 << 20)
  assert.throws(() => {
    for (let n = 0; n < 9; n++) reader.take(line)
  }, /a quote before line \d+ is not closed/)
  assert.deepEqual({ ...reader.take('1,2') }, { a: 1, b: 2 })
})

test('a text of many lines in one open quote takes no longer than its length', () => {
  const text = `a,b\n"${'x,y\n'.repeat(400_000)}`
  const { events: found, skipped } = eventsOfText(text, 10)
  assert.deepEqual([found.length, skipped], [0, 1])
})

test('events are found in JSON, lines of JSON and answers of search engines, up to a bound', () => {
  const lines = `\uFEFF${JSON.stringify(events[0])}\n\nno event\n7\n${JSON.stringify(events[1])}\n`
  assert.deepEqual(eventsOfText(lines, 10), { format: 'ndjson', events, skipped: 2, isCut: false })
  assert.deepEqual(eventsOfText(JSON.stringify([...events, 1]), 10), {
    format: 'json',
    events,
    skipped: 1,
    isCut: false,
  })
  assert.deepEqual(
    eventsOfText(JSON.stringify({ hits: { hits: events.map((_source) => ({ _source })) } }), 10).events,
    [...events],
  )
  assert.deepEqual(eventsOfText(JSON.stringify({ job_id: 7, raw_body: events[0] }), 10).events, [events[0]])
  assert.deepEqual(eventsOfText(JSON.stringify(events), 1), {
    format: 'json',
    events: [events[0]],
    skipped: 0,
    isCut: true,
  })
})

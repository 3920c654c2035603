import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import { eventsIn, readFile, sampleOf, type ReadText } from '../../../../../server/console/pages/new-job/read-events.js'
import { csvCases, plain } from '../../../../support/csv-cases.js'

const events = [{ rule: 'a', n: 1 }, { rule: 'b' }]
function bodiesOf(found: ReadText): unknown[] {
  return plain(found.events)
}

const lines = events.map((event) => JSON.stringify(event)).join('\n')

for (const { name, text, events: expected, bad = [] } of csvCases)
  test(`CSV in the console: ${name}`, async () => {
    const found = await readFile(new Blob([text]))
    assert.deepEqual(
      found.faults.map(({ line }) => line),
      bad,
    )
    assert.deepEqual(bodiesOf(found), plain(expected))
  })

test('what has no events is refused', () => {
  for (const text of ['', '[]', 'only names']) assert.throws(() => eventsIn(text), /no_events/)
  for (const text of ['{"cut off": ', '[{"b"', '  [']) assert.throws(() => eventsIn(text), /bad_json/)
})

test('a file may be gzip', async () => {
  for (const file of [gzipSync(lines), lines]) assert.deepEqual(bodiesOf(await readFile(new Blob([file]))), events)
})

test('a file that is no text, or damaged, is told in its own words', async () => {
  const zipped = gzipSync(lines)
  const bad: [Uint8Array | string, string][] = [
    [zipped.subarray(0, zipped.length - 9), 'bad_gzip'],
    [Buffer.concat([zipped.subarray(0, 12), Buffer.from('nonsense')]), 'bad_gzip'],
    [Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0xff, 0xfe]), 'no_text'],
    [gzipSync(Buffer.alloc(65 * 1024 * 1024, 'a\n')), 'too_large'],
  ]
  for (const [bytes, problem] of bad) await assert.rejects(readFile(new Blob([bytes as string])), { problem })
})

test('a sample is taken from all of the events, in their order, and not too large', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => ({ n }))
  const sample = sampleOf(many) as { n: number }[]
  assert.deepEqual([sample.length, sample[0]?.n, sample[1]?.n, sample.at(-1)?.n], [2_000, 0, 5, 9_995])
  const large = Array.from({ length: 3_000 }, (_, n) => ({ n, text: 'x'.repeat(10_000) }))
  assert.ok(JSON.stringify(sampleOf(large)).length < 8 * 1024 * 1024)
  assert.deepEqual(sampleOf(events), events)
})

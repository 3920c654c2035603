import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CsvOptions } from '../../../../engine/domain/event/input/csv.js'
import { csvEvents } from '../../../../server/cli/input/csv.js'
import { blocksOf, textsOf } from '../../../../server/cli/input/lines.js'
import { csvCases, csvOfOneNameTwice, plain } from '../../../support/csv-cases.js'

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function eventsOf(text: string, options: CsvOptions = {}, size = 3): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const event of csvEvents(textsOf(blocksOf(pieces(text, size))), options)) events.push(event)
  return plain(events)
}

for (const { name, text, events, says } of csvCases)
  test(`CSV on the command line: ${name}`, async () => {
    if (says !== undefined) return assert.rejects(eventsOf(text), { name: 'UsageError', message: says })
    for (let size = 1; size <= text.length; size++)
      assert.deepEqual(await eventsOf(text, {}, size), plain(events), `pieces of ${size}`)
  })

test('two columns of one name are refused in a sentence', async () => {
  const message = /CSV: two columns are named rule/
  await assert.rejects(eventsOf(csvOfOneNameTwice), { name: 'UsageError', message })
})

test('values stay text where that is asked for, and the separator may be named', async () => {
  assert.deepEqual(await eventsOf('v\n1', { isText: true }), [{ v: '1' }])
  assert.deepEqual(await eventsOf('a,b:c\n1,2:3', { separator: ':' }), [{ 'a,b': '1,2', c: 3 }])
})

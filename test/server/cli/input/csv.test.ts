import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvEvents, separatorOf, type CsvOptions } from '../../../../server/cli/input/csv.js'
import { blocksOf, textsOf } from '../../../../server/cli/input/lines.js'

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function eventsOf(text: string, options: CsvOptions = {}, size = 3): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const event of csvEvents(textsOf(blocksOf(pieces(text, size))), options))
    events.push(JSON.parse(JSON.stringify(event)))
  return events
}

test('the header names fields, dots make paths, and empty cells are no fields', async () => {
  assert.deepEqual(await eventsOf('rule.id,host.name,note\r\n4625,web-1,\r\n\r\n,"",x\r\n'), [
    { rule: { id: 4625 }, host: { name: 'web-1' } },
    { note: 'x' },
  ])
})

test('quoted fields hold separators, quotes and line breaks, wherever the pieces end', async () => {
  const text = 'a;b\n"x;""y""\nz";"w"\n"";last'
  for (let size = 1; size <= text.length; size++)
    assert.deepEqual(await eventsOf(text, {}, size), [{ a: 'x;"y"\nz', b: 'w' }, { b: 'last' }], `pieces of ${size}`)
})

test('numbers as JSON writes them are numbers, others stay text', async () => {
  const text = 'v\n1\n-2.5\n007\n1.10\n1e5\n 3\ntrue\n12345678901234567890\nNaN'
  const values = (await eventsOf(text)).map((event) => (event as { v: unknown }).v)
  assert.deepEqual(values, [1, -2.5, '007', '1.10', '1e5', ' 3', true, '12345678901234567890', 'NaN'])
  assert.deepEqual(await eventsOf('v\n1', { isText: true }), [{ v: '1' }])
})

test('the separator is the one that the header has most of', () => {
  assert.equal(separatorOf('a,b,c'), ',')
  assert.equal(separatorOf('a;"b,c,d,e";f'), ';')
  assert.equal(separatorOf('a\tb\tc,d'), '\t')
  assert.equal(separatorOf('alone'), ',')
})

test('what cannot be read is said in a sentence', async () => {
  for (const [text, words] of [
    ['a,b\n1,2,3', /record 2 has 3 fields, the header has 2/],
    ['a,a\n1,2', /two columns are named a/],
    ['a,a.b\n1,2', /a cannot be a column and hold a\.b/],
    ['a,\n1,2', /column 2 has no name/],
    ['a..b\n1', /column 1 has no name/],
    ['a\n"1', /a quote is not closed/],
  ] as const)
    await assert.rejects(eventsOf(text), { name: 'UsageError', message: words }, text)
})

test('a column may have the name of what every object has', async () => {
  const [event] = await eventsOf('__proto__.x,constructor\n1,2')
  assert.equal(JSON.stringify(event), '{"__proto__":{"x":1},"constructor":2}')
  assert.equal(({} as { x?: unknown }).x, undefined)
})

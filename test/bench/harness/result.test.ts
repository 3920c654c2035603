import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alternate, median, rated } from '../../../bench/harness/result.js'
import { figure, rowsText } from '../../../bench/harness/table.js'

test('the median is the middle value, or the mean of the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 2, 3]), 2.5)
  assert.ok(Number.isNaN(median([])))
})

test('things are run in turn, and their results stay apart', async () => {
  const order: string[] = []
  const step = (name: string) => async (): Promise<string> => {
    order.push(name)
    return `${name}${order.length}`
  }
  const [a, b] = await alternate(2, [step('a'), step('b')])
  assert.deepEqual(order, ['a', 'b', 'a', 'b'])
  assert.deepEqual(
    [a, b],
    [
      ['a1', 'a3'],
      ['b2', 'b4'],
    ],
  )
})

test('rates are medians over rounds', () => {
  const rounds = [10, 30, 20].map((count) => ({ count, seconds: 2, p50Micros: count * 100, p99Micros: count * 1000 }))
  const result = rated(rounds, (i) => rounds[i]?.count ?? 0)
  assert.deepEqual(result, { perSecond: 10, p50Ms: 2, p99Ms: 20 })
})

test('a table shows which bars were met, which were not, and the notes', () => {
  const text = rowsText([
    { what: 'one', ours: 123_456, unit: '/s', ratio: 0.512, bar: 'at least 0.5', met: true, note: 'a remark' },
    { what: 'two', ours: 1.5, unit: 'ms', bar: 'under 1', met: false },
    { what: 'three', ours: null, unit: '', bar: 'any', met: null },
  ])
  assert.match(text, /one \[1\] +123,456 \/s +0\.51 +at least 0\.5 +met$/m)
  assert.match(text, /two +1\.50 ms +under 1 +NOT MET$/m)
  assert.match(text, /three +–/)
  assert.match(text, /\[1\] a remark$/)
})

test('figures have two or three significant digits', () => {
  const values = [1234.5, 123.45, 12.345, 1.2345, 0.0031415, 0, Number.NaN]
  assert.deepEqual(values.map(figure), ['1,235', '123', '12.3', '1.23', '0.0031', '0.00', '–'])
})

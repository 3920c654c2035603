import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BucketValues } from '../../../../engine/services/lists/bucket-values.js'

test('equal values of a field have one number, whatever the bucket; other types have another', () => {
  const values = new BucketValues()
  assert.equal(values.numberOf('rule', 3), 0)
  const number = values.note('rule', 3, ['a'])
  assert.equal(values.note('rule', 90_000, ['a']), number)
  assert.deepEqual([values.numberOf('rule', 3), values.numberOf('rule', 90_000)], [number, number])
  assert.notEqual(values.note('rule', 4, [1]), values.note('rule', 5, ['1']))
  assert.notEqual(values.note('rule', 6, []), number)
  assert.equal(values.numberOf('host', 3), 0)
})

test('what is not remembered has no number', () => {
  const values = new BucketValues()
  assert.equal(values.note('rule', 1, null), 0)
  assert.equal(values.note('rule', 1 << 21, ['a']), 0)
  for (let n = 0; n < 40; n++) values.note(`field ${n}`, 1, ['a'])
  assert.equal(values.numberOf('field 0', 1), 0)
})

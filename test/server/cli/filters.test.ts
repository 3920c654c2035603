import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterOf } from '../../../server/cli/filters.js'

test('filters are typed as field, sign and value', () => {
  for (const [text, field, operator, value] of [
    ['rule.id=4625', 'rule.id', 'is', '4625'],
    ['user!=a=b', 'user', 'is not', 'a=b'],
    ['host.name~web', 'host.name', 'contains', 'web'],
    ['host.name!~web', 'host.name', 'not contains', 'web'],
    ['host.name^=web', 'host.name', 'starts with', 'web'],
    ['host.name!^=web', 'host.name', 'not starts with', 'web'],
    ['confidence_score >= 90', 'confidence_score', 'gte', 90],
    ['@timestamp<now-1d', '@timestamp', 'lt', 'now-1d'],
    ['rule.id in 1, 2', 'rule.id', 'is one of', ['1', '2']],
    ['rule.id not in 1', 'rule.id', 'is not one of', ['1']],
  ] as const)
    assert.deepEqual(filterOf(text), { field, operator, value }, text)
  assert.deepEqual(filterOf('user exists'), { field: 'user', operator: 'exists' })
  assert.deepEqual(filterOf('user missing'), { field: 'user', operator: 'not exists' })
})

test('a text without a sign, or without a field, is refused', () => {
  for (const text of ['rule.id', '=x', '', 'a b']) assert.throws(() => filterOf(text), { name: 'UsageError' }, text)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  conditionOf,
  conditionsOf,
  filtersOf,
  hasCondition,
  notANumber,
  toggled,
} from '../../../../../server/console/pages/events/query.js'

const of = (query: string) => filtersOf(query, 'acme')

test('a condition is a filter of the API', () => {
  assert.deepEqual(of('label:Escalate confidence<80 host.name:web-* -rule.id:4625 user.name:* -user.id:*'), [
    { field: 'acme.result_label', operator: 'is', value: 'Escalate' },
    { field: 'acme.confidence_score', operator: 'lt', value: 80 },
    { field: 'host.name', operator: 'starts with', value: 'web-' },
    { field: 'rule.id', operator: 'is not', value: '4625' },
    { field: 'user.name', operator: 'exists' },
    { field: 'user.id', operator: 'not exists' },
  ])
})

test('several values, parts of values and times are found', () => {
  assert.deepEqual(of('host:a,"b c" name:*min* -name:x* @timestamp>=2026-01-01T00:00:00Z'), [
    { field: 'host', operator: 'is one of', value: ['a', 'b c'] },
    { field: 'name', operator: 'contains', value: 'min' },
    { field: 'name', operator: 'not starts with', value: 'x' },
    { field: '@timestamp', operator: 'gte', value: '2026-01-01T00:00:00Z' },
  ])
})

test('what is no condition is looked for in titles', () => {
  assert.deepEqual(of('login "unusual country" :'), [
    { field: 'acme.title', operator: 'contains', value: 'login' },
    { field: 'acme.title', operator: 'contains', value: 'unusual country' },
    { field: 'acme.title', operator: 'contains', value: ':' },
  ])
  assert.deepEqual(of('  '), [])
})

test('any value that is clicked comes back as itself', () => {
  const values = [
    'plain',
    'two words',
    'a"b',
    'a\\b',
    'a*',
    '*',
    'a,b',
    'x:y',
    '<script>',
    '-1',
    'ünïcode',
    '{"a":[1]}',
  ]
  for (const value of values) {
    const condition = conditionOf('rule.name', value, 'acme')
    assert.deepEqual(of(condition), [{ field: 'rule.name', operator: 'is', value }], condition)
  }
  assert.deepEqual(of(conditionOf('a b:c', 4, 'acme')), [{ field: 'a b:c', operator: 'is', value: '4' }])
  assert.equal(conditionOf('acme.result_label', 'Drop', 'acme'), 'label:Drop')
  assert.deepEqual(of(conditionOf('rule.name', null, 'acme')), [{ field: 'rule.name', operator: 'not exists' }])
})

test('a condition is added once, and taken away the second time; the rest stays', () => {
  const query = 'login confidence<80'
  const more = toggled(query, 'label:"Root cause"')
  assert.equal(more, 'login confidence<80 label:"Root cause"')
  assert.ok(hasCondition(more, 'label:"Root cause"'))
  assert.equal(toggled(more, 'label:"Root cause"'), query)
})

test('who has an event is a condition like others', () => {
  assert.deepEqual(of('assigned:me -assigned:*'), [
    { field: 'acme.assigned', operator: 'is', value: 'me' },
    { field: 'acme.assigned', operator: 'not exists' },
  ])
})

test('a number of the service that is compared with a text is told', () => {
  assert.deepEqual(notANumber('label:Drop confidence<abc'), { name: 'confidence', value: 'abc' })
  assert.deepEqual(notANumber('score>=""'), { name: 'score', value: '' })
  for (const query of ['', 'confidence<80', 'confidence:80', 'event.severity>high', 'score > 2'])
    assert.equal(notANumber(query), null, query)
})

test('a query has its conditions as they were typed', () => {
  assert.deepEqual(conditionsOf('label:Drop "unusual country" -a:*'), ['label:Drop', '"unusual country"', '-a:*'])
  assert.deepEqual(conditionsOf(''), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf, queryOf } from '../../../server/cli/filters.js'

test('conditions are typed as field, sign and value, and are parts of a query', () => {
  for (const [text, part] of [
    ['rule.id=4625', 'rule.id:"4625"'],
    ['user!=a=b', '-user:"a=b"'],
    ['host.name~web', 'host.name:*"web"*'],
    ['host.name!~web', '-host.name:*"web"*'],
    ['host.name^=web', 'host.name:"web"*'],
    ['host.name!^=web', '-host.name:"web"*'],
    ['confidence_score >= 90', 'confidence_score>="90"'],
    ['@timestamp<now-1d', '@timestamp<"now-1d"'],
    ['rule.id in 1, 2', 'rule.id:("1" OR "2")'],
    ['rule.id not in 1', '-rule.id:("1")'],
    ['user exists', 'user:*'],
    ['user missing', '-user:*'],
    ['rule name=New login', '"rule name":"New login"'],
    ['path=C:\\', 'path:"C:\\\\"'],
    ['path=C:\\Windows', 'path:"C:\\Windows"'],
    ['note=say "no"', 'note:"say \\"no\\""'],
    ['note="=x"', 'note:"=x"'],
    ['ip=2001:db8::1', 'ip:"2001:db8::1"'],
  ] as const)
    assert.equal(conditionOf(text), part, text)
})

test('a sign that there is not is refused, and so is a text without a sign or without a field', () => {
  for (const text of [
    'rule.id',
    '=x',
    '',
    'a b',
    'host==web-1',
    'host=~web',
    'host=>5',
    'host<>web-1',
    'host!==web-1',
    'host=!web-1',
  ])
    assert.throws(() => conditionOf(text), { name: 'UsageError' }, text)
})

test('a query and conditions must all hold', () => {
  assert.equal(queryOf(undefined), undefined)
  assert.equal(queryOf(' label:Drop '), 'label:Drop')
  assert.equal(queryOf('a OR b', ['n>5']), '(a OR b) (n>"5")')
  assert.throws(() => queryOf('host:(a'), { name: 'UsageError', message: /column 6: the bracket/ })
})

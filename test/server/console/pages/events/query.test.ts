import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownFields } from '../../../../../engine/domain/query/field.js'
import { columnNames, parseQuery, shortNames, type QueryNode } from '../../../../../engine/domain/query/query-text.js'
import { SeededRandom } from '../../../../../engine/rng.js'
import {
  choiceOf,
  choicesOf,
  conditionOf,
  conditionOn,
  conditionsOf,
  mistakeIn,
  toggled,
  without,
} from '../../../../../server/console/pages/events/query.js'

const toggle = (query: string, field: string, value: string | null): string =>
  toggled(query, field, value === null ? null : choiceOf(value), 'acme')

test('a second value of a field is another that fits; a second field must fit, too', () => {
  for (const [query, field, value, expected] of [
    ['', 'rule.id', '4625', 'rule.id:4625'],
    ['rule.id:4625', 'rule.id', '1102', 'rule.id:4625,1102'],
    ['rule.id:4625,1102', 'rule.id', '4625', 'rule.id:1102'],
    ['rule.id:4625', 'rule.id', '4625', ''],
    ['rule.id:4625', 'host.name', 'web 1', 'rule.id:4625 host.name:"web 1"'],
    ['rule.id:(1 OR 2) login', 'rule.id', '3', 'rule.id:1,2,3 login'],
    ['(rule.id:1 OR rule.id:2) login', 'rule.id', '2', 'rule.id:1 login'],
    ['rule.id:1', 'rule.id', null, '(rule.id:1 OR -rule.id:*)'],
    ['(rule.id:1 OR -rule.id:*)', 'rule.id', '1', '-rule.id:*'],
    ['-rule.id:*', 'rule.id', '1', '(rule.id:1 OR -rule.id:*)'],
    ['label:Drop', 'acme.result_label', 'Escalate', 'label:Drop,Escalate'],
    ['label:Drop', 'label', 'Escalate', 'label:Drop "label":Escalate'],
    ['-rule.id:1 rule.id:2*', 'rule.id', '3', '-rule.id:1 rule.id:2* rule.id:3'],
    ['a OR b', 'rule.id', '1', '(a OR b) rule.id:1'],
    ['a AND (b OR c)', 'rule.id', '1', 'a (b OR c) rule.id:1'],
    ['NOT rule.id:1 or x', 'rule.id', '1', '(NOT rule.id:1 or x) rule.id:1'],
    ['state:new (', 'rule.id', '1', 'state:new ('],
  ] as const)
    assert.equal(toggle(query, field, value), expected, `${query} + ${field} ${value}`)
})

test('ranges and beginnings are values that can be chosen', () => {
  const confidence = 'acme.confidence_score'
  const one = toggled('', confidence, '[0 TO 10}', 'acme')
  assert.equal(one, 'confidence:[0 TO 10}')
  const two = toggled(one, confidence, '[90 TO 100]', 'acme')
  assert.equal(two, 'confidence:([0 TO 10} OR [90 TO 100])')
  assert.equal(toggled(two, confidence, '[0 TO 10}', 'acme'), 'confidence:[90 TO 100]')
  const cut = choiceOf(`a "${'x'.repeat(250)}`, true)
  const long = toggled('x', 'text', cut, 'acme')
  assert.equal(long, `x text:"a \\"${'x'.repeat(250)}*"`)
  assert.deepEqual(choicesOf(long, 'text', 'acme'), [cut])
  assert.equal(toggled(long, 'text', cut, 'acme'), 'x')
})

test('any value that is clicked comes back as itself, alone and beside others', () => {
  const random = new SeededRandom(42)
  const pieces = [...'ab1*?\\"\'(),:;<>=!|&+-_ /[]{}~^@#\n\t\0é漢', 'AND', 'or', 'TO', '//', '\ud800', '😀', 'me']
  const text = (): string => Array.from({ length: random.below(6) }, () => random.pick(pieces)).join('')
  const fields = ['rule.name', 'a b:c', 'label', 'voter', 'http', 'C', 'acme.title', 'acme.assigned', 'acme.voter']
  for (let round = 0; round < 1_000; round++) {
    const [field, values] = [random.pick(fields), [...new Set([text(), text(), text()])]]
    let query = random.pick(['', 'x', 'x OR y', 'x other:y'])
    const before = query
    for (const value of values) query = toggle(query, field, value)
    const place = `${field} ${JSON.stringify(values)}: ${query}`
    assert.equal(mistakeIn(query), null, place)
    assert.deepEqual(
      choicesOf(query, field, 'acme'),
      values.map((value) => choiceOf(value)),
      place,
    )
    const leaves: QueryNode[] = []
    const walk = (node: QueryNode): unknown => ('parts' in node ? node.parts.forEach(walk) : leaves.push(node))
    walk(
      parseQuery(
        conditionOf(
          field,
          values.map((value) => choiceOf(value)),
          'acme',
        ),
      ),
    )
    assert.deepEqual(
      leaves.map((leaf) => leaf.kind === 'match' && leaf.value.pattern === null && leaf.value.text),
      values,
      place,
    )
    for (const value of values) query = toggle(query, field, value)
    assert.equal(query, before === 'x OR y' ? '(x OR y)' : before, place)
  }
})

test('the name of a person is never the word for who asks', () => {
  for (const field of ['acme.assigned', 'acme.voter']) assert.match(conditionOn(field, 'me', 'acme'), /:"me"$/)
  assert.equal(toggle('assigned:me', 'acme.assigned', 'ann'), 'assigned:me,ann')
})

test('names of columns of answers are written so that they mean the event', () => {
  assert.deepEqual(
    [...new Set([...columnNames, ...Object.values(shortNames), 'outlier', 'model'])].sort(),
    Object.keys(ownFields).sort(),
  )
  for (const name of [...columnNames, ...Object.keys(shortNames)])
    assert.equal(conditionOn(name, 1, 'acme'), `"${name}":1`)
})

test('a query has its conditions as they were typed, and each can be left out', () => {
  const query = 'label:Drop "unusual country" AND -a:* (b OR c) d:1,2'
  assert.deepEqual(conditionsOf(query), ['label:Drop', '"unusual country"', '-a:*', '(b OR c)', 'd:1,2'])
  assert.equal(without(query, 2), 'label:Drop "unusual country" (b OR c) d:1,2')
  assert.deepEqual(conditionsOf('a OR b'), ['(a OR b)'])
  assert.deepEqual(conditionsOf(''), [])
  assert.match(mistakeIn('host:(a') ?? '', /^column 6: /)
})

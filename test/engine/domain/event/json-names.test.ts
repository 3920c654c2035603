import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMoreNames } from '../../../../engine/domain/event/json-names.js'

/** White space behind a text, so that it is not too short to be looked at. */
const padded = (text: string): string => text.padEnd(1_000)

test('different names are counted, at all levels, and values are not', () => {
  for (const [text, more] of [
    ['{"a":1,"b":2}', false],
    ['{"a":1,"b":2,"c":3}', true],
    ['[{"a":1},{"b":{"a":{"b":1}}},{"a":0}]', false],
    ['{"a":"b","b":["c","d","e:",":"]}', false],
    ['{"a" : 1,"b"\n\t:2,"c"   :3}', true],
    ['{"a\\"":1,"b\\\\":2,"a\\"":3}', false],
    ['{"a:\\"b\\":":1,"{\\"":2,":":3}', true],
  ] as const)
    assert.equal(hasMoreNames(padded(text), 2), more, text)
})

test('a text that is too short for so many names is not read', () => {
  const names = '{"a":1,"b":1,"c":1}'
  assert.equal(hasMoreNames(names, 2), true)
  assert.equal(hasMoreNames(names.slice(0, 12), 2), false)
})

test('a text that does not end is no endless walk', () => {
  for (const text of ['{"a', '{"a"', '{"a\\', '{"a" ', '{"a":'])
    assert.equal(hasMoreNames(text.padStart(1_000, ' '), 0), text === '{"a":', text)
})

test('it agrees with the names of parsed objects', () => {
  const namesOf = (value: unknown): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, inner]) => [...(Array.isArray(value) ? [] : [name]), ...namesOf(inner)])
  const body = { a: [{ x: 1, y: { a: 2 } }, ['t', { '': null, 'n "1"': [] }]], b: { c: { d: 1, 'e\\': 'a' } } }
  const text = padded(JSON.stringify(body, null, 2))
  const names = new Set(namesOf(body)).size
  assert.equal(hasMoreNames(text, names), false)
  assert.equal(hasMoreNames(text, names - 1), true)
})

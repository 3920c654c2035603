import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfText } from '../../../../engine/domain/event/json.js'
import { hasMoreValues, jsonSize } from '../../../../engine/domain/event/json-size.js'

test('values and levels are counted, what stands in texts is not', () => {
  assert.deepEqual(jsonSize('1', 100), { values: 1, depth: 0 })
  assert.deepEqual(jsonSize('{"a": [1, "x,[\\"{", {"b": null}], "c": 2}', 100), { values: 7, depth: 3 })
  assert.deepEqual(jsonSize('[[],[[]]]', 100), { values: 6, depth: 3 })
})

test('a text ends at its quote, near or far, whatever is escaped before it', () => {
  for (let length = 0; length < 80; length++)
    for (const escaped of ['', '\\"', '\\\\', '\\\\\\"', '\\"\\"', '\\n,']) {
      const text = `"${'x'.repeat(length)}${escaped}"`
      assert.equal(endOfText(`${text},"`, 1), text.length - 1, text)
      const again = `"${escaped}${'x,'.repeat(length)}${escaped}"`
      assert.equal(endOfText(`${again},"`, 1), again.length - 1, again)
      assert.equal(endOfText(text.slice(0, -1), 1), text.length - 1, `not closed: ${text}`)
    }
})

test('the count ends one beyond the bound', () => {
  assert.deepEqual(jsonSize('['.repeat(1_000), 10).values, 11)
})

test('more values than a bound are told', () => {
  for (const [text, more] of [
    ['[1,2]', false],
    ['[1,2,3]', true],
    ['"[,,,,,,,,"', false],
    ['[', false],
  ] as const)
    assert.equal(hasMoreValues(text, 3), more, text)
})

test('a text that does not end is no endless walk', () => {
  assert.deepEqual(jsonSize('{"a', 10), { values: 2, depth: 1 })
  assert.deepEqual(jsonSize('["\\', 10), { values: 2, depth: 1 })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonObject, parseJson, WrittenNumber } from '../../../../engine/domain/event/json.js'
import { Path, valuesAt } from '../../../../engine/domain/event/path.js'
import { BodyFields } from '../../../../engine/domain/query/body-fields.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { Bodies } from '../../../support/bodies.js'
import { randomPathText } from '../../../support/engine/json-text.js'

/** The scalars that a path leads to, sorted; null where it leads to nothing. */
function slowly(body: unknown, path: string): unknown {
  const found = valuesAt(body, new Path(path))
  const scalars = (found as unknown[])
    .flat(Number.POSITIVE_INFINITY)
    .filter((value) => value !== null && !isJsonObject(value))
    .map((value) => {
      const number = value instanceof WrittenNumber ? value.value : value
      const isLong = typeof number === 'number' && Number.isInteger(number) && !Number.isSafeInteger(number)
      return isLong && Math.abs(number) < 1e38 ? 'long' : number
    })
  return found.length === 0 ? null : scalars.map(String).sort()
}

test('a query finds in the bytes of a body what its paths lead to in the body', () => {
  const random = new SeededRandom(3)
  const bodies = new Bodies()
  for (const paths of [
    ['a', 'a.b', 'a.b.c', 'b.c', 'c.value', 'c', 'a.b.c.a', 'b.c.b.c'],
    ['a.b.c.a.b.c.a', 'b'],
    ['a.b'],
    ['b.c.a'],
  ]) {
    const fields = new BodyFields(paths.map((text) => ({ text })))
    let found = 0
    for (let i = 0; i < 3_000; i++) {
      const text = randomPathText(random)
      const body = parseJson(text)
      fields.walk(Buffer.from(bodies.encode(body)), bodies.shapes, bodies.words)
      for (const [slot, path] of paths.entries()) {
        const digits = (value: unknown): unknown =>
          typeof value === 'string' && /^-?[1-9]\d{15,37}$/.test(value) ? 'long' : value
        const own = fields.has(slot) ? fields.values(slot).map(digits).map(String).sort() : null
        assert.deepEqual(own, slowly(body, path), `${path} in ${text}`)
        if (own !== null) found++
      }
    }
    assert.ok(found > 50, `${found} found at ${paths.join(' ')}`)
  }
})

test('long whole numbers keep their digits', () => {
  const bodies = new Bodies()
  const fields = new BodyFields([{ text: 'id' }])
  for (const [numeral, value] of [
    ['9007199254740993', '9007199254740993'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740991', 9007199254740991],
    ['1.0', 1],
    ['1e3', 1000],
    ['0.10', 0.1],
  ] as const) {
    fields.walk(Buffer.from(bodies.encode(parseJson(`{"id":${numeral}}`))), bodies.shapes, bodies.words)
    assert.deepEqual(fields.values(0), [value])
  }
})

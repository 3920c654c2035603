import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  isJsonObject,
  numberOfText,
  parseJson,
  writeJson,
  WrittenNumber,
  type JsonPath,
} from '../../../../engine/domain/event/json.js'
import { isRefusal } from '../../../../engine/errors.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { randomJsonText, randomNumeral } from '../../../support/engine/json-text.js'

/** The numbers of a text as they are spelled, in order. */
function numeralsOf(text: string): string[] {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? []
}

describe('JSON without losses', () => {
  for (const [text, kept] of [
    ['4625', false],
    ['-17', false],
    ['0.5', false],
    ['999999999999999', false],
    ['9007199254740992', false],
    ['9007199254740993', true],
    ['18446744073709551615', true],
    ['1.0', true],
    ['1.10', true],
    ['-0', true],
    ['-0.0', true],
    ['1e3', true],
    ['1E+3', true],
    ['1e21', true],
    ['1e+21', false],
    ['0.000001', false],
    ['0.0000001', true],
    ['1e-7', false],
    ['1e-400', true],
    [`1${'0'.repeat(300)}`, true],
  ] as const)
    it(`${kept ? 'keeps the digits of' : 'has a plain number for'} ${text.slice(0, 30)}`, () => {
      const number = numberOfText(text)
      assert.equal(number instanceof WrittenNumber, kept)
      assert.equal(String(number), text)
      assert.equal(Number(number), Number(text))
      assert.equal(writeJson(parseJson(`{"a":[${text}]}`)), `{"a":[${text}]}`)
    })

  it('keeps the digits of random numerals', () => {
    const random = new SeededRandom(3)
    for (let i = 0; i < 5_000; i++) {
      const text = randomNumeral(random)
      const number = numberOfText(text)
      assert.equal(String(number), text)
      assert.equal(number instanceof WrittenNumber, String(Number(text)) !== text, text)
    }
  })

  it('reads random texts as JSON.parse does, and writes every number as it came', () => {
    const random = new SeededRandom(4)
    for (let i = 0; i < 4_000; i++) {
      const text = randomJsonText(random)
      const value = parseJson(text)
      const plain: unknown = JSON.parse(text)
      assert.equal(JSON.stringify(value), JSON.stringify(plain), text)
      let repeats = 0
      parseJson(text, () => repeats++)
      if (repeats === 0) assert.deepEqual(numeralsOf(writeJson(value)), numeralsOf(text), text)
      const indented = writeJson(value, 2)
      assert.equal(JSON.stringify(JSON.parse(indented), null, 2), JSON.stringify(plain, null, 2))
      assert.equal(indented.split('\n').length, JSON.stringify(plain, null, 2).split('\n').length)
    }
  })

  it('refuses what JSON.parse refuses, with digits to keep in it, too', () => {
    const random = new SeededRandom(5)
    const signs = '{}[]",:0129.eE+-\\ tfn\u0001'
    let refused = 0
    for (let i = 0; i < 6_000; i++) {
      const at = (text: string): number => random.below(text.length + 1)
      let text = `[1.0,${randomJsonText(random, 3)}]`
      for (let n = random.below(3); n >= 0; n--) {
        const place = at(text)
        text = text.slice(0, place) + signs[random.below(signs.length)] + text.slice(place + random.below(2))
      }
      let plain: unknown
      try {
        plain = JSON.parse(text)
      } catch {
        assert.throws(() => parseJson(text), SyntaxError, text)
        refused++
        continue
      }
      try {
        assert.equal(JSON.stringify(parseJson(text)), JSON.stringify(plain), text)
      } catch (error) {
        assert.ok(isRefusal(error, 'number_too_large'), text)
      }
    }
    assert.ok(refused > 1_000)
  })

  for (const [text, place] of [
    ['1e999', []],
    ['-1e999', []],
    ['{"v":1e999}', ['v']],
    ['{"a":{"b.c":[0,[1.0,-1e400]]}}', ['a', 'b.c', 1, 1]],
    [`[${'9'.repeat(400)}]`, [0]],
  ] as const)
    it(`refuses an infinity with its place: ${text.slice(0, 40)}`, () => {
      assert.throws(
        () => parseJson(text),
        (error) => {
          assert.ok(isRefusal(error, 'number_too_large'))
          assert.deepEqual(error.context.issues?.[0]?.loc, ['body', ...place])
          assert.ok(place.length === 0 || error.message.endsWith(` at \`${place.join('.')}\``), error.message)
          return true
        },
      )
    })

  it('takes the last of repeated keys, as JSON.parse does, and tells where they are', () => {
    for (const [text, places, value] of [
      ['{"a":1,"a":2}', [['a']], { a: 2 }],
      ['{"a":1,"b":[0,{"c.d":1,"c.d":{},"c.d":3}],"a":null}', [['b', 1, 'c.d'], ['b', 1, 'c.d'], ['a']], undefined],
      ['{"\\u0061":1,"a":2}', [['a']], { a: 2 }],
      ['{"a":{"a":1},"b":{"a":1}}', [], undefined],
      ['{"a":1.0,"b":[{"a":1.0}]}', [], undefined],
    ] as const) {
      const found: JsonPath[] = []
      const parsed = parseJson(text, (path) => found.push(path))
      assert.deepEqual(found, places)
      assert.deepEqual(JSON.stringify(parsed), JSON.stringify(value ?? JSON.parse(text)))
    }
  })

  it('takes names with a meaning of their own as JSON.parse does', () => {
    const text = '{"__proto__":{"x":1.0},"constructor":1.0,"toString":{"__proto__":2.0}}'
    const value = parseJson(text, () => assert.fail('none is repeated')) as object
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
    assert.equal(writeJson(value), text)
  })

  it('is not stopped by depth or by length', () => {
    const deep = 100_000
    const text = `${'[{"a":'.repeat(deep)}1.0${'}]'.repeat(deep)}`
    let value = parseJson(text) as { a: unknown }[]
    for (let i = 0; i < deep - 1; i++) value = value[0]?.a as { a: unknown }[]
    assert.equal(String(value[0]?.a), '1.0')
    const digits = '7'.repeat(10_000)
    assert.equal(writeJson(parseJson(`[0.${digits}]`)), `[0.${digits}]`)
  })

  it('writes what JSON.stringify writes, beside numbers with their digits', () => {
    const one = new WrittenNumber('1.0')
    assert.equal(
      writeJson({ a: undefined, b: [undefined, one], c: new Date(0) }),
      '{"b":[null,1.0],"c":"1970-01-01T00:00:00.000Z"}',
    )
    assert.equal(writeJson({ a: {}, b: [], c: one }, 2), '{\n  "a": {},\n  "b": [],\n  "c": 1.0\n}')
    assert.equal(writeJson(one), '1.0')
    assert.equal(writeJson(undefined), undefined)
  })

  it('tells objects from lists, numbers and scalars', () => {
    assert.deepEqual([{}, [], null, 'a', 1, new WrittenNumber('1.0')].map(isJsonObject), [
      true,
      false,
      false,
      false,
      false,
      false,
    ])
  })
})

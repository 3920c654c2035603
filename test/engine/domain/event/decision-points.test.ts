import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DecisionPoints, lacksPoints } from '../../../../engine/domain/event/decision-points.js'
import { parseJson } from '../../../../engine/domain/event/json.js'
import type { PointValue } from '../../../../engine/domain/event/point-value.js'
import { limits } from '../../../../engine/limits.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { randomObject, shuffled } from '../../../support/engine/json.js'

function at(path: string, event: Record<string, unknown>): PointValue {
  return new DecisionPoints([path]).valuesOf(event)[0] as PointValue
}

describe('decision points', () => {
  it('a path goes down through objects by name', () => {
    const event = { a: { b: { c: 'deep', n: 0, no: false } }, top: 1 }
    assert.equal(at('a.b.c', event), 'deep')
    assert.equal(at('a.b.n', event), 0)
    assert.equal(at('a.b.no', event), false)
    assert.equal(at('top', event), 1)
  })

  it('a missing path and null are the same', () => {
    for (const event of [{}, { a: null }, { a: {} }, { a: { b: null } }, { a: 1 }, { a: 'b' }, { b: 1 }]) {
      assert.equal(at('a.b', event), null)
    }
  })

  it('equal values are equal, however they are written', () => {
    const long = '9007199254740993'
    for (const group of [
      ['4625', '4625.0', '4.625e3', '"4625"', '[4625]', '["4625", 4625.0, null]'],
      ['0', '0.0', '-0', '"0"', '0e7'],
      ['0.5', '5e-1', '"0.5"'],
      [long, `"${long}"`, `${long}.0`, '90071992547409930e-1'],
      ['1e21', '1e+21', '1000000000000000000000', '"1000000000000000000000"'],
      ['{"a":1,"b":[2,{"d":3,"c":4}]}', '{"b":["2",{"c":4.0,"d":"3"}],"a":1.0,"x":null,"y":[{}]}'],
    ]) {
      const values = group.map((text) => at('a', parseJson(`{"a":${text}}`) as Record<string, unknown>))
      for (const value of values) assert.deepEqual(value, values[0], group.join(' '))
    }
  })

  it('values that differ are different, however long they are', () => {
    const texts = [
      ...['1', '"01"', '"1.0"', '"+1"', '"1e0"', '-1', '1.5', '"1.50"', 'true', '"true"', '" 1"', '1e-7', '"1e7"'],
      ...['9007199254740991', '9007199254740992', '9007199254740993', '18446744073709551615', '18446744073709551616'],
      ...['1e300', '1e301', `1${'0'.repeat(40)}`, `1${'0'.repeat(39)}1`, '"-0"', '"Infinity"', '{"a":1}', '{"a":2}'],
    ]
    const values = texts.map((text) => at('a', parseJson(`{"a":${text}}`) as Record<string, unknown>))
    assert.equal(new Set(values).size, texts.length)
  })

  it('with strict types a number and a text are two values, and two spellings of a number are one', () => {
    const strict = new DecisionPoints(['a'], 'strict')
    const at = (text: string) => strict.valuesOf(parseJson(`{"a":${text}}`) as Record<string, unknown>)[0]
    for (const number of ['4625', '0.5', '9007199254740993', '1e21']) {
      const plain = number.startsWith('1e') ? '1000000000000000000000' : number
      assert.notEqual(at(number), at(`"${plain}"`), number)
    }
    assert.equal(at('4625.0'), at('4625'))
    assert.equal(at('1e21'), at('1000000000000000000000'))
    assert.notEqual(strict.fingerprint, new DecisionPoints(['a']).fingerprint)
  })

  it('an object is the beginning of its JSON text, however large it is', () => {
    for (let i = 1; i < 100; i++) {
      const object = { more: [i, { x: true }], text: 'é😀"'.repeat(i * 20), value: { list: [{ b: 'x' }] } }
      const text = JSON.stringify(object).slice(0, limits.pointValueCharsMax).toWellFormed()
      assert.equal(at('a', { a: object }), text)
    }
    const huge = { list: new Array(100_000).fill({ name: 'x'.repeat(50) }) }
    assert.equal(at('a', { a: huge }), JSON.stringify(huge).slice(0, limits.pointValueCharsMax))
  })

  it('the first items of a very long array count', () => {
    const items = Array.from({ length: limits.pointWalkMax + 2 }, (_, i) => ({
      b: i < limits.pointWalkMax ? 'x' : 'y',
    }))
    assert.equal(at('a.b', { a: items }), 'x')
  })

  it('an array is the sorted set of its scalars', () => {
    assert.deepEqual(at('a', { a: ['y', 'x', 'y', null, 2, true, 10] }), [true, 2, 10, 'x', 'y'])
    assert.deepEqual(at('a', { a: [['x', ['z']], 'y'] }), ['x', 'y', 'z'])
    assert.deepEqual(at('a', { a: [1, '1', '', '01'] }), [1, '01'])
  })

  it('an array that is such a set counts as it is, but nothing changes it later', () => {
    for (const items of [
      ['a', 'b'],
      [false, 1, 'x'],
      [-1, 0, 7.5],
      ['a', 'a'],
      [2, 1],
      [-0, 1],
      [1, null],
      ['\ud800', 'x'],
    ]) {
      const [value] = new DecisionPoints(['a']).valuesOf({ a: items })
      const scalars = items.filter((item) => item !== null)
      const texts = scalars.map((item) => (typeof item === 'string' ? item.toWellFormed() : item))
      const set = [...new Set(texts)].sort((a, b) =>
        typeof a !== typeof b ? (typeof a < typeof b ? -1 : 1) : a < b ? -1 : a > b ? 1 : 0,
      )
      assert.deepEqual(value, set.length === 1 ? set[0] : set)
      assert.ok(value !== (items as unknown))
    }
  })

  it('an array without values is null, one with one value is that value', () => {
    assert.equal(at('a', { a: [] }), null)
    assert.equal(at('a', { a: [null, [], [null]] }), null)
    assert.equal(at('a', { a: ['x', 'x', null] }), 'x')
    assert.equal(at('a', { a: [false] }), false)
  })

  it('at an array on the way, the rest of the path is taken from each item', () => {
    assert.deepEqual(at('a.b', { a: [{ b: 2 }, { b: 1 }, { c: 3 }, 4, null, { b: null }] }), [1, 2])
    assert.deepEqual(at('a.b.c', { a: [{ b: [{ c: 'x' }, { c: ['y', 'z'] }] }, [{ b: { c: 'w' } }]] }), [
      'w',
      'x',
      'y',
      'z',
    ])
    assert.equal(at('a.b', { a: ['text', 1] }), null)
    assert.equal(at('a.b', { a: [{ b: [] }] }), null)
  })

  it('nulls and repeats do not use up the bound on items', () => {
    const nulls = new Array<null>(limits.pointItemsMax).fill(null)
    assert.equal(at('a', { a: [...nulls, 'last'] }), 'last')
    const items = nulls.map(() => ({ b: null as string | null }))
    assert.equal(at('a.b', { a: [...items, { b: 'last' }] }), 'last')
    assert.deepEqual(at('a.b', { a: [...items.map(() => ({ b: 'same' })), { b: 'last' }] }), ['last', 'same'])
  })

  it('the first so many different items count', () => {
    const items = Array.from({ length: limits.pointItemsMax + 50 }, (_, i) => i)
    assert.deepEqual(at('a', { a: items }), items.slice(0, limits.pointItemsMax))
    assert.deepEqual(at('a.b', { a: items.map((b) => ({ b })) }), items.slice(0, limits.pointItemsMax))
  })

  it('an object is its JSON text, in an array too', () => {
    assert.equal(at('a', { a: { b: 1, c: [2] } }), '{"b":1,"c":[2]}')
    assert.deepEqual(at('a', { a: [{ b: 1 }, 'x'] }), ['x', '{"b":1}'])
  })

  it('text is cut, and never in the middle of a character', () => {
    const max = limits.pointValueCharsMax
    assert.equal(at('a', { a: 'x'.repeat(max + 1) }), 'x'.repeat(max))
    const split = at('a', { a: `${'x'.repeat(max - 1)}\u{1f600}` }) as string
    assert.ok(split.length <= max && split.isWellFormed())
    assert.ok((at('a', { a: { long: 'x'.repeat(max) } }) as string).length === max)
  })

  it('half a surrogate pair counts as U+FFFD', () => {
    assert.equal(at('a', JSON.parse('{"a":"x\\ud800y"}') as Record<string, unknown>), 'x\ufffdy')
    assert.equal(at('a', JSON.parse('{"a":["\\ud800","\\udfff"]}') as Record<string, unknown>), '\ufffd')
  })

  it('names that every object inherits are not found', () => {
    for (const path of [
      'constructor',
      'toString',
      '__proto__',
      'hasOwnProperty',
      'a.constructor',
      'constructor.name',
      '__proto__.constructor',
      'a.__proto__',
      'list.constructor',
      'list.length',
      'text.length',
      '__defineGetter__',
    ]) {
      assert.equal(at(path, { a: {}, list: ['x'], text: 'x' }), null, path)
    }
  })

  it('names that every object inherits are found where the event has them', () => {
    const event = JSON.parse('{"constructor":{"name":"own"},"toString":1,"a":[{"valueOf":2}]}') as Record<
      string,
      unknown
    >
    assert.equal(at('constructor.name', event), 'own')
    assert.equal(at('toString', event), 1)
    assert.equal(at('a.valueOf', event), 2)
  })

  it('names that are numbers are names, not places in an array', () => {
    assert.equal(at('a.0', { a: { 0: 'zero' } }), 'zero')
    assert.equal(at('a.0', { a: ['zero'] }), null)
  })

  it('an event lacks the points where all are null, and a job without points is always lacked', () => {
    const points = new DecisionPoints(['a', 'b.c'])
    assert.equal(lacksPoints(points.valuesOf({ x: 1 })), true)
    assert.equal(lacksPoints(points.valuesOf({ a: [], b: { c: null } })), true)
    assert.equal(lacksPoints(points.valuesOf({ b: { c: false } })), false)
    assert.equal(lacksPoints(points.valuesOf({ a: '', b: { c: [null, '', {}, [[]]] } })), true)
    assert.equal(lacksPoints(new DecisionPoints([]).valuesOf({ a: 1 })), true)
  })

  it('the fingerprint tells lists of points apart', () => {
    const lists = [[], ['a'], ['a', 'b'], ['b', 'a'], ['a,b'], ['a.b'], ['"a"']]
    assert.equal(new Set(lists.map((list) => new DecisionPoints(list).fingerprint)).size, lists.length)
    assert.equal(new DecisionPoints(['a', 'b']).fingerprint, new DecisionPoints(['a', 'b']).fingerprint)
  })

  it('values are the same whatever the order of the fields', () => {
    const random = new SeededRandom(5)
    const points = new DecisionPoints(['f1', 'f2.f3', 'constructor', 'f4.f5.f6', '1', 'a.b'])
    for (let i = 0; i < 300; i++) {
      const event = randomObject(random)
      assert.deepEqual(points.valuesOf(shuffled(event, random) as Record<string, unknown>), points.valuesOf(event))
    }
  })
})

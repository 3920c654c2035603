import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ShapeTable } from '../../../engine/event/shapes.js'
import { limits } from '../../../engine/limits.js'
import { SeededRandom } from '../../../engine/random.js'
import { randomObject, shuffled } from '../../support/engine-json.js'
import { assertRefused } from '../../support/engine-refusal.js'

function roundTrip(table: ShapeTable, value: unknown): unknown {
  return table.unshape(table.shape(value))
}

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = wrap(value)
  return value
}

describe('shapes', () => {
  for (const seed of [1, 2, 3]) {
    it(`random events come back as they were, seed ${seed}`, () => {
      const random = new SeededRandom(seed)
      const table = new ShapeTable()
      for (let i = 0; i < 400; i++) {
        const event = JSON.parse(JSON.stringify(randomObject(random))) as unknown
        assert.deepEqual(roundTrip(table, event), event)
        const reordered = shuffled(event, random)
        assert.deepEqual(roundTrip(table, reordered), event)
      }
    })
  }

  it('events with the same names in the same order share one shape', () => {
    const table = new ShapeTable()
    for (let i = 0; i < 100; i++) table.shape({ host: `h${i}`, user: { name: i, roles: [{ id: i }] } })
    assert.equal(table.size, 3)
    table.shape({ user: { name: 1, roles: [] }, host: 'h' })
    assert.equal(table.size, 4)
  })

  it('a shaped event holds no names where its shapes are known', () => {
    const table = new ShapeTable()
    const shaped = table.shape({ 'a long name of a field': 1, inner: { 'another long name': [true] } })
    assert.ok(!JSON.stringify(shaped).includes('name'))
  })

  it('names that every object inherits are ordinary names', () => {
    const table = new ShapeTable()
    const event = JSON.parse('{"constructor":1,"toString":{"hasOwnProperty":[{"valueOf":null}]},"length":"x","":{"":""}}') as unknown
    assert.deepEqual(roundTrip(table, event), event)
    assert.deepEqual(roundTrip(table, {}), {})
    assert.deepEqual(roundTrip(table, { constructor: 2 }), { constructor: 2 })
  })

  it('names that are numbers keep their values, wherever the engine puts them', () => {
    const table = new ShapeTable()
    const event = JSON.parse('{"b":1,"10":2,"2":3,"a":{"1":{"x":1},"0":[]},"-1":4,"01":5}') as unknown
    assert.deepEqual(roundTrip(table, event), event)
    const wide: Record<string, unknown> = {}
    for (let i = 200; i > 0; i--) wide[i % 2 === 0 ? String(i) : `n${i}`] = { i }
    assert.deepEqual(roundTrip(table, wide), wide)
  })

  it('objects with many or long names carry them and cost no shape', () => {
    const table = new ShapeTable()
    const wide = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`field ${i}`, i]))
    assert.deepEqual(roundTrip(table, wide), wide)
    const long = { ['n'.repeat(129)]: { inner: 1 } }
    assert.deepEqual(roundTrip(table, long), long)
    assert.equal(table.size, 1)
  })

  it('a full table still takes every event', () => {
    const table = new ShapeTable()
    for (let i = 0; i < 5_000; i++) table.shape({ [`only ${i}`]: i })
    const size = table.size
    assert.ok(size < 5_000)
    const event = { 'never seen': { 'nor this': [1, { deep: {} }] }, 'only 3': 1 }
    assert.deepEqual(roundTrip(table, event), event)
    assert.deepEqual(roundTrip(table, { 'only 4999': 1 }), { 'only 4999': 1 })
    assert.equal(table.size, size)
  })

  it('a restored table reads what the first one wrote, and goes on numbering behind it', () => {
    const random = new SeededRandom(9)
    const first = new ShapeTable()
    const events = Array.from({ length: 50 }, () => randomObject(random))
    const shaped = events.map((event) => first.shape(event))
    const second = new ShapeTable()
    for (let i = 0; i < first.size; i++) second.restore(first.names(i))
    assert.deepEqual(shaped.map((one) => second.unshape(one)), events)
    assert.deepEqual(events.map((event) => second.shape(event)), shaped)
    assert.equal(second.size, first.size)
    second.shape({ 'new in the second': 1 })
    assert.deepEqual(second.names(first.size), ['new in the second'])
  })

  it('depth is bounded, for objects and for arrays', () => {
    const table = new ShapeTable()
    for (const wrap of [(inner: unknown) => ({ a: inner }), (inner: unknown) => [inner]]) {
      const deepest = { root: nested(limits.eventDepthMax - 1, wrap) }
      assert.deepEqual(roundTrip(table, deepest), deepest)
      assertRefused('event_too_deep', () => table.shape({ root: nested(limits.eventDepthMax, wrap) }))
      assertRefused('event_too_deep', () => table.shape({ root: nested(100_000, wrap) }))
    }
  })

  it('fields and items are counted together, at all depths', () => {
    const table = new ShapeTable()
    const fits = { list: new Array(limits.eventFieldsMax - 1).fill(0) }
    assert.deepEqual(roundTrip(table, fits), fits)
    assertRefused('event_too_wide', () => table.shape({ list: new Array(limits.eventFieldsMax).fill(0) }))
    const wide = Object.fromEntries(Array.from({ length: limits.eventFieldsMax + 1 }, (_, i) => [`f${i}`, i]))
    assertRefused('event_too_wide', () => table.shape(wide))
    const halves = { a: new Array(limits.eventFieldsMax / 2).fill(0), b: new Array(limits.eventFieldsMax / 2).fill(0) }
    assertRefused('event_too_wide', () => table.shape(halves))
    assert.deepEqual(roundTrip(table, fits), fits)
  })

  it('a million keys are refused before they cost a shape', () => {
    const table = new ShapeTable()
    const text = `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":0`).join(',')}}`
    assertRefused('event_too_wide', () => table.shape(JSON.parse(text)))
    assert.equal(table.size, 0)
  })

  it('a field named __proto__ is refused at any depth, in wide objects too', () => {
    const table = new ShapeTable()
    const wide = Array.from({ length: 100 }, (_, i) => `"f${i}":0`).join(',')
    for (const text of [
      '{"__proto__":{"admin":true}}', '{"a":{"b":[{"__proto__":1}]}}', `{${wide},"__proto__":1}`, '{"a":1,"__proto__":null}',
    ]) {
      assertRefused('forbidden_field', () => table.shape(JSON.parse(text)))
      assertRefused('forbidden_field', () => table.shape(JSON.parse(text)))
    }
    assert.equal(({} as Record<string, unknown>)['admin'], undefined)
  })
})

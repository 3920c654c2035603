import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limits } from '../../../../engine/limits.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { Bodies } from '../../../support/bodies.js'
import { randomObject, shuffled } from '../../../support/engine/json.js'
import { assertRefused } from '../../../support/engine/refusal.js'

function roundTrip(bodies: Bodies, body: unknown): unknown {
  return bodies.decode(bodies.encode(body))
}

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = wrap(value)
  return value
}

describe('body writer and reader', () => {
  for (const seed of [1, 2, 3]) {
    it(`random events come back as they were, seed ${seed}`, () => {
      const random = new SeededRandom(seed)
      const bodies = new Bodies()
      for (let i = 0; i < 400; i++) {
        const event = JSON.parse(JSON.stringify(randomObject(random))) as unknown
        assert.deepEqual(roundTrip(bodies, event), event)
        const reordered = shuffled(event, random)
        assert.deepEqual(roundTrip(bodies, reordered), event)
      }
    })
  }

  it('events with the same names in the same order share one shape', () => {
    const bodies = new Bodies()
    for (let i = 0; i < 100; i++) bodies.encode({ host: `h${i}`, user: { name: i, roles: [{ id: i }] } })
    assert.equal(bodies.shapes.size, 3)
    bodies.encode({ user: { name: 1, roles: [] }, host: 'h' })
    assert.equal(bodies.shapes.size, 4)
  })

  it('a body holds no names where its shapes are known', () => {
    const bodies = new Bodies()
    const bytes = bodies.encode({ 'a long name of a field': 1, inner: { 'another long name': [true] } })
    assert.ok(!Buffer.from(bytes).toString('latin1').includes('name'))
  })

  it('minus zero is zero, and half a surrogate pair is U+FFFD', () => {
    const bodies = new Bodies()
    const body = JSON.parse('{"zero":-0,"half":"x\\ud800","list":[-0.0,"\\udfff"]}') as unknown
    const stored = roundTrip(bodies, body)
    assert.deepEqual(stored, { zero: 0, half: 'x\ufffd', list: [0, '\ufffd'] })
    assert.deepEqual(roundTrip(bodies, stored), stored)
  })

  it('names that every object inherits are ordinary names', () => {
    const bodies = new Bodies()
    const event = JSON.parse(
      '{"constructor":1,"toString":{"hasOwnProperty":[{"valueOf":null}]},"length":"x","":{"":""}}',
    ) as unknown
    assert.deepEqual(roundTrip(bodies, event), event)
    assert.deepEqual(roundTrip(bodies, {}), {})
    assert.deepEqual(roundTrip(bodies, { constructor: 2 }), { constructor: 2 })
  })

  it('names that are numbers keep their values, wherever the engine puts them', () => {
    const bodies = new Bodies()
    const event = JSON.parse('{"b":1,"10":2,"2":3,"a":{"1":{"x":1},"0":[]},"-1":4,"01":5}') as unknown
    assert.deepEqual(roundTrip(bodies, event), event)
    const wide: Record<string, unknown> = {}
    for (let i = 200; i > 0; i--) wide[i % 2 === 0 ? String(i) : `n${i}`] = { i }
    assert.deepEqual(roundTrip(bodies, wide), wide)
  })

  it('objects with many or long names carry them and cost no shape', () => {
    const bodies = new Bodies()
    const wide = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`field ${i}`, i]))
    assert.deepEqual(roundTrip(bodies, wide), wide)
    const long = { ['n'.repeat(129)]: { inner: 1 } }
    assert.deepEqual(roundTrip(bodies, long), long)
    assert.equal(bodies.shapes.size, 1)
  })

  it('a full table still takes every event', () => {
    const bodies = new Bodies()
    for (let i = 0; i < 5_000; i++) bodies.encode({ [`only ${i}`]: i })
    const size = bodies.shapes.size
    assert.ok(size < 5_000)
    const event = { 'never seen': { 'nor this': [1, { deep: {} }] }, 'only 3': 1 }
    assert.deepEqual(roundTrip(bodies, event), event)
    assert.deepEqual(roundTrip(bodies, { 'only 4999': 1 }), { 'only 4999': 1 })
    assert.equal(bodies.shapes.size, size)
  })

  it('a second table that has the shapes and words of the first reads what it wrote', () => {
    const random = new SeededRandom(9)
    const first = new Bodies()
    const events = Array.from({ length: 50 }, () => randomObject(random))
    const written = events.map((event) => first.encode(event))
    const second = first.copy()
    assert.deepEqual(
      written.map((bytes) => second.decode(bytes)),
      events,
    )
    assert.deepEqual(second.shapes.size, first.shapes.size)
    second.encode({ 'new in the second': 1 })
    assert.deepEqual(second.shapes.names(first.shapes.size), ['new in the second'])
  })

  it('depth is bounded, for objects and for arrays', () => {
    const bodies = new Bodies()
    for (const wrap of [(inner: unknown) => ({ a: inner }), (inner: unknown) => [inner]]) {
      const deepest = { root: nested(limits.eventDepthMax - 1, wrap) }
      assert.deepEqual(roundTrip(bodies, deepest), deepest)
      assertRefused('event_too_deep', () => bodies.encode({ root: nested(limits.eventDepthMax, wrap) }))
      assertRefused('event_too_deep', () => bodies.encode({ root: nested(100_000, wrap) }))
    }
  })

  it('fields and items are counted together, at all depths', () => {
    const bodies = new Bodies()
    const fits = { list: new Array(limits.eventFieldsMax - 1).fill(0) }
    assert.deepEqual(roundTrip(bodies, fits), fits)
    assertRefused('event_too_wide', () => bodies.encode({ list: new Array(limits.eventFieldsMax).fill(0) }))
    const wide = Object.fromEntries(Array.from({ length: limits.eventFieldsMax + 1 }, (_, i) => [`f${i}`, i]))
    assertRefused('event_too_wide', () => bodies.encode(wide))
    const halves = { a: new Array(limits.eventFieldsMax / 2).fill(0), b: new Array(limits.eventFieldsMax / 2).fill(0) }
    assertRefused('event_too_wide', () => bodies.encode(halves))
    assert.deepEqual(roundTrip(bodies, fits), fits)
  })

  it('arrays and objects may be longer than two bytes can count', () => {
    const bodies = new Bodies()
    for (const length of [65_535, 65_536, 100_000]) {
      const list = { list: Array.from({ length }, (_, i) => i) }
      assert.deepEqual(roundTrip(bodies, list), list)
      const names = { a: Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}`, i])), b: 1 }
      assert.deepEqual(roundTrip(bodies, names), names)
    }
  })

  it('one body does not fill the table of shapes', () => {
    const bodies = new Bodies()
    const body = { list: Array.from({ length: 3_000 }, (_, i) => ({ [`a${i}`]: 1, [`b${i}`]: 2 })) }
    assert.deepEqual(roundTrip(bodies, body), body)
    assert.ok(bodies.shapes.size <= 128)
  })

  it('a million keys are refused before they cost a shape', () => {
    const bodies = new Bodies()
    const text = `{${Array.from({ length: 200_001 }, (_, i) => `"k${i}":0`).join(',')}}`
    assertRefused('event_too_wide', () => bodies.encode(JSON.parse(text)))
    assert.equal(bodies.shapes.size, 0)
  })

  it('a number that no 64 bits hold is refused, wherever it stands', () => {
    const bodies = new Bodies()
    for (const text of ['{"a":1e400}', '{"a":{"b":[-1e400]}}', `{"a":1${'0'.repeat(400)}}`]) {
      assertRefused('number_too_large', () => bodies.encode(JSON.parse(text)))
    }
    assert.deepEqual(roundTrip(bodies, JSON.parse('{"a":[1.7976931348623157e308,1e-400]}')), {
      a: [Number.MAX_VALUE, 0],
    })
  })

  it('a field named __proto__ is refused at any depth, in wide objects too', () => {
    const bodies = new Bodies()
    const wide = Array.from({ length: 100 }, (_, i) => `"f${i}":0`).join(',')
    for (const text of [
      '{"__proto__":{"admin":true}}',
      '{"a":{"b":[{"__proto__":1}]}}',
      `{${wide},"__proto__":1}`,
      '{"a":1,"__proto__":null}',
    ]) {
      assertRefused('forbidden_field', () => bodies.encode(JSON.parse(text)))
      assertRefused('forbidden_field', () => bodies.encode(JSON.parse(text)))
    }
    assert.equal(({} as Record<string, unknown>).admin, undefined)
  })
})

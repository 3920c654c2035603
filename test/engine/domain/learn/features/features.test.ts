import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PointValue } from '../../../../../engine/domain/learn/classifier.js'
import { FeatureEncoder, MEASURED } from '../../../../../engine/domain/learn/features/features.js'
import { profilePoints } from '../../../../../engine/domain/learn/features/point-profile.js'
import { limits } from '../../../../../engine/limits.js'

function encoderOf(rows: readonly (readonly PointValue[])[], pairs: readonly number[] = []): FeatureEncoder {
  const count = rows[0]?.length ?? 0
  const names = Array.from({ length: count }, (_, i) => `point.${i}`)
  return new FeatureEncoder(names, profilePoints(count, rows), Int32Array.from(pairs))
}

function featuresOf(encoder: FeatureEncoder, values: readonly PointValue[]): Set<number> {
  encoder.encode(values)
  return new Set(encoder.hashes.subarray(0, encoder.count))
}

/** How many features two values of a point share. */
function shared(encoder: FeatureEncoder, a: PointValue, b: PointValue): number {
  const first = featuresOf(encoder, [a])
  return [...featuresOf(encoder, [b])].filter((hash) => first.has(hash)).length
}

const text = encoderOf([['a'], ['b']])

test('a short text is one category', () => {
  assert.equal(featuresOf(text, ['escalated']).size, 1)
  assert.equal(shared(text, 'escalated', 'dropped'), 0)
  assert.equal(shared(text, 'Escalated', 'escalated'), 0)
})

test('texts share their words, in any case and order', () => {
  assert.equal(featuresOf(text, ['failed login from root']).size, 5)
  assert.equal(shared(text, 'failed login from root', 'ROOT: Login/failed!'), 3)
})

test('words that are identifiers are alike', () => {
  assert.equal(shared(text, 'core dump 0x0b85eee0', 'core dump 0x77ff0012'), 3)
  assert.equal(shared(text, 'error code 404', 'error code 500'), 2)
})

test('IPv4 addresses share their networks', () => {
  assert.equal(shared(text, '10.1.2.3', '10.1.2.77'), 2)
  assert.equal(shared(text, '10.1.2.3', '10.1.9.3'), 1)
  assert.equal(shared(text, '10.1.2.3', '10.9.2.3'), 0)
})

test('a text, a number and a boolean that look alike differ, and so do points', () => {
  const mixed = encoderOf([[1], ['1'], ['one'], [true]])
  assert.equal(shared(mixed, '1', 1), 0)
  assert.equal(shared(mixed, 'true', true), 0)
  const two = encoderOf([['a', 'a']])
  assert.equal(featuresOf(two, ['a', 'a']).size, 2)
})

test('a number that is written as a text is the number, where texts are numbers', () => {
  const port = encoderOf([['22'], ['443'], ['443'], ['8080']])
  assert.equal(shared(port, '443', 443), featuresOf(port, [443]).size)
  assert.equal(shared(port, '443', 'https'), 0)
})

test('a value that comes alone where there are lists is a list of one', () => {
  const tags = encoderOf([['a'], [['a', 'b']], ['c']])
  assert.equal(shared(tags, 'a', ['a', 'b']), 2, 'the item, and that there are some')
  assert.equal(shared(tags, 'c', ['a', 'b']), 1)
  const ports = encoderOf([[22], [[22, 80]], [443], [443]])
  assert.equal(shared(ports, 22, [22, 80]), 1)
  assert.equal(shared(ports, 443, 443), featuresOf(ports, [443]).size)
})

test('times share their hour and their weekday', () => {
  const when = encoderOf([['2026-11-02T08:15:00Z'], ['2026-11-03 09:00:00']])
  assert.equal(featuresOf(when, ['2026-11-02T08:15:00Z']).size, 2)
  assert.equal(shared(when, '2026-11-02T08:15:00Z', '2026-11-09T08:59:59.5Z'), 2)
  assert.equal(shared(when, '2026-11-02T08:15:00Z', '2026/11/04 08:00'), 1)
  assert.ok(featuresOf(when, ['some day']).size > 0)
})

test('near numbers share a bin, equal ones of a few a category too', () => {
  const measure = encoderOf(Array.from({ length: 300 }, (_, i) => [i * 3.1]))
  assert.equal(shared(measure, 100.5, 101.5), 2)
  assert.equal(shared(measure, 100.5, 800), 1)
  const ports = encoderOf(Array.from({ length: 300 }, (_, i) => [[22, 80, 443][i % 3] as number]))
  assert.equal(featuresOf(ports, [443]).size, 3)
})

test('a number beyond all that were known is read as the furthest of them', () => {
  const encoder = encoderOf(Array.from({ length: 200 }, (_, i) => [1_000 + i * 1.37]))
  const measured = (value: number): number => {
    encoder.encode([value])
    return encoder.weights[encoder.kinds.indexOf(MEASURED)] as number
  }
  assert.equal(measured(1e9), measured(1_000 + 199 * 1.37))
  assert.equal(measured(-5), measured(1_000))
  assert.ok(measured(1_100) > measured(1_000) && measured(1_100) < measured(1e9))
})

test('arrays share their items in any order', () => {
  assert.deepEqual(featuresOf(text, [['a', 'b', 1]]), featuresOf(text, [[1, 'b', 'a']]))
  assert.equal(shared(text, ['a', 'b'], ['b', 'c']), 2)
})

test('missing is a feature, but not where it is the rule', () => {
  const often = encoderOf([['a'], ['b'], [null]])
  assert.equal(featuresOf(often, [null]).size, 1)
  assert.equal(often.atomAt[0], 0)
  const seldom = encoderOf([['a'], [null], [null]])
  assert.equal(featuresOf(seldom, [null]).size, 0)
  assert.equal(seldom.atomAt[0], -1)
})

test('a pair of points adds one feature that tells both', () => {
  const pair = encoderOf([['a', 'b', 'c']], [0, 2])
  const first = featuresOf(pair, ['a', 'x', 'c'])
  const second = featuresOf(pair, ['a', 'y', 'c'])
  assert.equal(first.size, 4)
  assert.equal([...second].filter((hash) => first.has(hash)).length, 3)
})

test('the atom of a point stands first among its features', () => {
  const encoder = encoderOf([
    ['a b c', 1, ['x']],
    ['d', 2, ['y']],
  ])
  encoder.encode(['failed login', 3.5, ['x', 'z']])
  for (const point of [0, 1, 2]) {
    assert.equal(encoder.hashes[encoder.atomAt[point] as number], encoder.atoms[point])
  }
})

test('long values are cut where the limits say', () => {
  const long = 'x'.repeat(limits.pointValueCharsMax)
  assert.deepEqual(featuresOf(text, [long]), featuresOf(text, [`${long}y`]))
  encodeMany(text)
  assert.ok(text.count < 600)
})

function encodeMany(encoder: FeatureEncoder): void {
  encoder.encode([Array.from({ length: 5_000 }, (_, i) => i)])
  assert.ok(encoder.count <= limits.pointItemsMax + 2)
  encoder.encode([Array.from({ length: 2_000 }, (_, i) => `w${i % 9}`).join(' ')])
}

test('a name of many parts is no sentence: its parts tell less than words between spaces', () => {
  const partWeight = (text: string): number => {
    const encoder = encoderOf([[text]])
    encoder.encode([text])
    return encoder.weights[1] as number
  }
  assert.ok(partWeight('R57-M0-N4-C:J16') < partWeight('link R57 failed again now'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelReader, ModelWriter } from '../../../../../engine/domain/learn/model-bytes.js'
import {
  profilePoints,
  readProfiles,
  signedLog,
  writeProfiles,
  type PointProfile,
} from '../../../../../engine/domain/learn/features/point-profile.js'

test('numbers that come again are categories, numbers that do not are not', () => {
  const rows = Array.from({ length: 400 }, (_, i) => [[22, 80, 443][i % 3] as number, i * 1.37])
  const [ports, sizes] = profilePoints(2, rows)
  assert.equal(ports?.exact, true)
  assert.equal(sizes?.exact, false)
})

test('bins hold about as many numbers each, and their bounds ascend', () => {
  const rows = Array.from({ length: 1_000 }, (_, i) => [(i * 7919) % 1_000])
  const edges = profilePoints(1, rows)[0]?.edges as Float64Array
  assert.equal(edges.length, 19)
  for (let i = 0; i < edges.length; i++) assert.equal(edges[i], (i + 1) * 50)
})

test('a number that is nearly always the same has few bins', () => {
  const rows = Array.from({ length: 1_000 }, (_, i) => [i === 0 ? 5 : 0])
  assert.deepEqual([...(profilePoints(1, rows)[0]?.edges ?? [1])], [])
})

test('a point missing in more than half of the rows is sparse', () => {
  const [often, seldom] = profilePoints(2, [
    [null, 'a'],
    [null, null],
    ['b', 'c'],
  ])
  assert.equal(often?.sparse, true)
  assert.equal(seldom?.sparse, false)
})

test('odd numbers and no rows leave sound profiles', () => {
  const [odd] = profilePoints(1, [[NaN], [Infinity], [1e308], [-1e308], ['text']])
  assert.ok(Number.isFinite(odd?.mean) && Number.isFinite(odd?.deviation))
  assert.equal(profilePoints(2, []).length, 2)
})

test('the signed logarithm keeps sign and order', () => {
  assert.equal(signedLog(0), 0)
  assert.equal(signedLog(-10), -signedLog(10))
  assert.ok(signedLog(100) > signedLog(10))
})

test('profiles are read as they were written', () => {
  const profiles = profilePoints(
    6,
    Array.from({ length: 50 }, (_, i) => [
      i,
      i % 2,
      null,
      String(i),
      i % 3 === 0 ? ['a', 'b'] : 'a',
      `2026-11-02T08:${10 + i}:00Z`,
    ]),
  )
  const to = new ModelWriter('k/1')
  writeProfiles(profiles, to)
  const from = new ModelReader(to.seal(), 'k/1')
  assert.deepEqual(readProfiles(from), profiles)
  from.finish()
})

test('a profile without bounds is read without', () => {
  const [known] = profilePoints(
    1,
    Array.from({ length: 50 }, (_, i) => [i]),
  )
  assert.deepEqual([known?.low, known?.high], [0, signedLog(49)])
  const to = new ModelWriter('k/1')
  writeProfiles([{ ...(known as PointProfile), low: -Infinity, high: Infinity }], to)
  const from = new ModelReader(to.seal(), 'k/1')
  assert.equal(readProfiles(from)[0]?.high, Infinity)
  from.finish()
})

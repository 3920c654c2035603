import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawKey, screen } from '../../../../../engine/domain/learn/selection/screening.js'

const all = Array.from({ length: 1_000 }, (_, key) => ({
  events: key < 10 ? 1_000 : 1,
  doubt: key === 999 ? 0.9 : 0.1,
  key,
}))

test('few are all candidates', () => {
  assert.deepEqual(screen(all.slice(0, 3), 1, 16), [0, 1, 2])
})

test('of many the largest, the most doubtful and some drawn by event are candidates', () => {
  const chosen = screen(all, 1, 32)
  assert.equal(chosen.length, 32)
  for (let key = 0; key < 10; key++) assert.ok(chosen.includes(key), String(key))
  assert.ok(chosen.includes(999))
  assert.deepEqual(screen(all, 1, 32), chosen)
})

test('a draw by event meets a bucket as often as it has events', () => {
  let large = 0
  for (let seed = 0; seed < 2_000; seed++)
    if (drawKey(seed, { key: 1, events: 3 }) < drawKey(seed, { key: 2, events: 1 })) large++
  assert.ok(Math.abs(large / 2_000 - 0.75) < 0.04, String(large))
})

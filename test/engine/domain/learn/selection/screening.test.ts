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

test('of equally doubtful ones the first are candidates, beside those that are drawn and the largest', () => {
  for (const max of [16, 32, 64]) {
    const some = Array.from({ length: 300 }, (_, key) => ({ events: 1 + (key % 4), doubt: (key % 3) / 2, key }))
    const before = (figure: (one: (typeof some)[number]) => number): number[] =>
      [...some.keys()].sort((a, b) => figure(some[b]!) - figure(some[a]!) || a - b)
    const expected = new Set<number>()
    const take = (order: readonly number[], upTo: number): void => {
      for (const place of order) if (expected.size < upTo) expected.add(place)
    }
    take(
      before((one) => -drawKey(7, one)),
      (3 * max) / 16,
    )
    take(
      before(({ doubt }) => doubt),
      (6 * max) / 16,
    )
    take(
      before(({ events, doubt }) => Math.sqrt(events) * doubt),
      max,
    )
    assert.deepEqual(
      screen(some, 7, max),
      [...expected].sort((a, b) => a - b),
    )
  }
})

test('a draw by event meets a bucket as often as it has events', () => {
  let large = 0
  for (let seed = 0; seed < 2_000; seed++)
    if (drawKey(seed, { key: 1, events: 3 }) < drawKey(seed, { key: 2, events: 1 })) large++
  assert.ok(Math.abs(large / 2_000 - 0.75) < 0.04, String(large))
})

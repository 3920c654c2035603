import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrapped, wilson } from '../../../../engine/domain/metrics/interval.js'

function near(value: number, wanted: number, within: number): void {
  assert.ok(Math.abs(value - wanted) <= within, `${value} is not within ${within} of ${wanted}`)
}

test('the interval of a share is the one that Wilson published', () => {
  // R: prop.test(15, 148, correct = FALSE)
  const { low, high } = wilson(15, 148)
  near(low, 0.0624, 0.0001)
  near(high, 0.1605, 0.0001)
})

test('a share of none or of all has an interval with one end there', () => {
  assert.equal(wilson(0, 40).low, 0)
  near(wilson(0, 40).high, 0.0876, 0.0001)
  assert.equal(wilson(40, 40).high, 1)
  near(wilson(40, 40).low, 0.9124, 0.0001)
})

test('the bootstrap of a share is near its formula, and always the same', () => {
  const share = ([part, rest]: readonly number[]): number => (part as number) / ((part as number) + (rest as number))
  const drawn = bootstrapped([60, 40], share)
  const formula = wilson(60, 100)
  near(drawn.low, formula.low, 0.02)
  near(drawn.high, formula.high, 0.02)
  assert.deepEqual(bootstrapped([60, 40], share), drawn)
})

test('more events make the interval narrower, at no more cost', () => {
  const share = ([part, rest]: readonly number[]): number => (part as number) / ((part as number) + (rest as number))
  const width = (counts: readonly number[]): number => {
    const { low, high } = bootstrapped(counts, share)
    return high - low
  }
  assert.ok(width([6_000_000, 4_000_000]) < 0.1 * width([60, 40]))
})

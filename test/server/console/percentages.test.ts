import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confidenceText, percent, share, threshold } from '../../../server/console/percentages.js'

test('a confidence is never shown on the other side of a number than it is', () => {
  for (const [value, text] of [
    [0, '0 %'],
    [0.04, '0 %'],
    [50, '50 %'],
    [79.6, '79.6 %'],
    [79.96, '79.9 %'],
    [79.99, '79.9 %'],
    [80, '80 %'],
    [99, '99 %'],
    [99.01, '>99 %'],
    [99.6, '>99 %'],
    [99.99, '>99 %'],
    [100, '100 %'],
  ] as const)
    assert.equal(confidenceText(value), text, String(value))
  for (let at = 0; at <= 10_000; at++) {
    const value = at / 100
    const shown = confidenceText(value)
    const number = Number(shown.replace(/[^\d.]/g, ''))
    const isAbove = shown.startsWith('>')
    assert.ok(isAbove ? value > number && value < 100 : value >= number, `${value} as ${shown}`)
    for (const limit of isAbove ? [] : [10, 60, 80, 99, 100])
      assert.equal(number < limit, value < limit, `${value} as ${shown}, below ${limit}`)
  }
})

test('what is not quite all or nothing is not called so', () => {
  assert.deepEqual([99.7, 0.2, 100, 0, 41.2].map(percent), ['>99 %', '<1 %', '100 %', '0 %', '41 %'])
  assert.deepEqual([0.9996, 0.0004, 1, 0, 0.5].map(share), ['>99.9 %', '<0.1 %', '100.0 %', '0.0 %', '50.0 %'])
  assert.deepEqual([99.5, 99.95, 95, 100].map(threshold), ['99.5 %', '99.95 %', '95 %', '100 %'])
})

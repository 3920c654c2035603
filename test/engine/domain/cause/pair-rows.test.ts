import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayEdges } from '../../../../engine/domain/cause/delays.js'
import { freshPair, minedWindow, pairKey } from '../../../../engine/domain/cause/pair-rows.js'

/** The window of one pair, which had so many occurrences a second up to each of these seconds, on one side. */
function windowOf(perSecond: readonly (readonly [upTo: number, count: number])[]): number {
  const pair = freshPair()
  delayEdges.forEach((edge, bin) => {
    const from = delayEdges[bin - 1] ?? 0
    const rate = perSecond.find(([upTo]) => edge <= upTo * 1_000)?.[1] ?? 0
    pair.sided[bin] = (rate * (edge - from)) / 1_000
  })
  pair.totals[0] = pair.sided.reduce((a, b) => a + b, 0)
  const key = pairKey(1, 2)
  return minedWindow([key], (asked) => (asked === key ? pair : null)) / 1_000
}

test('the window holds most of what one order has more than the other', () => {
  assert.equal(windowOf([[30, 20]]), 30)
  assert.equal(windowOf([[300, 5]]), 300)
  assert.equal(windowOf([[30, 0.001]]), 0, 'hardly any: none is mined')
})

test('a thin excess over minutes does not widen it', () => {
  assert.equal(
    windowOf([
      [60, 10],
      [300, 1.5],
    ]),
    60,
  )
  assert.equal(
    windowOf([
      [60, 10],
      [300, 4],
    ]),
    300,
    'a thick one does',
  )
})

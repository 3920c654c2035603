import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayEdges } from '../../../../engine/domain/cause/delays.js'
import { freshPair, isForward, minedWindow, pairKey } from '../../../../engine/domain/cause/pair-rows.js'

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

test('a pair is cause and effect in the order that is more common, never in both', () => {
  assert.ok(isForward({ n: 30, r: 10 }, { n: 10, r: 2 }))
  assert.ok(!isForward({ n: 10, r: 2 }, { n: 30, r: 10 }))
  for (const [n, r, otherN, otherR] of [
    [30, 20, 28, 2],
    [28, 2, 30, 20],
    [30, 10, 30, 9],
    [12, 12, 12, 0],
  ] as const) {
    const [there, back] = [
      { n, r },
      { n: otherN, r: otherR },
    ]
    assert.ok(!(isForward(there, back) && isForward(back, there)), `${n} ${r} ${otherN} ${otherR}`)
  }
})

test('where both orders are about as common the one that did four times as much is cause and effect', () => {
  assert.ok(isForward({ n: 30, r: 20 }, { n: 30, r: 3 }))
  assert.ok(!isForward({ n: 30, r: 10 }, { n: 30, r: 3 }), 'a little more tells nothing')
  assert.ok(!isForward({ n: 10, r: 10 }, { n: 40, r: 1 }), 'nor where the other order is far more common')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Likeness } from '../../../../../engine/domain/learn/likeness.js'
import { AskOrder } from '../../../../../engine/domain/learn/selection/ask-order.js'
import { gatherCandidates } from '../../../../../engine/domain/learn/selection/candidates.js'

/** Candidates without a model: a value of each, and how many events it has. */
function candidatesOf(all: readonly (readonly [string, number])[], labelled: readonly string[] = []) {
  const values = all.map(([value]) => value.split(' '))
  const known = labelled.map((value) => value.split(' '))
  return gatherCandidates({
    values,
    events: all.map(([, events]) => events),
    labelled: known,
    likeness: Likeness.of(['a', 'b', 'c'], [...values, ...known]),
    model: null,
    labelCount: 2,
    objective: 'accuracy',
  })
}

function take(order: AskOrder, count: number): number[] {
  return Array.from({ length: count }, () => {
    const place = order.best()
    if (place >= 0) order.take(place, true)
    return place
  })
}

test('without labels the largest comes first, and each candidate once', () => {
  const order = new AskOrder(
    candidatesOf([
      ['x y z', 4],
      ['p q r', 100],
      ['s t u', 9],
    ]),
  )
  assert.deepEqual(take(order, 4), [1, 2, 0, -1])
})

test('a candidate with large neighbours comes before one that is as large and alone', () => {
  const order = new AskOrder(
    candidatesOf([
      ['alone so far', 100],
      ['host web up', 100],
      ['host web up ', 81],
      ['host web up', 81],
    ]),
  )
  assert.equal(order.best(), 1)
})

test('a label covers what is like it, so its neighbours no longer count', () => {
  const candidates = candidatesOf([
    ['host web up', 100],
    ['host web up', 99],
    ['mail box full', 98],
  ])
  const order = new AskOrder(candidates)
  const before = order.value(0)
  order.take(1, true)
  assert.ok(order.value(0) < before)
  assert.ok(order.covered(0) > 0.999)
  assert.ok(order.covered(2) < 0.01)
})

test('what is covered by a labelled bucket is known from the start', () => {
  const { covered } = candidatesOf(
    [
      ['host web up', 1],
      ['mail box full', 1],
    ],
    ['host web up'],
  )
  assert.ok((covered[0] as number) > 0.999)
  assert.ok((covered[1] as number) < 0.01)
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BELIEVED, DOUBTED, HawkesProcess } from '../../../../engine/domain/cause/hawkes.js'
import { alarm, TestClustering, TestCauseStore } from '../../../support/cause.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { causeBounds } from '../../../../engine/domain/cause/bounds.js'

/** A stream in which `power` brings `link` after some seconds, and `noise` comes whenever it likes. */
function taught(): TestClustering {
  const random = new SeededRandom(7)
  const world = new TestClustering()
  const events: [number, Record<string, unknown>][] = []
  for (let i = 0; i < 400; i++) {
    const [device, at] = [`d${random.below(5)}`, i * 700 + random.below(300)]
    events.push([at, alarm(device, 'power', at)], [at + 4, alarm(device, 'link', at + 4)])
    for (let n = 0; n < 20; n++) {
      const then = i * 700 + random.below(700)
      events.push([then, alarm(`d${random.below(5)}`, 'noise', then)])
    }
  }
  events.sort(([one], [other]) => one - other)
  // The days of the stream lie behind the day on which it arrives.
  for (const [, body] of events) world.take(body, 0)
  return world
}

describe('precedence mined from a stream', () => {
  const {
    clustering: { hawkes },
  } = taught()
  const [power, link, noise] = ['power', 'link', 'noise'].map((name) => hawkes.kindOf(name)) as [number, number, number]

  it('believes what comes behind its cause, and not the other way round', () => {
    assert.equal(hawkes.belief(power, link, 0), BELIEVED)
    assert.equal(hawkes.belief(link, power, 0), DOUBTED)
  })

  it('doubts what only happens to come near', () => {
    assert.equal(hawkes.belief(noise, link, 0), DOUBTED)
    assert.equal(hawkes.belief(power, noise, 0), DOUBTED)
  })

  it('never takes a repeat for an effect, unless one lists the other', () => {
    assert.equal(hawkes.belief(noise, noise, 0), 0)
    assert.equal(hawkes.belief(link, link, 1), 0)
    assert.equal(new HawkesProcess(new TestCauseStore(), 0).belief(1, 1, 3), BELIEVED)
  })

  it('tells the callee that brings its symptom to a caller from the caller that alerts before its callee, kind by kind', () => {
    const random = new SeededRandom(3)
    const world = new TestClustering()
    for (let i = 0; i < 200; i++) {
      // Everything is of one kind: only who lists whom tells. d1 calls d0, d2 calls d1.
      const at = i * 900
      for (const [hop, lists] of [[], ['d0'], ['d1']].entries())
        world.take(alarm(`d${hop}`, 'slow', at + hop * 8 + random.below(5), lists), 0)
      world.take(alarm(`d${random.below(2)}`, 'slow', at + 600, []), 0)
    }
    const { hawkes: mined } = world.clustering
    const slow = mined.kindOf('slow')
    assert.deepEqual([mined.belief(slow, slow, 3), mined.belief(slow, slow, 2)], [BELIEVED, DOUBTED])
  })

  it('finds the window in which effects come', () => {
    assert.ok(hawkes.windowMs >= 5_000 && hawkes.windowMs <= 30_000, String(hawkes.windowMs))
    assert.equal(new HawkesProcess(new TestCauseStore(), 45_000).windowMs, 45_000)
  })

  it('keeps the usual window where the order of kinds may be chance', () => {
    for (const seed of [1, 2, 3]) {
      const random = new SeededRandom(seed)
      const world = new TestClustering()
      for (let at = 0; at < 2_000; at++)
        world.take(alarm(`d${random.below(5)}`, `kind ${random.below(30)}`, at * 20 + random.below(20)), 0)
      assert.equal(world.clustering.hawkes.windowMs, 60_000, `seed ${seed}`)
    }
  })
})

describe('kinds', () => {
  it('over the bound are one', () => {
    const hawkes = new HawkesProcess(new TestCauseStore(), 0)
    for (let i = 0; i < causeBounds.causeKindsMax; i++) assert.equal(hawkes.kindOf(`kind ${i}`), i + 1)
    assert.deepEqual([hawkes.kindOf('one more'), hawkes.kindOf('another'), hawkes.kindOf('kind 3')], [0, 0, 4])
    assert.equal(hawkes.nameOf(4), 'kind 3')
  })
})

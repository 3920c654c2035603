/** What several nodes take, from the processor time of an event on each. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { share, takenBy, type NodeCosts } from '../../../bench/cluster/node-model.js'
import type { Cost } from '../../../bench/harness/thread-cost.js'

const of = (main: number, deciding: number, others = 0): Cost => ({ main, http: 0, deciding, others })
const resting = of(0, 0)
const main = ({ main: micros }: Cost): number => micros

describe('nodes that share requests', () => {
  it('take nothing from each other where following and sending cost nothing', () => {
    const free: NodeCosts = { own: of(10, 1), enters: of(10, 1), hosts: of(0, 1), standby: of(0, 1), resting }
    for (const nodes of [1, 2, 5]) assert.equal(share(free, main, nodes), 10 / nodes)
    assert.deepEqual(takenBy(free, 5, 4), { perSecond: 500_000, fullFirst: 'main threads' })
  })

  it('do not decide more events than one does: each has a copy of every shard', () => {
    const costs: NodeCosts = { own: of(1, 6), enters: of(1, 6), hosts: of(1, 6), standby: of(1, 6), resting }
    const deciding = ({ deciding: micros }: Cost): number => micros
    for (const nodes of [1, 2, 3, 5]) assert.equal(share(costs, deciding, nodes), 6)
    assert.equal(takenBy(costs, 2, 4).perSecond, takenBy(costs, 5, 4).perSecond)
    assert.equal(takenBy(costs, 2, 4).fullFirst, 'deciding threads')
  })

  it('pay for an event that comes to another node than its owner', () => {
    const costs: NodeCosts = { own: of(10, 0), enters: of(8, 0), hosts: of(6, 0), standby: of(2, 0), resting }
    // Half of the events come to their owner: 10 + 2; the others cost 8 + 6. Two nodes share that.
    assert.equal(share(costs, main, 2), (12 / 2 + 14 / 2) / 2)
    assert.equal(share(costs, main, 3), ((10 + 2 * 2) / 3 + (2 / 3) * (8 + 6 + 2)) / 3)
  })

  it('have less for events by what they take without any', () => {
    const costs: NodeCosts = {
      own: of(10, 1),
      enters: of(10, 1),
      hosts: of(0, 1),
      standby: of(0, 1),
      resting: of(0.2, 0),
    }
    assert.deepEqual(takenBy(costs, 2, 4), { perSecond: 160_000, fullFirst: 'main threads' })
  })
})

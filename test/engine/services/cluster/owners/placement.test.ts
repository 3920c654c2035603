import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { placementOf } from '../../../../../engine/services/cluster/owners/placement.js'

const nodes = ['a1', 'b2', 'c3', 'd4', 'e5']

describe('the placement of shards', () => {
  it('gives no node more than its share', () => {
    for (let count = 1; count <= nodes.length; count++) {
      const placed = placementOf(16, nodes.slice(0, count))
      const counts = nodes.slice(0, count).map((node) => placed.filter((one) => one === node).length)
      assert.equal(placed.length, 16)
      assert.ok(Math.max(...counts) <= Math.ceil(16 / count), counts.join())
    }
  })

  it('does not depend on the order of the nodes', () => {
    assert.deepEqual(placementOf(16, nodes), placementOf(16, [...nodes].reverse()))
  })

  it('leaves most shards where they are when a node comes', () => {
    const before = placementOf(64, nodes.slice(0, 4))
    const after = placementOf(64, nodes)
    const moved = before.filter((node, shard) => after[shard] !== node).length
    assert.ok(moved <= 32, `${moved} of 64 move`)
  })

  it('places nothing without a node', () => {
    assert.deepEqual(placementOf(8, []), [])
  })
})

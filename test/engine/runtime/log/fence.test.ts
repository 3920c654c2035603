import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Fence } from '../../../../engine/runtime/log/fence.js'
import { until } from '../../../support/until.js'

describe('a fence', () => {
  it('tells once that another writer has begun, and turns are turned away for a while', async () => {
    let [told, decided] = [0, 0]
    const fence = new Fence(() => told++, 200)
    assert.deepEqual([fence.isClosed, fence.isBeingLeft], [false, false])
    fence.close()
    fence.close()
    assert.deepEqual([told, fence.isClosed], [1, true])
    assert.equal((await fence.turnAway(() => decided++)).turnedAway, true)
    assert.equal(decided, 1)
    await until(() => !fence.isBeingLeft)
    assert.equal(fence.isClosed, true)
  })

  it('turns nothing away where nobody leaves the shard', () => {
    const fence = new Fence()
    fence.close()
    assert.deepEqual([fence.isClosed, fence.isBeingLeft], [true, false])
  })
})

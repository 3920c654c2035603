import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PointTables } from '../../../../engine/domain/metrics/point-usefulness.js'

it('tells the point that settles the answer from the ones that say nothing, and does not fall for ids', () => {
  const tables = new PointTables(['settles', 'constant', 'id', 'often missing'], 2)
  for (let i = 0; i < 400; i++) tables.add([i % 2 === 0 ? 'a' : 'b', 'x', i, i % 4 === 0 ? 'y' : null], i % 2)
  const [settles, constant, id, missing] = tables.figures()
  assert.ok(settles !== undefined && constant !== undefined && id !== undefined && missing !== undefined)
  assert.ok(settles.mutualInformationBits > 0.999 && settles.shareOfConsensusEntropy > 0.99)
  assert.deepEqual([constant.mutualInformationBits, constant.distinctValues, constant.missingShare], [0, 1, 0])
  assert.ok(id.mutualInformationBits > 0.999 && id.shareOfConsensusEntropy < 0.3)
  assert.deepEqual([missing.missingShare, missing.distinctValues], [0.75, 1])
})

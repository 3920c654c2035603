import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reportOf } from '../../../bench/root-cause/figures.js'
import { play } from '../../../bench/root-cause/play.js'
import { mined } from '../../../bench/root-cause/simple-methods.js'
import { topologyAlarms, topologyNames } from '../../../bench/root-cause/topologies.js'

describe('synthetic alerts of microservices', () => {
  it('are the same for the same seed, of all three labels, and clusters begin with one cause', () => {
    for (const name of topologyNames) {
      const alarms = topologyAlarms(name, 1_500, 1)
      assert.deepEqual(topologyAlarms(name, 1_500, 1), alarms)
      assert.notDeepEqual(topologyAlarms(name, 1_500, 2), alarms)
      const causes = new Map<number, number>()
      for (const { label, cluster } of alarms) if (label === 0) causes.set(cluster, (causes.get(cluster) ?? 0) + 1)
      assert.ok(
        [...causes.values()].every((count) => count === 1),
        name,
      )
      assert.ok(
        [0, 1, 2].every((each) => alarms.filter(({ label }) => label === each).length > 50),
        name,
      )
    }
  })

  it('are told apart without a label far better than by mining kinds alone', () => {
    const alarms = topologyAlarms('chain', 4_000, 5)
    const ours = reportOf(alarms, play(alarms, { labels: 0, seed: 0, parameters: {}, points: [] }), 0)
    const simple = reportOf(alarms, mined(alarms), 0)
    assert.ok(ours.macroF1 > 0.9 && ours.ari > 0.9, `${ours.macroF1} ${ours.ari}`)
    assert.ok(ours.macroF1 > simple.macroF1 && ours.ari > simple.ari)
  })
})

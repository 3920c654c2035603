import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AutoRetrain } from '../../../engine/job/job.js'
import { retrainBlockedBy } from '../../../engine/job/retrain.js'

const none: AutoRetrain['blockers'] = {
  outliers: false,
  consensusFlipping: false,
  lowConfidenceScore: false,
  undecidedConsensus: false,
  consensusLowScore: false,
  consensusChanges: false,
}

function settings(blockers: Partial<AutoRetrain['blockers']>): AutoRetrain {
  return { enabled: true, cron: '0 3 * * *', blockers: { ...none, ...blockers } }
}

test('outliers block only where the blocker is set and there are some', () => {
  assert.equal(retrainBlockedBy(settings({}), { outliersSinceTraining: 5 }), null)
  assert.equal(retrainBlockedBy(settings({ outliers: true }), { outliersSinceTraining: 0 }), null)
  const reason = retrainBlockedBy(settings({ outliers: true }), { outliersSinceTraining: 5 })
  assert.equal(reason, 'the scheduled training waits: outliers since the last training: 5')
})

test('each blocker looks at its own fact, and a fact that is not counted is none', () => {
  const facts = {
    outliersSinceTraining: 1,
    consensusFlips: 2,
    lowConfidenceDecisions: 3,
    undecidedConsensuses: 4,
    lowScoreConsensuses: 5,
    consensusChanges: 6,
  }
  const blockers = Object.keys(none) as (keyof AutoRetrain['blockers'])[]
  const reasons = blockers.map((blocker) => retrainBlockedBy(settings({ [blocker]: true }), facts))
  assert.deepEqual(reasons.map((reason) => reason?.split(': ').at(-1)), ['1', '2', '3', '4', '5', '6'])
  for (const blocker of blockers) {
    assert.equal(retrainBlockedBy(settings({ [blocker]: true }), { outliersSinceTraining: 0 }), null)
  }
})

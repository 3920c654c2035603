import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AutoRetrain } from '../../../../engine/domain/job/job.js'
import { retrainBlockedBy, type RetrainFacts } from '../../../../engine/domain/job/retrain.js'

const none: AutoRetrain['blockers'] = {
  outliers: false,
  consensusFlipping: false,
  lowConfidenceScore: false,
  undecidedConsensus: false,
  consensusLowScore: false,
  consensusChanges: false,
}
const quiet: RetrainFacts = {
  decided: 100,
  outliers: 0,
  lowConfidence: 0,
  consensusChanges: 0,
  consensusFlips: 0,
  undecided: 0,
  lowScore: 0,
}

function settings(blockers: Partial<AutoRetrain['blockers']>): AutoRetrain {
  return { enabled: true, cron: '0 3 * * *', blockers: { ...none, ...blockers } }
}

function blocks(blocker: keyof AutoRetrain['blockers'], facts: Partial<RetrainFacts>): boolean {
  const all = { ...quiet, ...facts }
  assert.equal(retrainBlockedBy(settings({}), all), null)
  return retrainBlockedBy(settings({ [blocker]: true }), all) !== null
}

test('outliers and low confidence block by their share of the decisions since the training', () => {
  assert.deepEqual(
    [5, 6].map((outliers) => blocks('outliers', { outliers })),
    [false, true],
  )
  assert.deepEqual(
    [25, 26].map((lowConfidence) => blocks('lowConfidenceScore', { lowConfidence })),
    [false, true],
  )
  assert.ok(blocks('outliers', { decided: 1, outliers: 1 }))
  assert.ok(!blocks('outliers', { decided: 0 }))
})

test('ties, small majorities, flips and changes block when there is one', () => {
  for (const [blocker, fact] of [
    ['undecidedConsensus', 'undecided'],
    ['consensusLowScore', 'lowScore'],
    ['consensusFlipping', 'consensusFlips'],
    ['consensusChanges', 'consensusChanges'],
  ] as const) {
    assert.deepEqual(
      [0, 1].map((count) => blocks(blocker, { [fact]: count })),
      [false, true],
      blocker,
    )
  }
})

test('each blocker looks at its own fact alone', () => {
  for (const blocker of Object.keys(none) as (keyof AutoRetrain['blockers'])[]) {
    const loud: RetrainFacts = {
      decided: 100,
      outliers: 50,
      lowConfidence: 50,
      consensusChanges: 1,
      consensusFlips: 1,
      undecided: 1,
      lowScore: 1,
    }
    const others = Object.fromEntries(Object.keys(none).map((name) => [name, name !== blocker]))
    assert.equal(retrainBlockedBy(settings({ [blocker]: true }), loud)?.split('; ').length, 1, blocker)
    assert.equal(retrainBlockedBy(settings(others), loud)?.split('; ').length, 5, blocker)
  }
})

test('the sentence names everything that blocks, with its figures', () => {
  const reason = retrainBlockedBy(settings({ outliers: true, undecidedConsensus: true }), {
    ...quiet,
    outliers: 20,
    undecided: 3,
    lowScore: 9,
  })
  assert.equal(
    reason,
    'The scheduled training waits: outliers: 20 of 100 since the last training, more than 5 %; ' +
      'consensuses that are undecided: 3.',
  )
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ScoredAnswers } from '../../../../engine/domain/learn/scored-answers.js'
import { ConfusionMatrix } from '../../../../engine/domain/metrics/confusion.js'
import { agreementWithVotes } from '../../../../engine/domain/metrics/agreement-with-votes.js'
import { PrequentialTally } from '../../../../engine/domain/metrics/prequential.js'
import { minutesSaved, overallOf, qualityOf } from '../../../../engine/domain/metrics/quality.js'

const names = ['Escalate', 'Drop', 'Investigate']

/** `right` answers of Drop with 95 %, and `wrong` ones to what is Escalate, with 85 %. */
function drops(right: number, wrong: number): ScoredAnswers {
  const scored = new ScoredAnswers(3)
  for (let i = 0; i < right; i++) scored.add(1, 1, 0.95)
  for (let i = 0; i < wrong; i++) scored.add(0, 1, 0.85)
  return scored
}

describe('quality', () => {
  it('says that there is not enough yet below thirty events, and no figure', () => {
    const { enough, message, accuracy, macroF1, expectedCalibrationError } = qualityOf(drops(29, 0), names)
    assert.deepEqual([enough, message], [false, 'not enough yet: 29 of 30 events'])
    assert.deepEqual(accuracy, { value: null, low: null, high: null, events: 29 })
    assert.deepEqual([macroF1.value, expectedCalibrationError], [null, null])
    const overall = overallOf(drops(29, 0), null, names)
    assert.deepEqual([overall.overallAccuracy, overall.overallF1Score], [0, 0], 'a figure is a number')
    assert.deepEqual([overall.basis, overall.basisEvents], ['none', 0])
    assert.equal(overall.confusionMatrix[1]![1], 29, 'the counts are there')
  })

  it('has overall figures of what was measured, else of held-out events, else 0', () => {
    for (const [measured, heldOut, basis, events, accuracy] of [
      [drops(30, 10), drops(1, 9), 'before_votes', 40, 0.75],
      [drops(29, 0), drops(1, 9), 'held_out', 10, 0.1],
      [drops(0, 0), drops(2, 0), 'held_out', 2, 1],
      [drops(29, 0), drops(0, 0), 'none', 0, 0],
      [drops(0, 0), null, 'none', 0, 0],
    ] as const) {
      const overall = overallOf(measured, heldOut, names)
      assert.deepEqual([overall.basis, overall.basisEvents, overall.overallAccuracy], [basis, events, accuracy])
      for (const name of ['overallF1Score', 'overallRecall', 'overallPrecision'] as const)
        assert.equal(typeof overall[name], 'number', name)
    }
  })

  it('has an interval around every figure from thirty events on', () => {
    const { enough, message, accuracy, macroF1 } = qualityOf(drops(45, 15), names)
    assert.deepEqual([enough, message, accuracy.value, accuracy.events], [true, null, 0.75, 60])
    assert.ok((accuracy.low as number) > 0.62 && (accuracy.high as number) < 0.85)
    assert.equal(macroF1.value, overallOf(drops(45, 15), null, names).overallF1Score)
    assert.ok(
      (macroF1.low as number) < (macroF1.value as number) && (macroF1.high as number) > (macroF1.value as number),
    )
  })

  it('counts each share by its own events: a rare label is not enough yet beside a common one', () => {
    const { perLabel } = qualityOf(drops(45, 15), names)
    assert.deepEqual(
      [perLabel.get('Drop')?.precision.value, perLabel.get('Drop')?.recall.events, perLabel.get('Escalate')?.recall],
      [0.75, 45, { value: null, low: null, high: null, events: 15 }],
    )
  })

  it('has ten bins for each label, with the share right beside the mean confidence', () => {
    const report = qualityOf(drops(45, 15), names)
    for (const { reliability } of report.perLabel.values()) assert.equal(reliability.length, 10)
    const bins = report.perLabel.get('Drop')?.reliability ?? []
    assert.deepEqual(
      bins.filter(({ events }) => events > 0).map(({ from, events, right }) => [from, events, right]),
      [
        [0.8, 15, 0],
        [0.9, 45, 45],
      ],
    )
    assert.ok(Math.abs((bins[9]?.meanConfidence ?? 0) - 0.95) < 1e-9)
    assert.deepEqual([bins[9]?.shareRight.value, bins[8]?.shareRight.value], [1, null])
    assert.ok(Math.abs((report.expectedCalibrationError ?? 0) - (45 * 0.05 + 15 * 0.85) / 60) < 1e-9)
  })

  it('saves no minutes while nobody knows how many answers are right, and none for wrong ones', () => {
    assert.equal(minutesSaved(1_000, drops(29, 0), 10), 0)
    assert.equal(minutesSaved(1_000, drops(45, 15), 10), 7_500)
    assert.equal(minutesSaved(1_000, drops(0, 60), 10), 0)
  })
})

describe('prequential quality', () => {
  it('has two parts, and leaves out events without a decision or without a truth', () => {
    const tally = new PrequentialTally(3)
    const first = { label: 1, confidence: 9_500, knownBucket: false, truth: 1 }
    assert.deepEqual(
      [first, { ...first, knownBucket: true, truth: 0 }, { ...first, label: -1 }, { ...first, truth: -1 }].map((one) =>
        tally.add(one),
      ),
      [true, true, false, false],
    )
    const { newBuckets, knownBuckets } = tally.report(names)
    assert.deepEqual([newBuckets.events, knownBuckets.events], [1, 1])
    assert.equal(tally.all().events(1, 1) + tally.all().events(0, 1), 2)
  })
})

describe('agreement with votes', () => {
  it('has no figure that is called accuracy', () => {
    const agreement = agreementWithVotes(
      ConfusionMatrix.of([
        [3, 1],
        [0, 4],
      ]),
    )
    assert.deepEqual(agreement, {
      matrix: [
        [3, 1],
        [0, 4],
      ],
      events: 8,
      share: 7 / 8,
    })
  })
})

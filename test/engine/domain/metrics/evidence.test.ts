import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScoredAnswers } from '../../../../engine/domain/learn/scored-answers.js'
import { evidenceLevel, heldOutByLabel, heldOutVotesMin } from '../../../../engine/domain/metrics/evidence.js'
import { wilson } from '../../../../engine/domain/metrics/interval.js'

const used = [true, true, true]
const of = (...heldOut: number[]) => ({ examples: heldOut, heldOut })

for (const [what, votes, isUsed, level] of [
  ['no model', null, used, 'none'],
  ['two votes', of(1, 1, 0), used, 'thin'],
  ['38 votes of which none is for the first label', of(0, 37, 1), used, 'thin'],
  ['500 votes for one label, and one too few for another', of(heldOutVotesMin - 1, 500, 500), used, 'thin'],
  ['enough votes for each label', of(heldOutVotesMin, heldOutVotesMin, heldOutVotesMin), used, 'enough'],
  ['enough votes for each label that is used', of(40, 40, 0), [true, true, false], 'enough'],
  ['enough votes for two labels, and none for the third', of(40, 40, 0), used, 'thin'],
] as const)
  test(`the evidence is ${level} with ${what}`, () => assert.equal(evidenceLevel(votes, isUsed), level))

test('held-out votes are counted by the label that analysts gave, whatever the answer was', () => {
  const scored = new ScoredAnswers(3)
  scored.add(0, 1, 0.9)
  scored.add(0, 0, 1)
  scored.add(2, 1, 0.05)
  assert.deepEqual(heldOutByLabel(3, scored.counts()), [2, 0, 1])
  assert.deepEqual(heldOutByLabel(3, null), [0, 0, 0])
})

test('with the votes that are needed, the interval of a share of 90 % is 22 points wide', () => {
  const { low, high } = wilson(Math.round(0.9 * heldOutVotesMin), heldOutVotesMin)
  assert.deepEqual(
    [low, high].map((share) => Math.round(100 * share)),
    [74, 97],
  )
})

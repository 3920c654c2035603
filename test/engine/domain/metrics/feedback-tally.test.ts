import assert from 'node:assert/strict'
import { it } from 'node:test'
import { FeedbackTally } from '../../../../engine/domain/metrics/feedback-tally.js'

const vote = (analyst: string, label: number, atS: number) => ({ analyst, label, atMicros: atS * 1e6, eventMicros: 0 })
const all = (): boolean => true
const same = (name: string): string => name

it('counts votes by analyst and label, agreement with others, and delays', () => {
  const tally = new FeedbackTally(['Escalate', 'Drop', 'Investigate'])
  tally.add(
    { votes: [vote('ann', 0, 10), vote('bob', 0, 20), vote('eve', 1, 30)], consensus: 0, overridden: false },
    all,
    same,
  )
  tally.add({ votes: [vote('ann', 2, 40)], consensus: 2, overridden: false }, all, same)
  tally.add({ votes: [vote('ann', 0, 50), vote('bob', 1, 60)], consensus: -2, overridden: false }, all, same)
  tally.add({ votes: [vote('eve', 1, 70)], consensus: 0, overridden: false }, ({ atMicros }) => atMicros < 70e6, same)
  const figures = tally.figures()
  assert.deepEqual(
    [figures.votes, figures.subjects, figures.subjectsWithConsensus, figures.subjectsUndecided],
    [6, 3, 2, 1],
  )
  assert.deepEqual(
    [...figures.votesPerDecision],
    [
      ['Escalate', 3],
      ['Drop', 2],
      ['Investigate', 1],
    ],
  )
  assert.deepEqual([...figures.analysts.keys()], ['ann', 'bob', 'eve'])
  assert.equal(figures.analysts.get('ann')?.agreementWithConsensus, 1)
  assert.equal(figures.analysts.get('eve')?.agreementWithConsensus, 0)
  assert.deepEqual(figures.labelDelay, { medianSeconds: 30, p90Seconds: 60, p99Seconds: 60 })
  assert.deepEqual([figures.agreement.subjects, figures.agreement.unanimous], [2, 0])
})

it('counts what an administrator said, with or without votes', () => {
  const tally = new FeedbackTally(['Escalate', 'Drop'])
  tally.add({ votes: [], consensus: 1, overridden: true }, all, same)
  tally.add({ votes: [vote('ann', 0, 1)], consensus: 1, overridden: true }, all, same)
  const figures = tally.figures()
  assert.deepEqual(
    [figures.votes, figures.subjects, figures.subjectsWithConsensus, figures.subjectsOverridden],
    [1, 2, 2, 2],
  )
  assert.equal(figures.analysts.get('ann')?.agreementWithConsensus, 0)
})

it('counts jobs with other labels under the names that they have in common', () => {
  const tally = new FeedbackTally(['Drop', 'Escalate'])
  tally.add({ votes: [vote('ann', 0, 1)], consensus: 0, overridden: false }, all, same, () => 1)
  assert.deepEqual(
    [...tally.figures().consensusPerDecision],
    [
      ['Drop', 0],
      ['Escalate', 1],
    ],
  )
})

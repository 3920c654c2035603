import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_CONSENSUS, UNDECIDED, type Consensus } from '../../../../engine/domain/learn/consensus.js'
import {
  consensusAt,
  currentConsensus,
  flipsBack,
  knowledgeState,
  missingForTraining,
  withChange,
  type ConsensusChange,
} from '../../../../engine/domain/learn/knowledge-base.js'
import { limits } from '../../../../engine/limits.js'
import { SeededRandom } from '../../../../engine/rng.js'

function changesOf(...pairs: readonly (readonly [number, Consensus])[]): ConsensusChange[] {
  return pairs.map(([seq, consensus]) => ({ seq, consensus }))
}

/** The oldest model that is kept is the one in use. */
function at(seq: number): Parameters<typeof withChange>[2] {
  return { keepFromSeq: seq, trainedThroughSeq: seq }
}

test('without feedback a ballot is new, trained or not', () => {
  assert.equal(knowledgeState([], 0), 'new')
  assert.equal(knowledgeState([], 100), 'new')
})

test('feedback that no training has seen is pending', () => {
  assert.equal(knowledgeState(changesOf([5, 1]), 0), 'pending')
  assert.equal(knowledgeState(changesOf([5, 1]), 4), 'pending')
})

test('a consensus that a training has seen is in the knowledge base until it changes', () => {
  assert.equal(knowledgeState(changesOf([5, 1]), 5), 'in_knowledge_base')
  assert.equal(knowledgeState(changesOf([5, 1], [9, 2]), 8), 'retrain')
  assert.equal(knowledgeState(changesOf([5, 1], [9, UNDECIDED]), 8), 'retrain')
  assert.equal(knowledgeState(changesOf([5, 1], [9, NO_CONSENSUS]), 8), 'retrain')
  assert.equal(knowledgeState(changesOf([5, 1], [9, 2]), 9), 'in_knowledge_base')
})

test('a consensus that changed and changed back is in the knowledge base', () => {
  assert.equal(knowledgeState(changesOf([5, 1], [9, 2], [10, 1]), 6), 'in_knowledge_base')
})

test('a tie is pending, before and after a training', () => {
  assert.equal(knowledgeState(changesOf([5, UNDECIDED]), 0), 'pending')
  assert.equal(knowledgeState(changesOf([5, UNDECIDED]), 7), 'pending')
})

test('feedback withdrawn before any training leaves a ballot new', () => {
  assert.equal(knowledgeState(changesOf([5, 1], [6, NO_CONSENSUS]), 0), 'new')
})

test('the same consensus again is no change', () => {
  const changes = changesOf([5, 1])
  assert.deepEqual(withChange(changes, { seq: 8, consensus: 1 }, at(0)), changes)
})

test('what is before the last training is told by its last change alone', () => {
  const changes = changesOf([1, 0], [3, 1], [5, 2], [9, 0])
  assert.deepEqual(withChange(changes, { seq: 12, consensus: 1 }, at(6)), changesOf([5, 2], [9, 0], [12, 1]))
})

test('a bound keeps what was trained on and what holds now', () => {
  let changes: readonly ConsensusChange[] = changesOf([1, 2])
  for (let seq = 2; seq < 500; seq++) changes = withChange(changes, { seq, consensus: seq % 2 }, at(1))
  assert.equal(changes.length, limits.ballotChangesMax)
  assert.equal(consensusAt(changes, 1), 2)
  assert.equal(currentConsensus(changes), 1)
  assert.equal(knowledgeState(changes, 1), 'retrain')
})

test('a bound keeps what the model in use was trained on, where older models are kept too', () => {
  let changes: readonly ConsensusChange[] = changesOf([1, 2], [3, 1])
  const both = { keepFromSeq: 1, trainedThroughSeq: 3 }
  for (let seq = 4; seq < 500; seq++) changes = withChange(changes, { seq, consensus: seq % 2 }, both)
  assert.equal(changes.length, limits.ballotChangesMax)
  assert.deepEqual([consensusAt(changes, 1), consensusAt(changes, 3), currentConsensus(changes)], [2, 1, 1])
})

test('pruning never changes the state at the training in use or at a later one', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new SeededRandom(seed)
    const whole: ConsensusChange[] = []
    let pruned: readonly ConsensusChange[] = []
    let trained = 0
    for (let seq = 1; seq <= 30; seq++) {
      const consensus = random.below(4) - 2
      if (consensus !== currentConsensus(whole)) whole.push({ seq, consensus })
      pruned = withChange(pruned, { seq, consensus }, at(trained))
      if (random.below(6) === 0) trained = trained + random.below(seq - trained + 1)
      for (let through = trained; through <= seq; through++) {
        const place = `seed ${seed}, through ${through}`
        assert.equal(knowledgeState(pruned, through), knowledgeState(whole, through), place)
      }
    }
  }
})

test('a training needs votes for two labels, and the sentence says what there is', () => {
  const labels = ['Escalate', 'Drop', 'Investigate']
  assert.equal(missingForTraining([1, 0, 3], labels), null)
  assert.match(missingForTraining([0, 0, 0], labels) ?? '', /at least two labels; no event has a vote yet/)
  assert.match(missingForTraining([0, 7, 0], labels) ?? '', /all 7 voted events are Drop/)
})

test('a consensus flips back to a label that it had at the training or since, and left for another', () => {
  const changes = (...consensus: number[]): ConsensusChange[] =>
    consensus.map((each, index) => ({ seq: index + 1, consensus: each }))
  assert.ok(flipsBack(changes(0, 1), 0, 0))
  assert.ok(!flipsBack(changes(0, 1), 0, 2))
  assert.ok(!flipsBack(changes(0, UNDECIDED), 0, 0), 'a tie that was broken')
  assert.ok(flipsBack(changes(0, UNDECIDED, 1, UNDECIDED), 0, 0))
  assert.ok(!flipsBack(changes(0, 1), 2, 0), 'left before the training')
  assert.ok(flipsBack(changes(0, 1, 2), 2, 1))
  assert.ok(!flipsBack([], 0, 0) && !flipsBack(changes(0, 1), 0, UNDECIDED))
})

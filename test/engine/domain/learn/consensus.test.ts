import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  castVote,
  consensusOf as ofEvidence,
  countVotes,
  evidenceOfEvent,
  evidenceOfWhole,
  isMixed,
  isLabel,
  isLowScore,
  NO_CONSENSUS,
  UNDECIDED,
  type Evidence,
  type Vote,
} from '../../../../engine/domain/learn/consensus.js'

/** The consensus of votes on one event. */
function consensusOf(votes: readonly Vote[], override: number | null, labelCount: number): number {
  return ofEvidence({ counts: countVotes(votes, labelCount), ties: 0 }, override)
}

function vote(analyst: string, label: number, atMicros = 1): Vote {
  return { analyst, label, atMicros }
}

test('without votes there is no consensus', () => {
  assert.equal(consensusOf([], null, 3), NO_CONSENSUS)
  assert.ok(!isLabel(NO_CONSENSUS) && !isLabel(UNDECIDED) && isLabel(0))
})

test('the majority decides', () => {
  assert.equal(consensusOf([vote('a', 2)], null, 3), 2)
  assert.equal(consensusOf([vote('a', 0), vote('b', 1), vote('c', 1)], null, 3), 1)
})

test('a tie is undecided, wherever the smaller counts are', () => {
  assert.equal(consensusOf([vote('a', 0), vote('b', 2)], null, 3), UNDECIDED)
  assert.equal(consensusOf([vote('a', 0), vote('b', 1), vote('c', 2)], null, 3), UNDECIDED)
  assert.equal(consensusOf([vote('a', 1), vote('b', 2), vote('c', 1), vote('d', 2), vote('e', 0)], null, 3), UNDECIDED)
})

test('more votes for one label than for each of two others win without half of all', () => {
  assert.equal(consensusOf([vote('a', 0), vote('b', 0), vote('c', 1), vote('d', 2)], null, 3), 0)
})

test('only the latest vote of an analyst counts', () => {
  const votes = [vote('a', 0, 5), vote('a', 1, 3), vote('b', 0, 1)]
  assert.deepEqual(countVotes(votes, 3), [2, 0, 0])
  assert.equal(consensusOf([vote('a', 0, 1), vote('a', 1, 2)], null, 3), 1)
})

test('of two votes at one time the later in the list counts', () => {
  assert.equal(consensusOf([vote('a', 0, 7), vote('a', 2, 7)], null, 3), 2)
})

test('an override wins, and its withdrawal gives the votes their say again', () => {
  const votes = [vote('a', 0), vote('b', 0)]
  assert.equal(consensusOf(votes, 2, 3), 2)
  assert.equal(consensusOf([], 1, 3), 1)
  assert.equal(consensusOf(votes, null, 3), 0)
})

test("a cast vote replaces the analyst's earlier one and keeps the others", () => {
  const votes = castVote([vote('a', 0, 1), vote('b', 1, 2)], vote('a', 2, 3))
  assert.deepEqual(votes, [vote('b', 1, 2), vote('a', 2, 3)])
})

test('a vote older than the one that is there changes nothing', () => {
  const votes = [vote('a', 0, 5)]
  assert.deepEqual(castVote(votes, vote('a', 1, 4)), votes)
})

test('casting a vote twice is casting it once', () => {
  const first = castVote([vote('b', 1, 2)], vote('a', 0, 3))
  const then = castVote(first, vote('c', 0, 4))
  assert.deepEqual(castVote(then, vote('a', 0, 3)), then)
})

test('a majority is small under 60 % of the votes; a tie, nobody’s vote and an override are none', () => {
  const votes = (...labels: number[]): Evidence => ({
    counts: countVotes(
      labels.map((label, index) => vote(`analyst ${index}`, label)),
      3,
    ),
    ties: 0,
  })
  assert.ok(isLowScore(votes(0, 0, 1, 2), null, 0))
  assert.ok(!isLowScore(votes(0, 0, 0, 1, 2), null, 0), 'exactly 60 %')
  assert.ok(!isLowScore(votes(0), null, 0))
  assert.ok(!isLowScore(votes(0, 1), null, UNDECIDED))
  assert.ok(!isLowScore(votes(), null, NO_CONSENSUS))
  assert.ok(!isLowScore(votes(0, 0, 1, 2), 1, 1))
})

test('an event is what most of its analysts say, and a tie says nothing of its bucket', () => {
  assert.deepEqual(evidenceOfEvent([vote('a', 1), vote('b', 1), vote('c', 0)], 3), { counts: [0, 1, 0], ties: 0 })
  assert.deepEqual(evidenceOfEvent([vote('a', 1), vote('b', 0)], 3), { counts: [0, 0, 0], ties: 1 })
  assert.equal(ofEvidence({ counts: [0, 0, 0], ties: 1 }, null), UNDECIDED)
  assert.equal(ofEvidence({ counts: [0, 1, 0], ties: 5 }, null), 1)
})

test('the consensus of a bucket is what most of its voted events are', () => {
  assert.equal(ofEvidence({ counts: [6, 4, 0], ties: 0 }, null), 0)
  assert.equal(ofEvidence({ counts: [4, 4, 0], ties: 0 }, null), UNDECIDED)
})

test('a vote on a whole bucket counts for the events that it replaced', () => {
  const whole = [{ ...vote('a', 2), events: 7 }, vote('b', 0)]
  assert.deepEqual(evidenceOfWhole(whole, 3), { counts: [1, 0, 7], ties: 0 })
})

test('a bucket is mixed where no label has nine of ten voted events', () => {
  assert.ok(isMixed({ counts: [6, 4, 0], ties: 0 }) && isMixed({ counts: [1, 1, 0], ties: 0 }))
  assert.ok(!isMixed({ counts: [9, 1, 0], ties: 0 }) && !isMixed({ counts: [1, 0, 0], ties: 3 }))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  consensusIn,
  decodeBallot,
  encodeBallot,
  encodeVotes,
  mayHaveSeveral,
  type BallotRow,
} from '../../../engine/store/ballot-row.js'

const ballot: BallotRow = {
  changes: [{ seq: 4, consensus: 2 }],
  counts: [0, 1, 3],
  ties: 0,
  state: 1,
  votes: [0, 1, 3],
  votedMicros: 9,
  firstMicros: 5,
  firstVersion: 0,
  override: null,
  consensus: 1,
}

test('the consensus of a ballot is found without the rest, whatever names it has', () => {
  const by = ',"consensus":7, \\"consensus\\":8}'
  for (const consensus of [0, 1, 12, -1, -2])
    for (const override of [null, { label: 0, by, atMicros: 1 }]) {
      const row = encodeBallot({ ...ballot, override, consensus })
      assert.equal(consensusIn(row), consensus)
      assert.deepEqual(decodeBallot(row), { ...ballot, override, consensus })
    }
})

test('no row with two votes is taken for one with a single vote', () => {
  const vote = { analyst: 'ann },{', label: 1, atMicros: 3, eventMicros: 3 }
  assert.equal(mayHaveSeveral(encodeVotes([])), false)
  assert.equal(mayHaveSeveral(encodeVotes([{ ...vote, analyst: 'ann' }])), false)
  assert.equal(mayHaveSeveral(encodeVotes([vote, { ...vote, analyst: 'bob' }])), true)
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AlertRow } from '../../../engine/domain/cause/cause-rows.js'
import { decodeAlert, encodeAlert } from '../../../engine/store/cause-alert-row.js'

const least: AlertRow = {
  cluster: 1,
  timeMs: 0,
  kind: 0,
  entity: '',
  parent: 0,
  parentKind: 0,
  side: 0,
  delayMs: 0,
  belief: 0,
  predecessors: [],
  followers: 0,
  followerKind: 0,
  followerSide: 0,
  followerBelief: 0,
  rank: 0,
  sinceMs: 0,
  lists: 0,
  alone: 'late',
  assumed: false,
  history: [],
}

const full: AlertRow = {
  cluster: 1_700_000_000_000_001,
  timeMs: 4_102_444_800_000,
  kind: 1_024,
  entity: 'Gerät 7\u{1F525}',
  parent: 1_700_000_000_000_000,
  parentKind: 3,
  side: 3,
  delayMs: 599_999,
  belief: 0.1 + 0.2,
  predecessors: Array.from({ length: 12 }, (_, at) => [at * 85, at % 4, at * 50_000, 0.8 / (at + 1)]).flat(),
  followers: 1_000_000,
  followerKind: 1_023,
  followerSide: 2,
  followerBelief: 0.8,
  rank: 2 ** 31,
  sinceMs: -7_200_000,
  lists: 64,
  alone: 'no_id',
  assumed: true,
  history: [
    [1_700_000_000_000_002, -1, 0, 'none'],
    [1_700_000_000_000_003, 2, 10_000, 'ageing_model'],
    [1_700_000_000_000_004, 1, 5_900, 'untrained'],
  ],
}

describe('the row of an alert', () => {
  it('is read as it was written', () => {
    for (const row of [least, full, { ...full, alone: '' as const }])
      assert.deepEqual(decodeAlert(encodeAlert(row)), row)
  })

  it('of a later version is not read as one of today', () => {
    const later = encodeAlert(full)
    later[0] = 2
    assert.throws(() => decodeAlert(later), /version/)
  })
})

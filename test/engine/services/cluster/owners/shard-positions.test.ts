import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LogUnavailable, type RecordLog } from '../../../../../engine/runtime/log/turn-log.js'
import type { ClusterLogs } from '../../../../../engine/services/cluster/cluster-logs.js'
import { Members } from '../../../../../engine/services/cluster/owners/members.js'
import { ShardPositions } from '../../../../../engine/services/cluster/owners/shard-positions.js'
import { Keys } from '../../../../support/cluster/keys.js'

/** A log whose servers tell these ends, one after the other. Null: they do not answer. */
function logOf(...ends: (number | null)[]): RecordLog {
  const last = async (): Promise<number> => {
    const end = ends.length > 1 ? ends.shift() : ends[0]
    if (end === null || end === undefined) throw new LogUnavailable('no answer')
    return end
  }
  return { last } as unknown as RecordLog
}

function positionsOf(catalog: RecordLog, ...shards: RecordLog[]): ShardPositions {
  const logs = { name: 'service', catalog, shards } as unknown as ClusterLogs
  const members = new Members(new Keys(), shards.length, { node: 'a', process: 'a-process', url: 'http://a' })
  return new ShardPositions({ logs, members, lease: { owner: null }, data: () => null, catalog: () => null })
}

describe('the ends of logs', () => {
  it('are not those that a server tells which was cut off', async () => {
    const positions = positionsOf(logOf(7), logOf(5, 9), logOf(3))
    assert.deepEqual(await positions.ofLogs(), { catalog: 7, shards: [9, 3] })
  })

  it('are not known where a log does not answer', async () => {
    assert.equal(await positionsOf(logOf(7), logOf(null)).ofLogs(), null)
    assert.equal(await positionsOf(logOf(7, null), logOf(3)).ofLogs(), null)
  })

  it('are asked for where a shard has no owner', async () => {
    const positions = positionsOf(logOf(7), logOf(5))
    assert.equal(await positions.ofOwner(), null)
    assert.equal(positions.own(), null)
  })
})

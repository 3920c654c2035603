/** Nodes compare their copies: who is wrong stops, and goes on with a restored copy. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { BlockSum } from '../../../../../engine/actor/log/block-sums.js'
import { SnapshotList } from '../../../../../engine/runtime/log/snapshots/snapshot-list.js'
import { Comparison } from '../../../../../engine/services/cluster/copies/comparison.js'
import { dropDiffering, noteDiffering } from '../../../../../engine/services/cluster/copies/differing.js'
import type { PartRole, SnapshotPart } from '../../../../../engine/services/cluster/snapshots/snapshot-part.js'
import { temporaryDirectory } from '../../../../support/engine/files.js'
import { MemoryKeys } from '../../../../support/engine/snapshots.js'

/** A node that has these sums. */
function node(keys: MemoryKeys, name: string, role: PartRole, sums: BlockSum[]) {
  const found: string[] = []
  const comparison = new Comparison({
    cluster: 'c',
    node: name,
    keys,
    shards: 1,
    sumsOf: () => sums,
    roleOf: () => role,
    differs: (shard, block) => found.push(`shard ${shard}, block ${block}`),
    failed: (_, error) => found.push(String(error)),
  })
  return { found, sums, look: () => comparison.look() }
}

describe('nodes that compare their copies', () => {
  it('agree where they have applied the same, however far each is', async () => {
    const keys = new MemoryKeys()
    const [one, two] = [node(keys, 'one', 'writes', [[0, 7]]), node(keys, 'two', 'follows', [])]
    for (let round = 1; round < 200; round++) {
      one.sums.push([round, round * 3])
      if (round > 5) two.sums.push([round - 5, (round - 5) * 3])
      await Promise.all([one.look(), two.look()])
    }
    assert.deepEqual([one.found, two.found], [[], []])
  })

  it('find that a follower is wrong, where there are two', async () => {
    const keys = new MemoryKeys()
    for (const order of [0, 1]) {
      keys.values.clear()
      const nodes = [node(keys, 'one', 'writes', [[4, 7]]), node(keys, 'two', 'follows', [[4, 8]])]
      for (let round = 0; round < 9; round++) for (const at of [order, 1 - order]) await nodes[at]?.look()
      assert.deepEqual(
        nodes.map(({ found }) => found),
        [[], ['shard 0, block 4']],
      )
    }
  })

  it('find that the writer is wrong, where the others agree', async () => {
    const keys = new MemoryKeys()
    const sums = [8, 7, 7]
    const nodes = sums.map((sum, at) =>
      node(keys, `n${at}`, at === 0 ? 'writes' : 'follows', [
        [1, 3],
        [2, sum],
      ]),
    )
    for (let round = 0; round < 9; round++) for (const one of nodes) await one.look()
    assert.deepEqual(
      nodes.map(({ found }) => found),
      [['shard 0, block 2'], [], []],
    )
  })

  it('do not start with a copy that differs, until they may restore it', async (test) => {
    const [keys, dataDir] = [new MemoryKeys(), temporaryDirectory(test)]
    const list = new SnapshotList(keys, 'c', 'shard-0')
    const part = { name: 'shard-0', environments: ['shard-0'], list } as unknown as SnapshotPart
    const file = { environment: 'shard-0', object: 'own', bytes: 1, sha256: '' }
    await list.add({ sequence: 5, madeAt: '', node: 'one', files: [{ ...file, object: 'other' }] })
    await list.add({ sequence: 9, madeAt: '', node: 'two', files: [file] })
    writeFileSync(join(dataDir, 'shard-0.mdb'), 'x')
    dropDiffering(dataDir, [part], false)
    assert.match(await noteDiffering({ dataDir, node: 'two' }, part, 512), /copy of shard-0 .* behind record 512/)
    // What this node has made of its copy is suspect, too.
    assert.deepEqual(
      (await list.read()).map(({ isDamaged }) => isDamaged),
      [true, undefined],
    )
    assert.throws(() => dropDiffering(dataDir, [part], false), /SERVICE_CLUSTER_RESTORE=true/)
    assert.ok(existsSync(join(dataDir, 'shard-0.mdb')))
    dropDiffering(dataDir, [part], true)
    assert.ok(!existsSync(join(dataDir, 'shard-0.mdb')))
    dropDiffering(dataDir, [part], false)
  })
})

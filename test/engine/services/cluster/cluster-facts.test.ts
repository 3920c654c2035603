/** What the nodes of a cluster must have equal. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isRefusal } from '../../../../engine/errors.js'
import { joinDirectory, placeSealingKey, refuseWrongName } from '../../../../engine/services/cluster/cluster-facts.js'
import { Keys } from '../../../support/cluster/keys.js'
import { temporaryDirectory } from '../../../support/engine/files.js'

describe('a name that no cluster has', () => {
  it('is refused to an empty directory with the sealing key of a cluster, and to no other', async (test) => {
    const [first, second, other] = [temporaryDirectory(test), temporaryDirectory(test), temporaryDirectory(test)]
    for (const directory of [first, second]) placeSealingKey(directory, 'a'.repeat(64))
    placeSealingKey(other, 'b'.repeat(64))
    const keys = new Keys()
    await joinDirectory(keys, first, { shards: 2, name: 'alerts' }, async () => {})
    const clusters = async () => new Map([['alerts', keys] as const, ['begun', new Keys()] as const])
    await refuseWrongName(second, 'alerts', clusters)
    await refuseWrongName(other, 'another', clusters)
    for (const name of ['another', 'begun'])
      await assert.rejects(refuseWrongName(second, name, clusters), (error) => {
        return isRefusal(error, 'data_dir_invalid') && /has the name alerts, and this node has/.test(error.message)
      })
    // Its data may begin a cluster of its own.
    writeFileSync(join(second, 'catalog.mdb'), '')
    await refuseWrongName(second, 'another', clusters)
  })

  it('is not refused where another node begins the cluster with this name at the same time', async (test) => {
    const [first, second] = [temporaryDirectory(test), temporaryDirectory(test)]
    for (const directory of [first, second]) placeSealingKey(directory, 'a'.repeat(64))
    const keys = new Keys()
    let looks = 0
    const get: Keys['get'] = async (key) => {
      const found = await keys.get(key)
      // The first look was too early.
      if (++looks === 1) await joinDirectory(keys, first, { shards: 2, name: 'alerts' }, async () => {})
      return found
    }
    await refuseWrongName(second, 'alerts', async () => new Map([['alerts', { get }]]))
    assert.notEqual(await keys.get('facts'), null)
  })
})

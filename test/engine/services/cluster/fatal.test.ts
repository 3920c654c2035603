/** What ends a node: failures that come again however often it begins. */
import assert from 'node:assert/strict'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Refusal } from '../../../../engine/errors.js'
import { decodeCatalogRecord } from '../../../../engine/runtime/log/catalog/catalog-record.js'
import { FileLog } from '../../../../engine/runtime/log/file-log.js'
import { LogGap, LogPurged, LogUnavailable } from '../../../../engine/runtime/log/turn-log.js'
import { Failing } from '../../../../engine/services/cluster/failing.js'
import { isFatal } from '../../../../engine/services/cluster/fatal.js'
import { NodeData } from '../../../../engine/services/cluster/node-data.js'
import { makeDataDir } from '../../../../engine/store/directory/data-dir.js'
import { META_PAGE_BYTES } from '../../../../engine/store/pages/page-file.js'
import { walkPages } from '../../../../engine/store/pages/page-walk.js'
import { afterwards } from '../../../support/afterwards.js'
import { temporaryDirectory } from '../../../support/engine/files.js'

function writeAt(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return assert.fail('it has not failed')
}

describe('a node of a cluster', () => {
  it('ends where a shard has a record of a newer format, with a sentence that names both', async (test) => {
    const directory = temporaryDirectory(test)
    const log = new FileLog(join(directory, 'turns'))
    afterwards(test, () => log.close())
    await log.append(Buffer.alloc(24, 9), 0)
    const dataDir = join(directory, 'data')
    makeDataDir(dataDir)
    let wake = (): void => {}
    const woken = new Promise<void>((resolve) => (wake = resolve))
    const failing = new Failing(() => wake())
    const data = await NodeData.open({
      options: { dataDir, name: 'service', threads: 1 },
      logs: [log],
      send: () => assert.fail('nothing is sent'),
      prepare: async () => {},
      stopped: failing.stopped,
      failed: (what, error) => assert.fail(`${what}: ${String(error)}`),
    })
    assert.equal(await failing.over, 'failing')
    await woken
    assert.equal(isFatal(failing.failure), true)
    assert.match(String(failing.failure), /a record of the log has format 9, and this version of the service reads 1/)
    await data.close()
  })

  it('ends where a page of its data is damaged, with a sentence that says what helps', async (test) => {
    const directory = temporaryDirectory(test)
    const log = new FileLog(join(directory, 'turns'))
    afterwards(test, () => log.close())
    const dataDir = join(directory, 'data')
    makeDataDir(dataDir)
    const options = { dataDir, name: 'service', threads: 1 }
    const fails = (what: string, error?: unknown): never => assert.fail(`${what}: ${String(error)}`)
    const deps = {
      options,
      logs: [log],
      send: () => fails('nothing is sent'),
      prepare: async () => {},
      stopped: fails,
      failed: fails,
    }
    const data = await NodeData.open(deps)
    await data.close()
    const file = join(dataDir, 'shard-0.mdb')
    const root = Math.max(...walkPages(file).usedPages())
    // The number of the page, at its beginning.
    writeAt(file, root * META_PAGE_BYTES, Buffer.alloc(8, 0xff))
    await assert.rejects(NodeData.open(deps), (error: Error) => {
      assert.equal(isFatal(error), true)
      assert.match(
        error.message,
        /^shard-0\.mdb .* is damaged: page \d+ .*Start this node with an empty data directory/,
      )
      return true
    })
  })

  it('ends where the catalog has one', () => {
    const error = errorOf(() => decodeCatalogRecord(Buffer.alloc(8, 9)))
    assert.equal(isFatal(error), true)
    assert.match(String(error), /a record of the catalog has format 9, and this version of the service reads 1/)
  })

  it('ends where records are missing for good, or its data is newer, and not where it may try again', () => {
    assert.equal(isFatal(new LogGap('the log ends with 3')), true)
    assert.equal(isFatal(new Refusal('data_dir_newer', 'update it')), true)
    assert.equal(isFatal(new LogPurged('it begins with 9')), false)
    assert.equal(isFatal(new LogUnavailable('no answer')), false)
    assert.equal(isFatal(new Refusal('data_dir_in_use', 'in use')), false)
  })
})

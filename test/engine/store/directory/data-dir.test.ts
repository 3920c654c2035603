import assert from 'node:assert/strict'
import fs, { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { limits } from '../../../../engine/limits.js'
import { DATA_FORMAT, makeDataDir, openDataDir } from '../../../../engine/store/directory/data-dir.js'
import { openShard } from '../../../../engine/store/directory/environments.js'
import { settingsTable } from '../../../../server/config.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { assertRefused } from '../../../support/engine/refusal.js'

describe('data directory', () => {
  it('is made with the format of today, and keeps its number of shards', (test) => {
    const path = join(temporaryDirectory(test), 'a', 'b')
    makeDataDir(path)
    assert.deepEqual(openDataDir(path, 3), { path, shards: 3, format: DATA_FORMAT, fresh: true })
    assert.deepEqual(JSON.parse(readFileSync(join(path, 'format.json'), 'utf8')), { format: DATA_FORMAT, shards: 3 })
    assert.deepEqual(openDataDir(path, 8), { path, shards: 3, format: DATA_FORMAT, fresh: false })
  })

  it('has the names of its new files on disk when they are opened', async (test) => {
    const path = join(temporaryDirectory(test), 'a', 'b')
    const synced: string[] = []
    const { fsyncSync } = fs
    test.mock.method(fs, 'fsyncSync', (descriptor: number) => {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`)
      synced.push(existsSync(join(target, 'shard-0.mdb')) ? `${target} with the shard` : target)
      fsyncSync(descriptor)
    })
    syncBuiltinESMExports()
    test.after(() => {
      test.mock.restoreAll()
      syncBuiltinESMExports()
    })
    makeDataDir(path)
    assert.deepEqual(synced, [dirname(dirname(path)), dirname(path)])
    openDataDir(path, 1)
    synced.length = 0
    for (const expected of [[`${path} with the shard`], []]) {
      await openShard(path, 0).close()
      assert.deepEqual(
        synced.splice(0).filter((name) => !name.endsWith('.room')),
        expected,
      )
    }
  })

  it('with as many shards as there may be is opened again, and one with more is not made', (test) => {
    const path = temporaryDirectory(test)
    for (const fresh of [true, false])
      assert.deepEqual(openDataDir(path, limits.shardsMax), {
        path,
        shards: limits.shardsMax,
        format: DATA_FORMAT,
        fresh,
      })
    assert.equal(settingsTable.shards.schema.parse(String(limits.shardsMax)), limits.shardsMax)
    for (const shards of [0, 1.5, limits.shardsMax + 1])
      assertRefused('data_dir_invalid', () => openDataDir(temporaryDirectory(test), shards))
  })

  it('of a newer format is refused with a sentence that names it', (test) => {
    const path = temporaryDirectory(test)
    writeFileSync(join(path, 'format.json'), JSON.stringify({ format: DATA_FORMAT + 1, shards: 8, more: true }))
    const refusal = assertRefused('data_dir_newer', () => openDataDir(path, 8))
    assert.match(refusal.message, new RegExp(`${path}.*format ${DATA_FORMAT + 1}`))
  })

  it('with an unreadable format is refused with a sentence', (test) => {
    const path = temporaryDirectory(test)
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{}',
      '{"format":0,"shards":8}',
      '{"format":1}',
      '{"format":1,"shards":0}',
      '{"format":"1","shards":8}',
      '\u0000\u0001',
    ]) {
      writeFileSync(join(path, 'format.json'), text)
      const refusal = assertRefused('data_dir_invalid', () => openDataDir(path, 8))
      assert.ok(refusal.message.includes(path))
      assert.equal(readFileSync(join(path, 'format.json'), 'utf8'), text)
    }
  })

  it('with shards but without a format is refused', async (test) => {
    const path = temporaryDirectory(test)
    openDataDir(path, 2)
    await openShard(path, 0).close()
    rmSync(join(path, 'format.json'))
    assertRefused('data_dir_invalid', () => openDataDir(path, 2))
  })

  it('with files that cannot be opened is refused with a sentence that names the first', (test) => {
    const path = temporaryDirectory(test)
    openDataDir(path, 2)
    // Those of another user are, where whoever runs this is not root.
    symlinkSync('/nowhere/at/all', join(path, 'shard-1.mdb'))
    const refusal = assertRefused('data_dir_invalid', () => openDataDir(path, 2))
    assert.match(refusal.message, /^shard-1\.mdb in the data directory .* cannot be used: ENOENT/)
  })

  it('that cannot be made is refused with a sentence', (test) => {
    const directory = temporaryDirectory(test)
    writeFileSync(join(directory, 'file'), '')
    assertRefused('data_dir_invalid', () => makeDataDir(join(directory, 'file')))
    assertRefused('data_dir_invalid', () => makeDataDir(join(directory, 'file', 'below')))
  })

  it('takes no notice of other files', (test) => {
    const path = temporaryDirectory(test)
    mkdirSync(join(path, 'lost+found'))
    writeFileSync(join(path, 'format.json.new'), 'half')
    assert.equal(openDataDir(path, 4).fresh, true)
  })
})

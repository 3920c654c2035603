import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isRefusal } from '../../../../engine/errors.js'
import { limits } from '../../../../engine/limits.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { openLmdb } from '../../../../engine/store/lmdb/lmdb.js'
import { PageFile } from '../../../../engine/store/pages/page-file.js'
import { tableNames } from '../../../../engine/store/pages/page-walk.js'
import { contractTables, environmentContract } from '../../../contracts/environment.js'
import { afterwards } from '../../../support/afterwards.js'
import { temporaryDirectory } from '../../../support/engine/files.js'

environmentContract('LMDB', async (test) => {
  const directory = temporaryDirectory(test)
  const environment = openLmdb(directory, 'contract', contractTables)
  afterwards(test, () => environment.close())
  return {
    environment,
    reader() {
      const reader = openLmdb(directory, 'contract', contractTables)
      afterwards(test, () => reader.close())
      return reader
    },
    commitInVain(batch) {
      const doomed = new WriteBatch()
      for (let i = 0; i < batch.size; i++) {
        const value = batch.value(i)
        if (value === undefined) doomed.delete(batch.tables[i] as string, batch.key(i))
        else doomed.put(batch.tables[i] as string, batch.key(i), value)
      }
      // Longer than LMDB takes a key.
      doomed.put('first', Buffer.alloc(20_000, 7), Buffer.of(1))
      environment.commit(doomed)
    },
  }
})

describe('LMDB', () => {
  it('has after a reopening what was committed before', async (test) => {
    const directory = temporaryDirectory(test)
    const before = openLmdb(directory, 'kept', ['events'])
    const batch = new WriteBatch()
    for (let i = 0; i < 1_000; i++) batch.put('events', Buffer.from(`key ${i}`), Buffer.alloc(300, i))
    before.commit(batch)
    await before.close()
    const after = openLmdb(directory, 'kept', ['events', 'added later'])
    afterwards(test, () => after.close())
    assert.equal([...after.range('events', {})].length, 1_000)
    assert.deepEqual(after.get('events', Buffer.from('key 7')), Buffer.alloc(300, 7))
    assert.deepEqual([...after.range('added later', {})], [])
  })

  it('makes the tables of a new one with one transaction, so that all are there or none', async (test) => {
    const directory = temporaryDirectory(test)
    const environment = openLmdb(directory, 'new', ['events', 'ids', 'stats'])
    afterwards(test, () => environment.close())
    const file = new PageFile(join(directory, 'new.mdb'))
    afterwards(test, () => file.close())
    assert.equal(file.meta.transaction, 1)
    assert.deepEqual(tableNames(join(directory, 'new.mdb')), ['events', 'ids', 'stats'])
  })

  it('takes keys as long as the longest event id makes them', async (test) => {
    const environment = openLmdb(temporaryDirectory(test), 'long', ['ids'])
    afterwards(test, () => environment.close())
    const key = Buffer.alloc(4 + limits.eventIdBytesMax, 255)
    const batch = new WriteBatch()
    batch.put('ids', key, Buffer.of(1))
    environment.commit(batch)
    assert.deepEqual(environment.get('ids', key), Buffer.of(1))
    assert.equal([...environment.range('ids', { to: key, reverse: true })].length, 0)
  })

  it('refuses a file that is not its own with a sentence', (test) => {
    const directory = temporaryDirectory(test)
    mkdirSync(join(directory, 'taken.mdb'))
    assert.throws(
      () => openLmdb(directory, 'taken', ['events']),
      (error) => isRefusal(error),
    )
    writeFileSync(join(directory, 'garbage.mdb'), Buffer.alloc(40_000, 'garbage'))
    assert.throws(
      () => openLmdb(directory, 'garbage', ['events']),
      (error) => {
        return isRefusal(error, 'data_dir_invalid') && error.message.includes('garbage.mdb')
      },
    )
  })

  it('begins anew where a file was cut off while it was made', async (test) => {
    const directory = temporaryDirectory(test)
    const whole = openLmdb(directory, 'whole', ['events'])
    const start = readFileSync(join(directory, 'whole.mdb'))
    await whole.close()
    for (const size of [1, 100, 8_192, 16_383]) {
      writeFileSync(join(directory, `cut-${size}.mdb`), start.subarray(0, size))
      const environment = openLmdb(directory, `cut-${size}`, ['events'])
      afterwards(test, () => environment.close())
      const batch = new WriteBatch()
      batch.put('events', Buffer.from('key'), Buffer.of(1))
      environment.commit(batch)
      assert.deepEqual(environment.get('events', Buffer.from('key')), Buffer.of(1))
    }
  })
})

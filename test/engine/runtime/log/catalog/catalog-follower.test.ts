/** The catalog of an owner, its log, and a copy that follows the log. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { Refusal } from '../../../../../engine/errors.js'
import { CatalogFollower } from '../../../../../engine/runtime/log/catalog/catalog-follower.js'
import {
  decodeCatalogRecord,
  encodeCatalogRecord,
  type LoggedEntry,
} from '../../../../../engine/runtime/log/catalog/catalog-record.js'
import { catalogPosition, loggedEnvironment } from '../../../../../engine/runtime/log/catalog/logged-environment.js'
import { FileLog } from '../../../../../engine/runtime/log/file-log.js'
import { LogGap, LogMoved } from '../../../../../engine/runtime/log/turn-log.js'
import { WriteBatch } from '../../../../../engine/store/environment.js'
import { MemoryEnvironment } from '../../../../../engine/store/memory-store.js'
import { temporaryDirectory } from '../../../../support/engine/files.js'

const writer = '0011223344556677'
const key = Buffer.from('a')
const tables = ['meta', 'jobs', 'places']

function logOf(test: TestContext): FileLog {
  return new FileLog(join(temporaryDirectory(test), 'catalog'))
}

/** An owner that appends to the log. A file appends at once. */
function ownerOf(log: FileLog, after = 0) {
  let end = after
  const append = (kind: 'catalog' | 'ledger', entries: readonly LoggedEntry[]): number => {
    void log.append(encodeCatalogRecord({ kind, writer, entries }), end)
    return ++end
  }
  const store = new MemoryEnvironment(tables)
  const environment = loggedEnvironment(store, { append: (entries) => append('catalog', entries) })
  return { store, environment, appendLedger: (entries: readonly LoggedEntry[]) => append('ledger', entries) }
}

function followerOf(log: FileLog, catalog = new MemoryEnvironment(tables), ledger = new MemoryEnvironment(tables)) {
  return { catalog, ledger, follower: new CatalogFollower({ catalog, log, ledger: () => ledger }) }
}

function batchWith(value: string | null): WriteBatch {
  const batch = new WriteBatch()
  if (value === null) batch.delete('jobs', key)
  else batch.put('jobs', key, Buffer.from(value))
  return batch
}

const read = (store: MemoryEnvironment): string | undefined => {
  const value = store.get('jobs', key)
  return value === undefined ? undefined : Buffer.from(value).toString()
}

describe('the catalog of a cluster', () => {
  it('is in every copy as its owner committed it, with its position', async (t) => {
    const log = logOf(t)
    const owner = ownerOf(log)
    const copy = followerOf(log)
    owner.environment.commit(batchWith('one'))
    owner.environment.commit(batchWith('two'))
    await copy.follower.catchUp()
    assert.equal(read(copy.catalog), 'two')
    assert.equal(catalogPosition(copy.catalog), 2)
    assert.equal(catalogPosition(owner.store), 2)
    owner.environment.commit(batchWith(null))
    await copy.follower.catchUp()
    assert.equal(read(copy.catalog), undefined)
  })

  it('is not changed by a commit that the log refused', () => {
    const store = new MemoryEnvironment(tables)
    const refusing = loggedEnvironment(store, {
      append: () => {
        throw new Refusal('log_unavailable', 'away')
      },
    })
    assert.throws(() => refusing.commit(batchWith('lost')), { code: 'log_unavailable' })
    assert.equal(read(store), undefined)
  })

  it('drops what an owner commits that has given up', () => {
    const store = new MemoryEnvironment(tables)
    loggedEnvironment(store, { append: () => null }).commit(batchWith('void'))
    assert.equal(read(store), undefined)
  })

  it('brings rows of the ledger into the ledger of the copy', async (t) => {
    const log = logOf(t)
    ownerOf(log).appendLedger([['places', key, Buffer.from('here')]])
    const copy = followerOf(log)
    await copy.follower.catchUp()
    assert.equal(Buffer.from(copy.ledger.get('places', key) ?? []).toString(), 'here')
    assert.equal(copy.follower.applied, 1)
  })

  it('refuses the writer before, once another has begun', async (t) => {
    const log = logOf(t)
    const owner = ownerOf(log)
    owner.environment.commit(batchWith('one'))
    const copy = followerOf(log)
    assert.equal(await copy.follower.begin('8899aabbccddeeff'), 2)
    const late = encodeCatalogRecord({ kind: 'catalog', writer, entries: [] })
    await assert.rejects(log.append(late, 1), LogMoved)
  })

  it('stops with a sentence where the log is shorter than what was applied', async (t) => {
    const log = logOf(t)
    ownerOf(log).environment.commit(batchWith('one'))
    const copy = followerOf(log)
    await copy.follower.catchUp()
    const other = followerOf(logOf(t), copy.catalog)
    await assert.rejects(
      other.follower.catchUp(),
      (error) => error instanceof LogGap && /ends with 0/.test(error.message),
    )
  })

  it('does not read records of a newer format', () => {
    const bytes = encodeCatalogRecord({ kind: 'begin', writer, entries: [] })
    bytes[0] = 2
    assert.throws(() => decodeCatalogRecord(bytes), /format 2/)
  })
})

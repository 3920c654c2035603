import assert from 'node:assert/strict'
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { freeBytes, FileSpace } from '../../../../engine/store/lmdb/free-space.js'
import { META_PAGE_BYTES } from '../../../../engine/store/pages/page-file.js'
import { afterwards } from '../../../support/afterwards.js'
import { temporaryDirectory } from '../../../support/engine/files.js'

const MIB = 1024 ** 2
const full = { code: 'store_full' }

/** A file of which the meta pages say how much is in use, and its room on a disk that says how much is free. */
class Store {
  readonly path: string
  readonly room: FileSpace
  free = 100 * MIB
  #transactions = 0

  constructor(test: TestContext) {
    this.path = join(temporaryDirectory(test), 's.mdb')
    writeFileSync(this.path, Buffer.alloc(2 * META_PAGE_BYTES))
    this.room = new FileSpace(this.path, { free: () => this.free })
    afterwards(test, () => this.room.close())
    this.use(2)
  }

  get bytes(): number {
    return statSync(this.path).size
  }

  /** What the library does to the meta pages: so many pages are in use. */
  use(pages: number): void {
    const page = Buffer.alloc(16)
    page.writeBigUInt64LE(BigInt(pages - 1), 0)
    page.writeBigUInt64LE(BigInt(++this.#transactions), 8)
    const file = openSync(this.path, 'r+')
    writeSync(file, page, 0, 16, (this.#transactions % 2) * META_PAGE_BYTES + 144)
    closeSync(file)
  }

  /** A commit of that size, after which so many pages are in use. */
  commit(entries: number, bytes: number, pages: number): void {
    this.room.begin(entries, bytes)
    if (this.room.mayFail) this.room.reserve()
    this.use(pages)
    this.room.end()
  }
}

describe('room for a commit', () => {
  it('is asked for by what the commit may write: where there is less, nothing is begun, and a smaller one still is', (test) => {
    const store = new Store(test)
    store.free = MIB
    assert.throws(() => store.room.begin(1_000, 1_000), full)
    assert.throws(() => store.room.begin(1, 2 * MIB), full)
    store.commit(5, 1_000, 10)
    store.free = 0
    assert.throws(() => store.room.begin(1_000, 1), full)
    store.free = 100 * MIB
    store.commit(1_000, 1_000, 20)
  })

  it('is the file’s own before a commit puts anything, where another program may take it', (test) => {
    const store = new Store(test)
    store.commit(20, 100_000, 3)
    // 20 pages, the bytes, 128 KiB beside them, and 512 KiB ahead.
    const owned = 2 * META_PAGE_BYTES + 20 * META_PAGE_BYTES + 100_000 + 640 * 1024
    assert.equal(store.bytes, owned)
    store.free = 0
    store.commit(20, 100_000, 30)
    assert.equal(store.bytes, owned)
    assert.throws(() => store.commit(60, 100_000, 31), full)
  })

  it('is not written in advance where there is plenty', (test) => {
    const store = new Store(test)
    store.free = 4_000 * MIB
    store.commit(20, 100_000, 3)
    assert.equal(store.room.mayFail, false)
    assert.equal(store.bytes, 2 * META_PAGE_BYTES)
  })

  it('is scarce after a commit that failed, however much the disk says', (test) => {
    const store = new Store(test)
    store.free = 4_000 * MIB
    store.room.begin(1, 1)
    store.room.begin(1, 1)
    assert.equal(store.room.mayFail, true)
    store.room.reserve()
    store.room.end()
    store.room.begin(1, 1)
    assert.equal(store.room.mayFail, false)
  })

  it('is not asked for while commits live on what was given back', (test) => {
    const store = new Store(test)
    store.commit(5, 1_000, 10)
    store.commit(5, 1_000, 10)
    store.free = 10_000
    for (let i = 0; i < 3; i++) store.commit(1_000, 1_000, 10)
    store.commit(1_000, 1_000, 11)
    assert.throws(() => store.room.begin(1_000, 1_000), full)
  })

  it('is not there on a file system that takes no writes, and looking for it leaves no file', (test) => {
    const directory = join(temporaryDirectory(test), 'data')
    const room = new FileSpace(join(directory, 's.mdb'), { free: () => 4_000 * MIB })
    assert.throws(() => room.begin(1, 1), { code: 'ENOENT' })
    mkdirSync(directory)
    room.begin(1, 1)
    room.end()
    assert.deepEqual(readdirSync(directory), [])
    // The file that is written to has no name.
    rmSync(directory, { recursive: true })
    room.begin(1, 1)
    room.close()
  })

  it('of a disk is what it says, and no end where nobody says', (test) => {
    assert.ok(freeBytes(dirname(new Store(test).path)) > 0)
    assert.equal(freeBytes('/proc'), Number.POSITIVE_INFINITY)
  })
})

import assert from 'node:assert/strict'
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { freeBytes, Room } from '../../../../engine/store/lmdb/free-space.js'
import { temporaryDirectory } from '../../../support/engine/files.js'

const MIB = 1024 ** 2
const full = { code: 'store_full' }

function store(test: TestContext): { path: string; room: Room; disk: { free: number } } {
  const path = join(temporaryDirectory(test), 's.mdb')
  writeFileSync(path, 'x')
  const disk = { free: 100 * MIB }
  return { path, room: new Room(path, () => disk.free), disk }
}

describe('room for a commit', () => {
  it('is asked for by what the commit may write: where there is less, nothing is begun, and a smaller one still is', (test) => {
    const { path, room, disk } = store(test)
    disk.free = MIB
    assert.throws(() => room.begin(1_000, 1_000), full)
    assert.throws(() => room.begin(1, 2 * MIB), full)
    room.begin(5, 1_000)
    appendFileSync(path, 'more')
    room.end()
    disk.free = 0
    assert.throws(() => room.begin(1, 1), full)
    disk.free = 100 * MIB
    room.begin(1_000, 1_000)
    room.end()
  })

  it('is not asked for while commits live on what was given back', (test) => {
    const { path, room, disk } = store(test)
    disk.free = MIB
    room.begin(5, 1_000)
    room.end()
    disk.free = 10_000
    for (let i = 0; i < 3; i++) {
      room.begin(1_000, 1_000)
      room.end()
    }
    room.begin(1_000, 1_000)
    appendFileSync(path, 'more')
    room.end()
    assert.throws(() => room.begin(1_000, 1_000), full)
  })

  it('has to be there for a new file after a commit that failed, and what was written to see it is gone again', (test) => {
    const dir = join(temporaryDirectory(test), 'data')
    const [path, room] = [join(dir, 's.mdb'), new Room(join(dir, 's.mdb'), () => 100 * MIB)]
    room.begin(1, 1)
    assert.throws(() => room.begin(1, 1), { code: 'ENOENT' })
    mkdirSync(dir)
    room.begin(1, 1)
    room.end()
    assert.equal(existsSync(`${path}.room`), false)
  })

  it('of a disk is what it says, and no end where nobody says', (test) => {
    assert.ok(freeBytes(temporaryDirectory(test)) > 0)
    assert.equal(freeBytes('/proc'), Number.POSITIVE_INFINITY)
  })
})

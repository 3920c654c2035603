/** A start on files in which a bit was changed. */
import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { isRefusal } from '../../../../engine/errors.js'
import { walkPages } from '../../../../engine/store/pages/page-walk.js'
import { mustHaveSoundPages } from '../../../../engine/services/verify/start-check.js'
import { newDirectory } from '../../../support/engine/files.js'
import { furnish } from '../../../support/furnished.js'

const PAGE_BYTES = 8192
const [FLAGS_AT, LOWER_AT, NODES_AT, LEAF] = [18, 20, 24, 2]
const SHARDS = 2

describe('a start', () => {
  const dir = newDirectory()
  before(() => furnish(dir, 200))

  /** With the byte changed, and back again. */
  function withBit<T>(file: string, at: number, bit: number, work: () => T): T {
    const bytes = readFileSync(join(dir, file))
    const fd = openSync(join(dir, file), 'r+')
    try {
      writeSync(fd, Buffer.of((bytes[at] as number) ^ (1 << bit)), 0, 1, at)
      return work()
    } finally {
      writeSync(fd, bytes, at, 1, at)
      closeSync(fd)
    }
  }

  function refusesIn(file: string, where: string): void {
    assert.throws(
      () => mustHaveSoundPages(dir, SHARDS),
      (error) => {
        assert.ok(isRefusal(error, 'data_dir_invalid'), String(error))
        return error.message.startsWith(`${file} in the data directory ${dir} is damaged: `)
      },
      where,
    )
  }

  it('takes a sound directory', () => {
    mustHaveSoundPages(dir, SHARDS)
  })

  it('is refused with a sentence where a node is said to be elsewhere, or longer than its page', () => {
    let tried = 0
    for (const file of ['catalog.mdb', 'shard-0.mdb', 'shard-1.mdb']) {
      const bytes = readFileSync(join(dir, file))
      for (const page of walkPages(join(dir, file)).usedPages().slice(2)) {
        const at = page * PAGE_BYTES
        if (bytes.readUInt16LE(at + FLAGS_AT) !== LEAF || bytes.readUInt16LE(at + LOWER_AT) === 0) continue
        const node = at + NODES_AT + bytes.readUInt16LE(at + NODES_AT)
        // The high byte of where the first node lies; the third byte of how long its value is.
        for (const place of [at + NODES_AT + 1, node + 2]) {
          withBit(file, place, 6, () => refusesIn(file, `${file} ${place}`))
          tried++
        }
      }
    }
    assert.ok(tried > 20, String(tried))
  })

  it('is refused where a file ends before its last page in use', () => {
    const file = 'shard-1.mdb'
    const bytes = readFileSync(join(dir, file))
    const last = Math.max(...walkPages(join(dir, file)).usedPages())
    truncateSync(join(dir, file), last * PAGE_BYTES)
    refusesIn(file, 'truncated')
    const fd = openSync(join(dir, file), 'r+')
    writeSync(fd, bytes, last * PAGE_BYTES, bytes.length - last * PAGE_BYTES, last * PAGE_BYTES)
    closeSync(fd)
    mustHaveSoundPages(dir, SHARDS)
  })
})

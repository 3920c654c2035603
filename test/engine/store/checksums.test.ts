import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { open } from 'lmdb'
import { SeededRandom } from '../../../engine/rng.js'
import { CHECKSUM_BYTES, ChecksumMemory, sealBatch } from '../../../engine/store/checksums.js'
import { WriteBatch } from '../../../engine/store/environment.js'
import { openLmdb } from '../../../engine/store/lmdb/lmdb.js'
import { walkPages } from '../../../engine/store/pages/page-walk.js'
import { xxh32 } from '../../../engine/store/xxh32.js'
import { temporaryDirectory } from '../../support/engine/files.js'
import { assertRefused } from '../../support/engine/refusal.js'

function hashOf(text: string, seed = 0): number {
  const bytes = Buffer.alloc(text.length + 4 - (text.length % 4))
  bytes.write(text, 0, 'latin1')
  const words = new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  return xxh32({ bytes, words }, 0, text.length, seed) >>> 0
}

describe('the hash of checksums', () => {
  it('is XXH32, by the values that its makers give', () => {
    assert.equal(hashOf(''), 0x02cc5d05)
    assert.equal(hashOf('a'), 0x550d7456)
    assert.equal(hashOf('abc'), 0x32d153ff)
    assert.equal(hashOf('Nobody inspects the spammish repetition'), 0xe2293b2f)
    assert.equal(hashOf('', 0x9e3779b1), 0x36b78ae7)
  })
})

describe('checksums', () => {
  it('tell every change of one byte, of key, value and checksum, at any length', () => {
    const random = new SeededRandom(4)
    const memory = new ChecksumMemory()
    for (let round = 0; round < 400; round++) {
      const key = Buffer.from(Array.from({ length: 1 + random.below(20) }, () => random.below(256)))
      const value = Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)))
      const stored = Buffer.from(memory.of(key, value))
      assert.deepEqual(stored.subarray(0, value.length), value)
      assert.equal(memory.isRight(key, stored), true)
      const place = random.below(key.length + stored.length)
      const [bytes, at] = place < key.length ? [key, place] : [stored, place - key.length]
      bytes[at] = (bytes[at] as number) ^ (1 + random.below(255))
      assert.equal(memory.isRight(key, stored), false)
    }
    assert.equal(memory.isRight(Buffer.of(1), Buffer.alloc(CHECKSUM_BYTES - 1)), false)
  })

  it('of a batch are those of its values one by one, however much it is', () => {
    for (const length of [0, 100, 300_000, 2_000_000, 10]) {
      const batch = new WriteBatch()
      for (let i = 0; i < 5; i++) batch.put('t', Buffer.from(`key ${i}`), Buffer.alloc(length + i, i))
      batch.delete('t', Buffer.from('gone'))
      sealBatch(batch)
      for (let i = 0; i < 5; i++) {
        const start = batch.startOf(i) + batch.keyBytes(i)
        const stored = batch.memory.subarray(start, start + batch.valueBytes(i) + CHECKSUM_BYTES)
        assert.equal(new ChecksumMemory().isRight(Buffer.from(`key ${i}`), stored), true)
      }
      assert.equal(batch.value(5), undefined)
    }
  })
})

describe('a file whose values have no checksums', () => {
  it('is not opened, and stays as it is', async (test) => {
    const dir = temporaryDirectory(test)
    const root = open<Buffer, Uint8Array>({
      path: join(dir, 'bare.mdb'),
      maxDbs: 8,
      pageSize: 8192,
      overlappingSync: false,
      encoding: 'binary',
      keyEncoding: 'binary',
    })
    const table = root.openDB<Buffer, Uint8Array>('rows', { encoding: 'binary', keyEncoding: 'binary' })
    for (let i = 0; i < 50; i++) table.putSync(Buffer.from(`key ${i}`), Buffer.from(`value ${i}`))
    await root.close()
    for (const tables of [['rows'], ['rows', 'others'], null])
      assert.match(assertRefused('data_dir_invalid', () => openLmdb(dir, 'bare', tables)).message, /has no checksums/)
    const { problems, tables, hasChecksums } = walkPages(join(dir, 'bare.mdb'))
    assert.deepEqual([problems, tables, hasChecksums], [[], ['rows'], false])
  })
})

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { SeededRandom } from '../../../../engine/rng.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { openLmdb } from '../../../../engine/store/lmdb/lmdb.js'
import { PageFile } from '../../../../engine/store/pages/page-file.js'
import { walkPages } from '../../../../engine/store/pages/page-walk.js'
import { mustBeWhole } from '../../../../engine/store/directory/whole-files.js'

const dir = mkdtempSync(join(tmpdir(), 'page-walk-'))
const path = join(dir, 'rows.mdb')
let whole: Buffer
after(() => rmSync(dir, { recursive: true }))

before(async () => {
  const environment = openLmdb(dir, 'rows', ['a', 'b', 'empty'])
  const random = new SeededRandom(7)
  for (let round = 0; round < 30; round++) {
    const batch = new WriteBatch()
    for (let i = 0; i < 200; i++) {
      const key = Buffer.from(`key ${random.below(4_000)}`)
      if (random.below(4) === 0) batch.delete('a', key)
      else batch.put('a', key, Buffer.alloc(random.below(100) === 0 ? 20_000 : random.below(200), i))
      batch.put('b', Buffer.from(`${round}/${i}`), Buffer.alloc(40, i))
    }
    environment.commit(batch)
  }
  await environment.close()
  whole = readFileSync(path)
})

test('a file that the library wrote, with long values, tables and pages that were freed, has nothing wrong', () => {
  const { usedPages, ...report } = walkPages(path)
  assert.deepEqual(report, { problems: [], tables: ['a', 'b', 'empty'], hasChecksums: true })
  assert.ok(usedPages().length > 50 && usedPages().length < new PageFile(path).pages)
  mustBeWhole(dir)
})

test('every page of a tree that is overwritten by another one is found, and the walk survives anything', () => {
  const { pageBytes, lastPage } = new PageFile(path).meta
  const copy = join(dir, 'copy')
  const random = new SeededRandom(8)
  let found = 0
  for (let round = 0; round < 40; round++) {
    const bytes = Buffer.from(whole)
    const [to, from] = [2 + random.below(lastPage - 1), 2 + random.below(lastPage - 1)]
    bytes.copy(bytes, to * pageBytes, from * pageBytes, (from + 1) * pageBytes)
    writeFileSync(copy, bytes)
    if (walkPages(copy).problems.length > 0) found++
    for (let i = 0; i < 20; i++) bytes[random.below(bytes.length)] = random.below(256)
    writeFileSync(copy, bytes)
    walkPages(copy)
  }
  // The others were free pages, or parts of long values, of which only the first page says what it is.
  assert.ok(found > 12, String(found))
})

test('a file that is cut off is refused with a sentence before the library opens it', () => {
  const { pageBytes, lastPage } = new PageFile(path).meta
  for (const length of [lastPage * pageBytes - pageBytes * 20, pageBytes * 3, pageBytes * 2 + 5]) {
    writeFileSync(path, whole)
    truncateSync(path, length)
    assert.throws(
      () => mustBeWhole(dir),
      /rows\.mdb in the data directory .* is damaged: it has \d+ bytes of \d+; restore a backup/,
    )
  }
  writeFileSync(path, Buffer.alloc(100_000, 1))
  assert.throws(() => mustBeWhole(dir), /does not begin like a file of the store/)
  writeFileSync(path, whole)
})

test('a file whose latest state would be passed over for the one before is found', () => {
  const { pageBytes } = new PageFile(path).meta
  const copy = join(dir, 'passed-over')
  for (const meta of [0, 1]) {
    for (const by of [-2, -1, 1, 2, 100]) {
      const bytes = Buffer.from(whole)
      const at = meta * pageBytes + 152
      bytes.writeUInt32LE(bytes.readUInt32LE(at) + by, at)
      writeFileSync(copy, bytes)
      assert.match(
        walkPages(copy)
          .problems.map(({ what }) => what)
          .join(),
        /names another transaction than the one that wrote its root/,
        `${meta} ${by}`,
      )
    }
  }
})

test('a value that is not the one that was written is named with its page and key', () => {
  const bytes = Buffer.from(whole)
  const at = bytes.lastIndexOf(Buffer.from('29/199'))
  assert.ok(at > 0)
  bytes[at + 20] = (bytes[at + 20] as number) ^ 1
  const copy = join(dir, 'changed')
  writeFileSync(copy, bytes)
  const [problem] = walkPages(copy).problems
  assert.match(`${problem?.page} ${problem?.what}`, /^\d+ of table b: the entry 32392f313939 is not what was written$/)
})

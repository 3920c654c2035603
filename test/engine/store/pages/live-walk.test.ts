/** Pages that are checked while others write to their file. */
import assert from 'node:assert/strict'
import { closeSync, copyFileSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { rmSync } from 'node:fs'
import { isRefusal } from '../../../../engine/errors.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { firstLiveDamage } from '../../../../engine/services/verify/page-check-thread.js'
import { PageCheck } from '../../../../engine/services/verify/page-check.js'
import { openShard } from '../../../../engine/store/directory/environments.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { LiveWalk, type LiveStep } from '../../../../engine/store/pages/live-walk.js'
import { walkPages } from '../../../../engine/store/pages/page-walk.js'
import { newDirectory } from '../../../support/engine/files.js'

const PAGE_BYTES = 8192
const [FLAGS_AT, LOWER_AT] = [18, 20]
const LEAF = 2
const ROWS = 4_000

function keyOf(row: number): Buffer {
  const key = Buffer.alloc(12)
  key.writeUInt32BE(1)
  key.writeBigUInt64BE(BigInt(row), 4)
  return key
}

/** All steps but the last. */
function stepsOf(walk: LiveWalk, between: () => void = () => {}): LiveStep[] {
  const steps: LiveStep[] = []
  for (;;) {
    const step = walk.step()
    if (step === 'end') return steps
    steps.push(step)
    if (typeof step === 'object') return steps
    between()
  }
}

describe('a check of pages in use', () => {
  const dir = newDirectory()
  const file = 'shard-0.mdb'
  const path = join(dir, file)
  const whole = join(dir, 'whole')
  const random = new SeededRandom(7)
  const putSome = (environment: ReturnType<typeof openShard>, count: number): void => {
    const batch = new WriteBatch()
    for (let i = 0; i < count; i++) {
      const long = random.below(50) === 0 ? 20_000 : 100
      const key = keyOf(random.below(ROWS))
      if (random.below(4) === 0) batch.delete('notes', key)
      else batch.put('notes', key, Buffer.alloc(long, random.below(256)))
    }
    environment.commit(batch)
  }
  before(async () => {
    const environment = openShard(dir, 0)
    for (let i = 0; i < 5; i++) putSome(environment, 3_000)
    await environment.close()
    copyFileSync(path, whole)
  })
  after(() => rmSync(dir, { recursive: true }))

  function leaves(): number[] {
    const bytes = readFileSync(whole)
    return walkPages(whole)
      .usedPages()
      .filter((page) => bytes.readUInt16LE(page * PAGE_BYTES + FLAGS_AT) === LEAF)
  }

  function damage(page: number, at: number, bit: number): void {
    copyFileSync(whole, path)
    const bytes = readFileSync(path)
    const fd = openSync(path, 'r+')
    writeSync(fd, Buffer.of((bytes[page * PAGE_BYTES + at] as number) ^ (1 << bit)), 0, 1, page * PAGE_BYTES + at)
    closeSync(fd)
  }

  it('passes every leaf of a sound file, once', () => {
    const steps = stepsOf(new LiveWalk(whole))
    assert.ok(steps.every((step) => step === 'checked'))
    assert.ok(steps.length > 30, String(steps.length))
  })

  it('finds a damaged leaf wherever it lies, and names it', () => {
    const tables = leaves()
    const tried = tables.filter((_, place) => place % 5 === 0)
    for (const page of tried) {
      damage(page, LOWER_AT, 0)
      const found = stepsOf(new LiveWalk(path)).at(-1)
      // The list of free pages is not read here: a start reads all of it.
      const isFree = walkPages(path).problems.every(({ what }) => what.includes('free'))
      if (!isFree) assert.equal(typeof found === 'object' ? found.page : found, page)
    }
    assert.ok(tried.length > 5)
  })

  it('takes nothing for damage that a writer changes meanwhile', async () => {
    copyFileSync(whole, path)
    const environment = openShard(dir, 0)
    try {
      for (let round = 0; round < 5; round++) {
        const steps = stepsOf(new LiveWalk(path), () => putSome(environment, 40))
        assert.deepEqual(
          steps.filter((step) => typeof step === 'object'),
          [],
        )
      }
    } finally {
      await environment.close()
    }
  })

  it('counts damage that is read again and again only, and ends when told', () => {
    const found = { page: 7, what: 'is odd' }
    const walkOf = (steps: LiveStep[]): Pick<LiveWalk, 'step'> => ({ step: () => steps.shift() ?? 'end' })
    assert.equal(
      firstLiveDamage(walkOf(['checked', found, 'moved', 'checked', found, found, 'checked']), () => true),
      null,
    )
    assert.deepEqual(
      firstLiveDamage(walkOf([found, found, 'moved', found, found]), () => true),
      found,
    )
    assert.equal(
      firstLiveDamage(walkOf(['moved']), () => false),
      'ended',
    )
  })

  it('tells of it on a thread of its own', async () => {
    damage(leaves().at(-1) as number, LOWER_AT, 0)
    const error = await new Promise<Error>((resolve, reject) => {
      const failed = (what: string, why: unknown): void => reject(new Error(what, { cause: why }))
      const check = new PageCheck({ dataDir: dir, files: ['none.mdb', file], damaged: resolve, failed })
      after(() => check.close())
    })
    assert.ok(isRefusal(error, 'data_dir_invalid'), String(error))
    assert.match(error.message, /^shard-0\.mdb in the data directory .* is damaged: page \d+ /)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { temporaryDirectory } from '../support/engine/files.js'
import { furnish } from '../support/furnished.js'
import { corrupt } from './corruption-runs.js'

/** Bytes that must be found, so that the test shows that verifying looks at contents. */
const FOUND_MIN = 13
const TRIALS = 50
/** About a third of all bytes matter: how many differs with the pages that a service happens to write. */
const SEEDS = [11, 12, 13, 14, 15, 16, 17, 18]

describe('a data directory in which one byte was changed', () => {
  it('is found to be wrong if the change affects what is read (npm run test:corruption tries more)', async (test) => {
    const dir = temporaryDirectory(test)
    await furnish(dir, 200)
    let found = 0
    for (const seed of SEEDS) {
      const trials = await corrupt(dir, seed, TRIALS)
      assert.deepEqual(
        trials.filter(({ fate }) => fate === 'missed'),
        [],
        `seed ${seed}`,
      )
      assert.equal(trials.length, TRIALS)
      found += trials.filter(({ fate }) => fate === 'found').length
      if (found >= FOUND_MIN) break
    }
    assert.ok(found >= FOUND_MIN, `${found} of ${SEEDS.length * TRIALS} changes were found`)
  })
})

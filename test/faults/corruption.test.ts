import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { temporaryDirectory } from '../support/engine/files.js'
import { furnish } from '../support/furnished.js'
import { corrupt } from './corruption-runs.js'

describe('a data directory in which one byte was changed', () => {
  it('is found to be wrong if the change affects what is read (npm run test:corruption tries more)', async (test) => {
    const dir = temporaryDirectory(test)
    await furnish(dir, 200)
    const trials = await corrupt(dir, 11, 50)
    assert.deepEqual(
      trials.filter(({ fate }) => fate === 'missed'),
      [],
    )
    assert.equal(trials.length, 50)
    assert.ok(trials.filter(({ fate }) => fate === 'found').length > 12)
  })
})

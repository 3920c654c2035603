import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pack, unpack } from '../../../engine/store/pack.js'

describe('pack', () => {
  it('the first bytes are left to the caller', () => {
    for (const reserved of [0, 1, 24, 32, 255]) {
      const bytes = pack(['x', 1], reserved)
      bytes.fill(0xff, 0, reserved)
      assert.deepEqual(unpack(bytes.subarray(reserved)), ['x', 1])
    }
  })
})

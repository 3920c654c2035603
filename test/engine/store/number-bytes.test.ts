import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  doubleAt,
  fourBytesAt,
  putDouble,
  putFloat,
  putFourBytes,
  putFourBytesBigEndian,
  putTwoBytes,
  twoBytesAt,
} from '../../../engine/store/number-bytes.js'

const bytes = Buffer.alloc(16)

describe('numbers in bytes', () => {
  it('are written and read as by Buffer', () => {
    for (const value of [0, 1, 0xff, 0x100, 0x8000, 0xffff]) {
      putTwoBytes(bytes, 3, value)
      assert.equal(bytes.readUInt16LE(3), value)
      assert.equal(twoBytesAt(bytes, 3), value)
    }
    for (const value of [0, 1, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]) {
      putFourBytes(bytes, 5, value)
      assert.equal(bytes.readUInt32LE(5), value)
      assert.equal(fourBytesAt(bytes, 5), value)
      putFourBytesBigEndian(bytes, 1, value)
      assert.equal(bytes.readUInt32BE(1), value)
    }
    for (const value of [0, -0, 1.5, -1e300, 1_700_000_000_000_123, Number.NaN, Infinity]) {
      putDouble(bytes, 7, value)
      assert.ok(Object.is(bytes.readDoubleLE(7), value))
      assert.ok(Object.is(doubleAt(bytes, 7), value))
      putFloat(bytes, 2, value)
      assert.ok(Object.is(bytes.readFloatLE(2), Math.fround(value)))
    }
  })
})

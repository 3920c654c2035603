/**
 * The row of a job in `points`: the counters of different values at its decision points
 * (domain/metrics/point-tally.ts). The counts themselves are in the stats.
 */
import { assert } from '../assert.js'

const VERSION = 1

/** | 0 version | 1 registers | */
export function encodeRegisters(registers: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(VERSION), registers])
}

export function decodeRegisters(value: Uint8Array): Uint8Array {
  assert(value[0] === VERSION, 'the row of decision points has a version that this code knows')
  return value.subarray(1)
}

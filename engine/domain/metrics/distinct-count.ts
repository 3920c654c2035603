/**
 * Counts different values in little memory: HyperLogLog (Flajolet et al., 2007), with linear counting for few values.
 *
 * With m registers the standard error is about 1.04 / √m: 9 % for 128. The order and the number of times in which
 * values come change nothing, so the same values give the same bytes.
 */
import { hashPair, hashScalar } from '../learn/hash.js'
import type { PointValue } from '../event/point-value.js'

/** Bytes of one counter: a register each. A power of two. */
export const REGISTERS = 128
const REGISTER_BITS = 7
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS)
const SALT = 0x9d2c

/** The hash that stands for a value; null has none and must not be given. */
export function hashOfValue(value: Exclude<PointValue, null>): number {
  if (typeof value !== 'object') return hashScalar(SALT, value)
  let hash = value.length
  for (let i = 0; i < value.length; i++) hash = hashPair(hash, hashScalar(SALT, value[i]))
  return hash
}

/** Adds the value with that hash to the counter at `at`. True where this changed it. */
export function addHash(registers: Uint8Array, at: number, hash: number): boolean {
  const register = at + (hash & (REGISTERS - 1))
  const rank = Math.clz32(hash >>> REGISTER_BITS) - REGISTER_BITS + 1
  if (rank <= (registers[register] as number)) return false
  registers[register] = rank
  return true
}

/** About how many different values the counters at `one` and `other` were given together. */
export function distinctOf(registers: Uint8Array, one: number, other: number): number {
  let [sum, empty] = [0, 0]
  for (let i = 0; i < REGISTERS; i++) {
    const rank = Math.max(registers[one + i] as number, registers[other + i] as number)
    if (rank === 0) empty++
    sum += 2 ** -rank
  }
  const estimate = (ALPHA * REGISTERS * REGISTERS) / sum
  return Math.round(estimate <= 2.5 * REGISTERS && empty > 0 ? REGISTERS * Math.log(REGISTERS / empty) : estimate)
}

/** What features of one point are told apart by: the kind of a feature, and a salt for each point and kind. */
import { hashNumber, hashText } from '../hash.js'

export const MISSING = 1
export const TEXT = 2
export const WORD = 3
export const NETWORK = 4
export const NUMBER = 5
export const BIN = 6
export const LOG = 7
export const TRUE = 8
export const FALSE = 9
export const ITEM = 10
export const LENGTH = 11
export const ARRAY = 12
export const HOUR = 13
export const WEEKDAY = 14
export const KINDS = 16

/** The salts of the features of these points, that of a kind at point * KINDS + kind. */
export function featureSalts(names: readonly string[]): Int32Array {
  const salts = new Int32Array(names.length * KINDS)
  for (let point = 0; point < names.length; point++) {
    const base = hashText(0, names[point] as string)
    for (let kind = 0; kind < KINDS; kind++) salts[point * KINDS + kind] = hashNumber(base, kind)
  }
  return salts
}

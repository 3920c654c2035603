/**
 * More instructions for wasm-builder.ts: branches, calls, variables of a whole module, bytes, pairs of doubles, and
 * numbers of 64 bits.
 */
import { int, noType, operation, simd, twice, unsigned, type Code, type Local, type Operation } from './wasm-builder.js'

export const ifElse = (condition: Code, whenTrue: readonly Code[], otherwise: readonly Code[]): Code => [
  ...condition,
  0x04,
  noType,
  ...whenTrue.flat(),
  0x05,
  ...otherwise.flat(),
  0x0b,
]
/** Ends the function with this result. */
export const giveBack = operation(0x0f)

/** A call of the function with this number: imported functions come first, then those of the module, in order. */
export const callOf =
  (number: number): Operation =>
  (...operands) => [...operands.flat(), 0x10, ...unsigned(number)]

/** The variable with this number of the module. */
export function variable(number: number): Local {
  return { get: [0x23, ...unsigned(number)], set: (value) => [...value, 0x24, ...unsigned(number)] }
}

export const or = operation(0x72)
export const subtract = operation(0x6b)
export const multiply = operation(0x6c)
export const isEqual = operation(0x46)
export const isNotEqual = operation(0x47)
/** For signed numbers. */
export const isNegative = (value: Code): Code => [...value, ...int(0), 0x48]
export const trailingZeros = operation(0x68)
/** Lower bytes of a number. */
export const storeByte = (address: Code, value: Code, offset = 0): Code => [
  ...address,
  ...value,
  0x3a,
  0,
  ...unsigned(offset),
]
export const storeTwoBytes = (address: Code, value: Code): Code => [...address, ...value, 0x3b, 0, 0]

/** A constant of 64 bits, signed. */
export function long(value: bigint): Code {
  const low = Number(value & 0x7fn)
  const rest = value >> 7n
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)
  return isLast ? [0x42, low] : [0x42, low | 0x80, ...long(rest).slice(1)]
}
/** A number of 32 bits, without its sign, as one of 64 bits. */
export const longOf = operation(0xad)
export const addLongs = operation(0x7c)
export const multiplyLongs = operation(0x7e)
export const xorLongs = operation(0x85)
export const shiftLongRight = operation(0x88)
export const isZeroLong = operation(0x50)

/** Two doubles side by side: from two, loaded, and the second of them. */
export const pairOf = (first: Code, second: Code): Code => [...twice(first), ...second, simd, 0x22, 1]
export const loadPair = (address: Code): Code => [...address, simd, 0x00, 3, 0]
export const secondOf = (pair: Code): Code => [...pair, simd, 0x21, 1]
export const areEqualDoubles = operation(0x61)
/** For numbers without a sign. */
export const isNotLess = operation(0x4f)

/** Sixteen bytes side by side: loaded, the same sixteen times, compared, their highest bits, one half of them. */
export const sixteen = (address: Code, offset = 0): Code => [...address, simd, 0x00, 0, ...unsigned(offset)]
export const sixteenTimes = operation(simd, 0x0f)
export const areEqual = operation(simd, 0x23)
export const areLess = operation(simd, 0x26)
export const highestBits = operation(simd, 0x64)
export const isAnySet = operation(simd, 0x53)
export const half = (sixteenBytes: Code, lane: 0 | 1): Code => [...sixteenBytes, simd, 0x1d, lane]

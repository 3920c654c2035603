/** How the scanning kernel reads numbers, names and white space. */
import {
  add,
  and,
  andBits,
  i32,
  i64,
  int,
  isLess,
  isZero,
  loadByte,
  loadInt,
  loopWhile,
  orBits,
  v128,
  wasmFunction,
  whenTrue,
  xorBits,
  type Code,
  type Local,
} from '../../wasm/wasm-builder.js'
import {
  addLongs,
  giveBack,
  isAnySet,
  isEqual,
  isNegative,
  isZeroLong,
  long,
  longOf,
  multiplyLongs,
  or,
  sixteen,
  storeByte,
  subtract,
} from '../../wasm/wasm-control.js'
import { TAG_MINUS, TAG_WHOLE } from '../body-format.js'
import { atVar, callKey, callNumber, callVarint, posVar } from './scan-calls.js'
import { nodeAt } from './scan-memory.js'

const [SPACE, MINUS, PLUS, DOT, ZERO, SMALL_E] = [0x20, 0x2d, 0x2b, 0x2e, 0x30, 0x65]
const DIGITS_MAX = 15

const failsIf = (condition: Code): Code => whenTrue(condition, giveBack(int(0)))
const step = (local: Local, by = 1): Code => local.set(add(local.get, int(by)))

/** space(): moves to the next byte that is not white space, and returns it; 0 at the end. */
export const space = wasmFunction('space', { params: {}, locals: { byte: i32 }, result: i32 }, (_, { byte }) => {
  const is = (code: number): Code => isEqual(byte.get, int(code))
  return [
    byte.set(loadByte(posVar.get)),
    loopWhile(or(or(is(SPACE), is(0x0a)), or(is(0x0d), is(0x09))), step(posVar), byte.set(loadByte(posVar.get))),
    byte.get,
  ]
})

/** key(node): 1 if the quoted name of the node and a colon are here; moves behind them. */
export const key = wasmFunction(
  'key',
  { params: { node: i32 }, locals: { i: i32, bytes: i32, differ: v128 }, result: i32 },
  ({ node }, { i, bytes, differ }) => {
    const here = sixteen(add(posVar.get, i.get))
    const name = sixteen(add(node.get, i.get), nodeAt.key)
    return [
      bytes.set(loadInt(node.get, nodeAt.keyBytes)),
      loopWhile(
        isLess(add(i.get, int(16)), bytes.get),
        differ.set(orBits(differ.get, xorBits(here, name))),
        step(i, 16),
      ),
      differ.set(orBits(differ.get, xorBits(andBits(here, sixteen(node.get, nodeAt.mask)), name))),
      failsIf(isAnySet(differ.get)),
      posVar.set(add(posVar.get, bytes.get)),
      int(1),
    ]
  },
)

/** child(node): the child whose name is here, or 0; moves behind it. */
export const child = wasmFunction('child', { params: { node: i32 }, locals: {}, result: i32 }, ({ node }) => [
  node.set(loadInt(node.get, nodeAt.firstChild)),
  loopWhile(node.get, whenTrue(callKey(node.get), giveBack(node.get)), node.set(loadInt(node.get, nodeAt.nextSibling))),
  int(0),
])

/** whole(): the number that is here. One that is not whole, or long, is put by JavaScript. */
export const whole = wasmFunction(
  'whole',
  {
    params: {},
    locals: { p: i32, minus: i32, digits: i32, digit: i32, count: i32, from: i32, total: i64 },
    result: i32,
  },
  (_, { p, minus, digits, digit, count, from, total }) => {
    const byte = loadByte(p.get)
    const lookAtDigit = digit.set(subtract(byte, int(ZERO)))
    const isDigit = isLess(digit.get, int(10))
    const isE = isEqual(or(byte, int(0x20)), int(SMALL_E))
    const skipDigits = [
      from.set(p.get),
      lookAtDigit,
      loopWhile(isDigit, step(p), lookAtDigit),
      failsIf(isEqual(p.get, from.get)),
    ]
    const isShort = and(isLess(count.get, int(DIGITS_MAX + 1)), or(isZero(isZeroLong(total.get)), isZero(minus.get)))
    return [
      p.set(posVar.get),
      minus.set(isEqual(byte, int(MINUS))),
      p.set(add(p.get, minus.get)),
      digits.set(p.get),
      lookAtDigit,
      loopWhile(
        isDigit,
        total.set(addLongs(multiplyLongs(total.get, long(10n)), longOf(digit.get))),
        step(p),
        lookAtDigit,
      ),
      count.set(subtract(p.get, digits.get)),
      failsIf(isZero(count.get)),
      failsIf(and(isLess(int(1), count.get), isEqual(loadByte(digits.get), int(ZERO)))),
      whenTrue(
        and(isZero(or(isEqual(byte, int(DOT)), isE)), isShort),
        storeByte(atVar.get, add(int(TAG_WHOLE), minus.get)),
        atVar.set(callVarint(add(atVar.get, int(1)), total.get)),
        posVar.set(p.get),
        giveBack(int(1)),
      ),
      whenTrue(isEqual(byte, int(DOT)), step(p), ...skipDigits),
      whenTrue(isE, step(p), whenTrue(or(isEqual(byte, int(PLUS)), isEqual(byte, int(MINUS))), step(p)), ...skipDigits),
      digits.set(callNumber(posVar.get, p.get, atVar.get)),
      failsIf(isNegative(digits.get)),
      atVar.set(digits.get),
      posVar.set(p.get),
      int(1),
    ]
  },
)

if (TAG_MINUS !== TAG_WHOLE + 1) throw new Error('the tag of a negative number follows that of a whole one')

/** How the scanning kernel reads a text, sixteen bytes at a time: its end, its hash, and the word that it is. */
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
  loadFour,
  loadInt,
  loopWhile,
  lowerHalf,
  orBits,
  repeatWhile,
  shiftLeft,
  shiftRightUnsigned,
  storeFour,
  storeInt,
  upperHalf,
  v128,
  wasmFunction,
  whenTrue,
  xor,
  xorBits,
  type Code,
} from '../../wasm/wasm-builder.js'
import {
  areEqual,
  areLess,
  giveBack,
  half,
  highestBits,
  isAnySet,
  isEqual,
  isNegative,
  isNotEqual,
  isZeroLong,
  long,
  longOf,
  multiplyLongs,
  or,
  shiftLongRight,
  sixteen,
  sixteenTimes,
  storeByte,
  storeTwoBytes,
  subtract,
  trailingZeros,
  xorLongs,
} from '../../wasm/wasm-control.js'
import { TAG_TEXT, TAG_WORD, WORD_BYTES_MAX } from '../body-format.js'
import { BACKSLASH, QUOTE, SPACE } from '../json-text.js'
import { atVar, callEscaped, callPutText, callSee, callUtf8, callVarint, isUtf8Var, posVar } from './scan-calls.js'
import { cells, places, slotCount, wordAt } from './scan-memory.js'

/** Odd numbers from the digits of the golden ratio and of the square root of two. */
const MULTIPLIERS = [-0x61c8864680b583ebn, 0x6a09e667f3bcc909n] as const

/** A bit for each of sixteen bytes: set at a quote, a backslash or a control character. */
function textEnds(bytes: Code): Code {
  const is = (code: number): Code => areEqual(bytes, sixteenTimes(int(code)))
  return highestBits(orBits(orBits(is(QUOTE), is(BACKSLASH)), areLess(bytes, sixteenTimes(int(SPACE)))))
}

/** text(): the text whose quote is at `pos`, into the output. 0 if it may be no text. */
export const text = wasmFunction(
  'text',
  {
    params: {},
    locals: {
      start: i32,
      p: i32,
      ends: i32,
      high: i32,
      length: i32,
      slot: i32,
      word: i32,
      tries: i32,
      i: i32,
      hash: i64,
      bytes: v128,
      differ: v128,
    },
    result: i32,
  },
  (_, { start, p, ends, high, length, slot, word, tries, i, hash, bytes, differ }) => {
    const look = [bytes.set(sixteen(p.get)), ends.set(textEnds(bytes.get))]
    const count = [
      high.set(or(high.get, highestBits(bytes.get))),
      hash.set(multiplyLongs(xorLongs(hash.get, half(bytes.get, 0)), long(MULTIPLIERS[0]))),
      hash.set(multiplyLongs(xorLongs(hash.get, half(bytes.get, 1)), long(MULTIPLIERS[1]))),
    ]
    const inWord = (offset: Code): Code => sixteen(add(word.get, offset), wordAt)
    const putWord = [...putNumber(word.get), giveBack(int(1))]
    return [
      start.set(add(posVar.get, int(1))),
      p.set(start.get),
      ...look,
      loopWhile(isZero(ends.get), ...count, p.set(add(p.get, int(16))), ...look),
      // The text ends within these sixteen bytes.
      ends.set(trailingZeros(ends.get)),
      posVar.set(add(p.get, ends.get)),
      whenTrue(isNotEqual(loadByte(posVar.get), int(QUOTE)), ...escapedText(start.get, length)),
      bytes.set(andBits(bytes.get, sixteen(subtract(int(places.masks + 16), ends.get)))),
      ...count,
      length.set(subtract(posVar.get, start.get)),
      posVar.set(add(posVar.get, int(1))),
      whenTrue(
        and(isNotEqual(high.get, int(0)), isZero(isUtf8Var.get)),
        whenTrue(isZero(callUtf8()), giveBack(int(0))),
        isUtf8Var.set(int(1)),
      ),
      whenTrue(
        isLess(length.get, int(WORD_BYTES_MAX + 1)),
        high.set(xor(lowerHalf(hash.get), upperHalf(hash.get))),
        slot.set(add(shiftLeft(and(high.get, int(slotCount - 1)), int(2)), int(places.slots))),
        tries.set(int(2)),
        repeatWhile(
          tries.get,
          word.set(loadInt(slot.get)),
          whenTrue(
            and(isEqual(loadInt(word.get), high.get), isEqual(loadByte(word.get, 4), length.get)),
            i.set(subtract(p.get, start.get)),
            differ.set(xorBits(bytes.get, inWord(i.get))),
            loopWhile(
              i.get,
              i.set(subtract(i.get, int(16))),
              differ.set(orBits(differ.get, xorBits(sixteen(add(start.get, i.get)), inWord(i.get)))),
            ),
            whenTrue(
              isZero(isAnySet(differ.get)),
              word.set(shiftRightUnsigned(loadInt(word.get, 4), int(8))),
              ...putWord,
            ),
          ),
          slot.set(add(slot.get, int(4))),
          tries.set(subtract(tries.get, int(1))),
        ),
        word.set(callSee(start.get, length.get, high.get)),
        whenTrue(isZero(isNegative(word.get)), ...putWord),
      ),
      ...callPutText(start.get, length.get),
      int(1),
    ]
  },
)

/** A word's number, big-endian: the tag's byte first. */
function putNumber(number: Code): readonly Code[] {
  const first = add(shiftRightUnsigned(number, int(8)), int(TAG_WORD))
  return [
    storeTwoBytes(atVar.get, or(first, shiftLeft(and(number, int(0xff)), int(8)))),
    atVar.set(add(atVar.get, int(2))),
  ]
}

/** Ends the function: JavaScript puts a text with escapes, the first of which is at the position. */
function escapedText(start: Code, back: { readonly get: Code; set(value: Code): Code }): readonly Code[] {
  return [
    whenTrue(isNotEqual(loadByte(posVar.get), int(BACKSLASH)), giveBack(int(0))),
    storeInt(int(cells.at), atVar.get),
    back.set(callEscaped(start, posVar.get)),
    whenTrue(isNegative(back.get), giveBack(int(0))),
    atVar.set(loadInt(int(cells.at))),
    posVar.set(back.get),
    giveBack(int(1)),
  ]
}

/** putText(start, length): a text that is no word. */
export const putText = wasmFunction(
  'putText',
  { params: { start: i32, length: i32 }, locals: { i: i32 } },
  ({ start, length }, { i }) => [
    storeByte(atVar.get, int(TAG_TEXT)),
    atVar.set(callVarint(add(atVar.get, int(1)), longOf(length.get))),
    loopWhile(
      isLess(i.get, length.get),
      storeFour(add(atVar.get, i.get), loadFour(add(start.get, i.get))),
      i.set(add(i.get, int(16))),
    ),
    atVar.set(add(atVar.get, length.get)),
  ],
)

/** varint(at, value): writes a whole number, and returns where it ends. */
export const varint = wasmFunction(
  'varint',
  { params: { at: i32, value: i64 }, locals: { low: i32 }, result: i32 },
  ({ at, value }, { low }) => {
    const take = [low.set(lowerHalf(value.get)), value.set(shiftLongRight(value.get, long(7n)))]
    return [
      ...take,
      loopWhile(
        isZero(isZeroLong(value.get)),
        storeByte(at.get, or(low.get, int(0x80))),
        at.set(add(at.get, int(1))),
        ...take,
      ),
      storeByte(at.get, and(low.get, int(0x7f))),
      add(at.get, int(1)),
    ]
  },
)
